// One session from beginning to end: what it was given, what it did turn by turn, what came of it.
import { answerView, evidenceView } from "./answer-view.mjs";
import { callView, readsView } from "./call-view.mjs";
import { creditView, siblingsView } from "./credit-view.mjs";
import { diffText } from "./diff-view.mjs";
import { append, count, disclosure, h, plural, prose } from "./dom.mjs";
import { factsView, messagesView } from "./record-view.mjs";
import { memoryLink, sessionLink } from "./route.mjs";
import { contextName } from "./session-list.mjs";

export async function sessionPage(report, item) {
  const session = await report.open(item);
  const chunk = item.s === "m" ? await report.chunkText(item.c, item.p) : null;
  const context = report.contexts[item.c];
  const run = report.runs[item.r];
  const undone = session.end === "error" || session.end === "cancelled";
  const evidence = item.question?.evidence ?? [];
  const memory = report.memorySessions(item.r, item.c, item.t);
  const chunkLink = (k) => {
    const held = memory.find(({ p }) => p === k);
    return held ? h("a", { href: sessionLink(held.r, held.id) }, `chunk ${k + 1}`) : h("span", {}, `chunk ${k + 1}`);
  };
  const sources = { evidence, chunkText: (k) => report.chunkText(item.c, k), chunkLink, undone };
  const memoryHref = memory.length > 0 ? memoryLink(item.r, context.id, item.t, item.p) : null;

  return h(
    "article",
    { class: "session" },
    run.scripted
      ? h("p", { class: "scripted" }, `No model: the scripted policy ${session.policy} made this session.`)
      : null,
    h(
      "p",
      { class: "kicker" },
      item.s === "m"
        ? "memory session"
        : `question · ${item.question?.category ?? ""} · asked after chunk ${item.p + 1} of ${context.chunks}`,
      run.trajectories > 1 ? ` · trajectory ${item.t} of ${run.trajectories}` : "",
    ),
    item.s === "m"
      ? h("h2", {}, `Chunk ${item.p + 1} of ${context.chunks}`)
      : h("h2", { class: "question", dir: "auto" }, item.question?.text ?? item.q),
    h("p", { class: "quiet where" }, `${run.label} · ${contextName(context)} · `, h("code", {}, session.id)),
    session.error
      ? h(
          "div",
          { class: "failure", role: "note" },
          h("b", {}, `Failed in the ${session.error.boundary} (${session.error.code})`),
          prose(session.error.message),
        )
      : null,
    siblingsView(report, item),
    item.s === "q" ? answerView(item, session) : null,
    creditView(session, run),
    item.s === "q" ? evidenceView(evidence, session, sources) : null,
    item.s === "m" ? coreView(session) : null,
    memoryHref
      ? h(
          "p",
          {},
          h(
            "a",
            { class: "button", href: memoryHref },
            item.s === "m" ? "Memory after this chunk" : `Memory as it was: after chunk ${item.p + 1}`,
          ),
        )
      : null,
    item.s === "m" ? chunkView(session, chunk) : null,
    givenView(session, sources),
    timeline(session, sources),
    factsView(session),
    messagesView(session),
  );
}

function coreView({ core }) {
  if (!core) return null;
  return h(
    "section",
    { class: "panel core" },
    h("h3", {}, "Core"),
    core.committed
      ? h(
          "p",
          { class: "quiet" },
          core.before === core.after ? "committed, unchanged" : "committed; changes against the core before:",
        )
      : h("p", { class: "warning" }, `Kept as it was: ${core.kept ?? "no reason was recorded"}.`),
    core.before === core.after
      ? core.after === ""
        ? h("p", { class: "quiet" }, "(empty)")
        : prose(core.after)
      : diffText(core.before, core.after),
  );
}

function chunkView({ truncated }, text) {
  return disclosure(
    text === null ? "Chunk text" : `Chunk text, ${count(text.length)} characters`,
    () =>
      h(
        "div",
        {},
        truncated.focus > 0
          ? h(
              "p",
              { class: "warning" },
              `The first ${count(truncated.focus)} characters were cut to meet the prompt budget.`,
            )
          : null,
        text === null
          ? h("p", { class: "quiet" }, "Not in the page as a whole; see the prompt below.")
          : prose(text, { class: "chunk" }),
      ),
    { open: true, className: "panel" },
  );
}

function givenView({ given }, sources) {
  if (given.length === 0) return null;
  return disclosure(`Given with the question: ${plural(given.length, "passage")}`, () => readsView(given, sources), {
    className: "panel",
  });
}

function timeline(session, sources) {
  const spoken = session.messages.filter(({ role }) => role === "assistant");
  const turns = Math.max(session.turns, spoken.length, ...session.calls.map(({ turn }) => turn + 1));
  const list = h("ol", { class: "turns" });
  for (let turn = 0; turn < turns; turn++) {
    const calls = session.calls.filter((call) => call.turn === turn);
    const said = spoken[turn]?.text ?? "";
    const isLast = turn === turns - 1;
    append(list, [
      h(
        "li",
        { class: "turn" },
        h(
          "h4",
          {},
          `Turn ${turn + 1}`,
          isLast && session.lastTurn
            ? h("span", { class: "quiet" }, ` · the last one, without tools: ${session.lastTurn} ran out`)
            : null,
        ),
        said.trim() === ""
          ? null
          : h("div", { class: isLast && calls.length === 0 ? "said final" : "said" }, prose(said)),
        calls.length > 0
          ? h(
              "ul",
              { class: "calls" },
              calls.map((call) => callView(call, sources)),
            )
          : null,
        said.trim() === "" && calls.length === 0
          ? h("p", { class: "quiet" }, "Nothing was said and nothing was called.")
          : null,
      ),
    ]);
  }
  return h(
    "section",
    { "aria-label": "turns" },
    h("h3", {}, `What happened: ${plural(turns, "turn")}, ${plural(session.calls.length, "call")}`),
    turns === 0 ? h("p", { class: "quiet" }, "No turn was taken.") : list,
  );
}
