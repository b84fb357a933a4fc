// The rest of a session's record: budget, tokens and times, and every message as it was sent.
import { absent, count, disclosure, h } from "./dom.mjs";

export function factsView(session) {
  const { tokens, budget, truncated } = session;
  const cut = Object.entries(truncated).filter(([, characters]) => characters > 0);
  const facts = [
    ["end", session.end],
    ["turns", `${session.turns} of ${budget.turns}`],
    ["prompt tokens", `${count(tokens.prompt)} of ${count(budget.prompt)}`],
    ["interaction tokens", `${count(tokens.interaction)} of ${count(budget.interaction)}`],
    ["completion tokens", count(tokens.completion)],
    [
      "provider's count",
      tokens.provider ? `${count(tokens.provider.prompt)} + ${count(tokens.provider.completion)}` : absent,
    ],
    ["time", `${(session.ms / 1000).toFixed(2)} s`],
    ["started", session.started],
    ["attempt", session.attempt],
    ["seed", session.seed],
    [
      "cut from the prompt",
      cut.length === 0
        ? "nothing"
        : cut.map(([part, characters]) => `${count(characters)} characters of the ${part}`).join(", "),
    ],
  ];
  return h(
    "dl",
    { class: "facts" },
    facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

export function messagesView({ messages, calls }) {
  const observations = new Map(calls.map((call) => [call.id, call.observation]));
  return disclosure(
    `Prompt and messages: ${messages.length}`,
    () =>
      h(
        "ol",
        { class: "messages" },
        messages.map(({ role, text, callId, called }) =>
          h(
            "li",
            { class: role },
            h("h4", {}, role, callId ? h("span", { class: "quiet" }, ` · answers ${callId}`) : null),
            h("pre", { dir: "auto" }, text ?? observations.get(callId) ?? ""),
            called ? h("p", { class: "quiet" }, `calls ${called.join(", ")}`) : null,
          ),
        ),
      ),
    { className: "panel" },
  );
}
