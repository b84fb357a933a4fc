// What a session earned: the terms of its reward, its advantage, and how its siblings in other trajectories fared.

import { advantageText, rewardText } from "./credit-text.mjs";
import { absent, h } from "./dom.mjs";
import { sessionLink } from "./route.mjs";
import { scoreBadge } from "./session-list.mjs";

export function creditView({ credit }, { credit: made }) {
  if (!credit) return null;
  const { calls, r_tool, r_outcome, R, A, group, reason } = credit;
  const facts = [
    ["R", rewardText(R)],
    ["A", advantageText(A)],
    ["r_tool", calls.total > 0 ? `${rewardText(r_tool)} = ${calls.valid}/${calls.total}` : rewardText(r_tool)],
    ["r_outcome", rewardText(r_outcome)],
    ["compared within", group ?? absent],
    ...(reason === null ? [] : [["no signal", reason]]),
  ];
  return h(
    "section",
    { class: "panel credit", "aria-label": "reward and advantage" },
    h("h3", {}, "Reward and advantage"),
    h(
      "dl",
      { class: "scores" },
      facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    ),
    h("p", { class: "quiet" }, `R = λ·r_tool + r_outcome; ${made ?? ""}`),
  );
}

// The same chunk or question in every trajectory, this one included.
export function siblingsView(report, item) {
  const siblings = report.siblings(item);
  if (siblings.length < 2) return null;
  return h(
    "nav",
    { class: "siblings", "aria-label": "the same in other trajectories" },
    h("span", { class: "quiet" }, item.s === "m" ? "this chunk in" : "this question in"),
    siblings.map((other) =>
      h(
        "a",
        { class: "button", href: sessionLink(other.r, other.id), "aria-current": other === item ? "true" : null },
        `trajectory ${other.t} `,
        other.s === "q" ? scoreBadge(other) : null,
        other.A === undefined ? null : ` A ${advantageText(other.A)}`,
      ),
    ),
  );
}
