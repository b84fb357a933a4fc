// Which words of a text went, came and stayed: a shortest edit script (Myers 1986) over words, over lines when there are
// too many changes, and the whole texts when even that is too long.

const MOST_EDITS = 600;

// [{ op: "same" | "del" | "ins", text }], neighbours of one kind joined. The "same" and "del" parts give `before`.
export function wordDiff(before, after) {
  if (before === after) return before === "" ? [] : [{ op: "same", text: before }];
  const parts = shortestEdits(words(before), words(after)) ??
    shortestEdits(before.split(/(?<=\n)/), after.split(/(?<=\n)/)) ?? [
      { op: "del", text: before },
      { op: "ins", text: after },
    ];
  return joinNeighbours(parts.filter(({ text }) => text !== ""));
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
const words = (text) => [...segmenter.segment(text)].map(({ segment }) => segment);

function shortestEdits(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const middle = editScript(a.slice(start, a.length - end), b.slice(start, b.length - end));
  if (middle === null) return null;
  const same = (items) => items.map((text) => ({ op: "same", text }));
  return [...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))];
}

// Forward search for the furthest point on each diagonal, then the path back; null beyond MOST_EDITS.
function editScript(a, b) {
  const most = Math.min(a.length + b.length, MOST_EDITS);
  const zero = most + 1;
  const furthest = new Int32Array(2 * most + 3);
  const history = [];
  for (let edits = 0; edits <= most; edits++) {
    // the diagonals that the last round reached, -edits to edits
    history.push(furthest.slice(zero - edits, zero + edits + 1));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = zero + diagonal;
      const down = diagonal === -edits || (diagonal !== edits && furthest[at - 1] < furthest[at + 1]);
      let x = edits === 0 ? 0 : down ? furthest[at + 1] : furthest[at - 1] + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      furthest[at] = x;
      if (x >= a.length && x - diagonal >= b.length) return pathBack(a, b, history);
    }
  }
  return null;
}

function pathBack(a, b, history) {
  const script = [];
  let x = a.length;
  let y = b.length;
  for (let edits = history.length - 1; edits > 0; edits--) {
    const reached = (diagonal) => history[edits][diagonal + edits];
    const diagonal = x - y;
    const down = diagonal === -edits || (diagonal !== edits && reached(diagonal - 1) < reached(diagonal + 1));
    const fromX = down ? reached(diagonal + 1) : reached(diagonal - 1);
    const fromY = fromX - (down ? diagonal + 1 : diagonal - 1);
    while (x > fromX && y > fromY) {
      script.push({ op: "same", text: a[--x] });
      y--;
    }
    if (down) script.push({ op: "ins", text: b[--y] });
    else script.push({ op: "del", text: a[--x] });
  }
  while (x > 0) script.push({ op: "same", text: a[--x] });
  return script.reverse();
}

// Deletions before insertions within one change, so that a replaced phrase reads as one.
function joinNeighbours(parts) {
  const joined = [];
  let change = { del: "", ins: "" };
  const flush = () => {
    for (const op of ["del", "ins"]) if (change[op] !== "") joined.push({ op, text: change[op] });
    change = { del: "", ins: "" };
  };
  for (const { op, text } of parts) {
    if (op !== "same") change[op] += text;
    else {
      flush();
      if (joined.at(-1)?.op === "same") joined.at(-1).text += text;
      else joined.push({ op, text });
    }
  }
  flush();
  return joined;
}
