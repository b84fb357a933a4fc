// What a question got: the answer beside the gold, the scores, and the evidence that was there to be read.
import { absent, count, disclosure, h, plural, prose } from "./dom.mjs";
import { scoreBadge } from "./session-list.mjs";

export function answerView(item, session) {
  const { score } = session;
  const kind =
    typeof item.score !== "number" ? "none" : item.score >= 1 ? "right" : item.score <= 0 ? "wrong" : "partial";
  const gold = item.question?.answer ?? null;
  return h(
    "section",
    { class: "answers", "aria-label": "answer and gold" },
    h(
      "div",
      { class: `answer ${kind}` },
      h("h3", {}, scoreBadge(item), " Answer"),
      session.answer === null
        ? h("p", { class: "quiet" }, `No answer: the session ended by ${session.end}.`)
        : prose(session.answer),
      score && score.prediction !== null && score.prediction !== session.answer
        ? [h("h4", {}, "What was scored"), prose(score.prediction === "" ? "(an empty text)" : score.prediction)]
        : null,
    ),
    h(
      "div",
      { class: "gold" },
      h("h3", {}, "Gold"),
      gold === null
        ? h("p", { class: "quiet" }, "The data set has none.")
        : prose(gold === "" ? "(the empty answer)" : gold),
    ),
    score
      ? h(
          "dl",
          { class: "scores" },
          Object.entries(score.metrics).map(([name, value]) =>
            h("div", {}, h("dt", {}, name), h("dd", {}, value === null ? absent : (value * 100).toFixed(1))),
          ),
        )
      : h("p", { class: "quiet scores" }, "Not scored."),
  );
}

export function evidenceView(evidence, session, { chunkText, chunkLink }) {
  if (evidence.length === 0) return null;
  const reads = [...session.given, ...session.calls.flatMap((call) => call.reads)];
  return disclosure(
    `Evidence: ${plural(evidence.length, "passage")}, ${count(evidence.filter((piece) => reads.some((read) => overlaps(read.span, piece))).length)} of them read`,
    () =>
      h(
        "ul",
        { class: "plain" },
        evidence.map((piece) => {
          const body = h("div", { class: "prose passage", dir: "auto" }, "…");
          chunkText(piece.chunk).then((text) => {
            body.textContent =
              text === null ? "(the page does not have this text)" : text.slice(piece.start, piece.end);
          });
          const read = reads.find(({ span }) => overlaps(span, piece));
          return h(
            "li",
            { class: "read" },
            h(
              "div",
              { class: "read-head" },
              h("span", { class: "badge evidence" }, piece.id),
              chunkLink(piece.chunk),
              h("span", { class: "quiet" }, read ? `read at rank ${read.rank}` : "not read"),
            ),
            body,
          );
        }),
      ),
    { className: "panel" },
  );
}

const overlaps = (span, piece) =>
  span !== undefined && span.chunk === piece.chunk && piece.start < span.end && piece.end > span.start;
