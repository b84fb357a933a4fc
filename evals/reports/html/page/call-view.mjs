// One tool call: what was asked, what came back, what it changed in the bank, what it showed.

import { entryChange } from "./diff-view.mjs";
import { absent, count, disclosure, growingList, h, plural } from "./dom.mjs";

const LONG = 1_500;

export function callView(call, { evidence, chunkText, chunkLink, undone }) {
  const { name, verdict, tokens, ms, args, writes, reads, observation } = call;
  const ranked = rankedResults(observation);
  const titles = ranked ? null : listedTitles(observation);
  return h(
    "li",
    { class: `call ${verdict}` },
    h(
      "div",
      { class: "call-head" },
      h("code", { class: "tool" }, name === "" ? "(unreadable call)" : name),
      h("span", { class: `badge verdict ${verdict}` }, verdict),
      h("span", { class: "quiet" }, `${plural(tokens, "token")} · ${ms.toFixed(ms < 10 ? 1 : 0)} ms`),
    ),
    argumentsView(args, writes),
    writes.length > 0 && undone ? h("p", { class: "warning" }, "The session failed: this write was undone.") : null,
    writes.map(entryChange),
    ranked
      ? readsView(reads, { texts: ranked, evidence, chunkText, chunkLink })
      : titles
        ? titlesView(titles)
        : observationView(observation),
    ranked || titles
      ? disclosure("as the policy saw it", () => h("pre", { class: "observation", dir: "auto" }, observation), {
          className: "raw",
        })
      : null,
  );
}

// The content of a write is shown by its diff.
function argumentsView(args, writes) {
  if (args === null) return h("p", { class: "warning" }, "Its arguments could not be read.");
  const shown = Object.entries(args).filter(
    ([key]) => writes.length === 0 || !["content", "title", "new_title"].includes(key),
  );
  if (shown.length === 0) return null;
  return h(
    "dl",
    { class: "args" },
    shown.map(([key, value]) => [
      h("dt", {}, key),
      h(
        "dd",
        {},
        h("span", { dir: "auto", class: "prose" }, typeof value === "string" ? value : JSON.stringify(value)),
      ),
    ]),
  );
}

function observationView(text) {
  const pre = () => h("pre", { class: "observation", dir: "auto" }, pretty(text));
  if (text === "") return h("p", { class: "quiet" }, "The observation was empty.");
  if (text.length <= LONG) return pre();
  return disclosure(`observation, ${count(text.length)} characters`, pre, { className: "raw" });
}

function titlesView({ titles, total }) {
  const [list, more] = growingList(titles, (title) => h("li", { dir: "auto" }, title), {
    step: 60,
    list: h("ul", { class: "titles" }),
  });
  return h("div", {}, h("p", { class: "quiet" }, `${plural(titles.length, "title")} of ${count(total)}`), list, more);
}

// Sub-chunks or entries with rank and score, and their texts where the page has them.
export function readsView(reads, { texts = null, evidence = [], chunkText, chunkLink }) {
  if (reads.length === 0) return h("p", { class: "quiet" }, "Nothing was found.");
  const [list, more] = growingList(
    reads,
    (read) => {
      const { kind, id, rank, score, span } = read;
      const hits = span
        ? evidence.filter((piece) => piece.chunk === span.chunk && piece.start < span.end && piece.end > span.start)
        : [];
      const body = h("div", { dir: "auto", class: "prose passage" });
      const given = texts?.get(rank);
      if (given !== undefined) body.textContent = given;
      else if (span && chunkText) {
        body.textContent = "…";
        chunkText(span.chunk).then((text) => {
          body.textContent = text === null ? "(the page does not have this text)" : text.slice(span.start, span.end);
        });
      } else body.hidden = true;
      return h(
        "li",
        { class: hits.length > 0 ? "read has-evidence" : "read" },
        h(
          "div",
          { class: "read-head" },
          h("span", { class: "rank" }, `#${rank}`),
          h("span", {}, "score ", h("b", {}, score === null ? absent : score.toFixed(4))),
          span && chunkLink ? chunkLink(span.chunk) : h("span", {}, kind === "entry" ? "entry" : "sub-chunk"),
          h("code", { class: "quiet" }, id),
          hits.map((piece) => h("span", { class: "badge evidence" }, `evidence ${piece.id}`)),
        ),
        body,
      );
    },
    { step: 20, list: h("ol", { class: "reads" }) },
  );
  return h("div", {}, list, more);
}

function rankedResults(observation) {
  const { results } = parsed(observation) ?? {};
  if (
    !Array.isArray(results) ||
    !results.every((result) => typeof result?.text === "string" && typeof result.rank === "number")
  )
    return null;
  return new Map(results.map(({ rank, text }) => [rank, text]));
}

function listedTitles(observation) {
  const value = parsed(observation);
  return value &&
    Array.isArray(value.titles) &&
    value.titles.every((title) => typeof title === "string") &&
    typeof value.total === "number"
    ? value
    : null;
}

const parsed = (text) => {
  if (!text.startsWith("{")) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const pretty = (text) => {
  const value = parsed(text);
  return value === null ? text : JSON.stringify(value, null, 2);
};
