// The index and what hangs on it: sessions with their texts, chunks, and the memory sessions of one trajectory.
import { readBlock, unpackText } from "./blocks.mjs";

export async function openReport() {
  const index = await readBlock("index");
  const { runs, contexts, total } = index;
  const questions = contexts.map(
    ({ questions: asked }) => new Map(asked.map((question, i) => [question.id, { ...question, place: i }])),
  );
  const sessions = index.sessions
    .map((item) => ({ ...item, question: item.q === undefined ? null : (questions[item.c].get(item.q) ?? null) }))
    .sort(
      (a, b) =>
        a.r - b.r ||
        a.c - b.c ||
        a.t - b.t ||
        (a.s === b.s ? 0 : a.s === "m" ? -1 : 1) ||
        (a.s === "m" ? a.p - b.p : (a.question?.place ?? 0) - (b.question?.place ?? 0)),
    );
  const byId = new Map(sessions.map((item) => [`${item.r} ${item.id.toWellFormed()}`, item]));

  const textsOf = (c) => readBlock(contexts[c].texts);

  // The session with its texts whole.
  async function open(item) {
    const [block, { pieces }] = await Promise.all([readBlock(item.block), textsOf(item.c)]);
    return unpackSession(block[item.at], item.p, pieces);
  }

  async function chunkText(c, k) {
    const { chunks, pieces } = await textsOf(c);
    return unpackText(chunks[k] ?? null, pieces);
  }

  // The same chunk or question, in the order of the trajectories.
  const siblings = ({ r, c, s, p, q }) =>
    sessions.filter(
      (item) => item.r === r && item.c === c && item.s === s && (s === "m" ? item.p === p : item.q === q),
    );

  const memorySessions = (r, c, t) =>
    sessions.filter((item) => item.r === r && item.c === c && item.t === t && item.s === "m");

  return {
    runs,
    contexts,
    sessions,
    total,
    open,
    chunkText,
    memorySessions,
    siblings,
    find: (run, id) => byId.get(`${run} ${id}`) ?? null,
    openMemory: (r, c, t, k) =>
      Promise.all(
        memorySessions(r, c, t)
          .filter(({ p }) => p <= k)
          .map(open),
      ),
  };
}

function unpackSession(packed, position, pieces) {
  const text = (value) => unpackText(value, pieces);
  const entry = (value) => value && { ...value, content: text(value.content) };
  return {
    ...packed,
    position,
    answer: text(packed.answer),
    core: packed.core && { ...packed.core, before: text(packed.core.before), after: text(packed.core.after) },
    score: packed.score && { ...packed.score, prediction: text(packed.score.prediction) },
    messages: packed.messages.map((message) => ({ ...message, text: text(message.text ?? null) })),
    calls: packed.calls.map((call) => ({
      ...call,
      args: call.args === null ? null : JSON.parse(text(call.args)),
      observation: text(call.observation),
      writes: call.writes.map((write) => ({ ...write, before: entry(write.before), after: entry(write.after) })),
    })),
  };
}
