// Where the page is, as its #hash, so that a link leads back to one session or one state of a memory.

export function readRoute(hash) {
  const [view, ...rest] = hash.replace(/^#\/?/, "").split("/");
  const parts = rest.map(decode);
  if (view === "session" && parts.length === 2 && isWhole(parts[0]))
    return { view, run: Number(parts[0]), id: parts[1] };
  if (view === "memory" && parts.length === 4 && [parts[0], parts[2], parts[3]].every(isWhole))
    return { view, run: Number(parts[0]), context: parts[1], trajectory: Number(parts[2]), k: Number(parts[3]) };
  if (view === "sessions") return { view };
  return { view: "overview", anchor: view === "" || view === "overview" ? null : hash.slice(1) };
}

// A lone surrogate has no place in a link; ids are compared without it.
const encode = (text) => encodeURIComponent(text.toWellFormed());
export const sessionLink = (run, id) => `#/session/${run}/${encode(id)}`;
export const memoryLink = (run, context, trajectory, k) => `#/memory/${run}/${encode(context)}/${trajectory}/${k}`;

const isWhole = (text) => /^\d+$/.test(text);

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
