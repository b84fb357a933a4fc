// The sidebar: which sessions to look at, and the list of them.
import { advantageText, rewardText } from "./credit-text.mjs";
import { absent, count, h } from "./dom.mjs";
import { sessionLink } from "./route.mjs";
import { virtualList } from "./virtual-list.mjs";

const scoreKinds = {
  all: ["any score", () => true],
  wrong: ["score 0", ({ score }) => score === 0],
  flawed: ["score below 1", ({ score }) => typeof score === "number" && score < 1],
  right: ["score 1", ({ score }) => typeof score === "number" && score >= 1],
  unscored: ["not scored", ({ score }) => typeof score !== "number"],
};

export function sessionList(report, { onChange }) {
  const filter = {
    run: 0,
    context: "",
    trajectory: "",
    stage: "q",
    score: "all",
    category: "",
    problems: false,
    search: "",
  };
  let selected = null;
  let found = [];

  const select = (name, label, options) =>
    h(
      "label",
      { class: "field" },
      h("span", {}, label),
      h(
        "select",
        { name, onchange: (event) => change({ [name]: event.target.value }) },
        options.map(([value, text]) => h("option", { value }, text)),
      ),
    );
  const run = select(
    "run",
    "run",
    report.runs.map(({ label, benchmark, scripted }, i) => [i, runName({ label, benchmark, scripted }, report)]),
  );
  const context = select("context", "context", []);
  const trajectory = select("trajectory", "trajectory", []);
  const category = select("category", "category", []);
  const score = select(
    "score",
    "score",
    Object.entries(scoreKinds).map(([value, [text]]) => [value, text]),
  );
  const search = h("input", {
    type: "search",
    name: "search",
    placeholder: "search questions, golds, ids",
    "aria-label": "search",
    oninput: (event) => change({ search: event.target.value }),
  });
  const problems = h(
    "label",
    { class: "check" },
    h("input", { type: "checkbox", name: "problems", onchange: (event) => change({ problems: event.target.checked }) }),
    " only with problems",
  );
  const stages = [
    ["q", "questions"],
    ["m", "chunks"],
  ].map(([stage, label]) =>
    h("button", { type: "button", class: "stage", "data-stage": stage, onclick: () => change({ stage }) }, label),
  );
  const tally = h("p", { class: "tally", "aria-live": "polite" });
  const list = virtualList(row);
  const element = h(
    "aside",
    { class: "sidebar", "aria-label": "choose a session" },
    h(
      "div",
      { class: "filters" },
      run,
      context,
      trajectory,
      h("div", { class: "stages", role: "group", "aria-label": "stage" }, stages),
      search,
      h("div", { class: "pair" }, score, category),
      problems,
    ),
    tally,
    list.element,
    h(
      "p",
      { class: "keys" },
      h("kbd", {}, "j"),
      " next  ",
      h("kbd", {}, "k"),
      " previous  ",
      h("kbd", {}, "/"),
      " search",
    ),
  );

  function change(part) {
    Object.assign(filter, part);
    refresh();
    onChange();
  }

  function refresh() {
    filter.run = Number(filter.run);
    const own = report.sessions.filter(({ r }) => r === filter.run);
    const contexts = [...new Set(own.map(({ c }) => c))];
    if (filter.context !== "" && !contexts.includes(Number(filter.context))) filter.context = "";
    const ofContext = own.filter(({ c }) => filter.context === "" || c === Number(filter.context));
    const trajectories = [...new Set(ofContext.map(({ t }) => t))].sort((a, b) => a - b);
    if (filter.trajectory !== "" && !trajectories.includes(Number(filter.trajectory))) filter.trajectory = "";
    fill(
      trajectory,
      [["", `all ${count(trajectories.length)} trajectories`], ...trajectories.map((t) => [t, `trajectory ${t}`])],
      filter.trajectory,
    );
    trajectory.hidden = trajectories.length < 2;
    const inContext = ofContext.filter(({ t }) => filter.trajectory === "" || t === Number(filter.trajectory));
    const categories = [...new Set(inContext.flatMap(({ question }) => question?.category ?? []))].sort();
    if (!categories.includes(filter.category)) filter.category = "";
    fill(
      context,
      [["", `all ${count(contexts.length)} contexts`], ...contexts.map((c) => [c, contextName(report.contexts[c])])],
      filter.context,
    );
    fill(category, [["", "every category"], ...categories.map((name) => [name, name])], filter.category);
    run.querySelector("select").value = String(filter.run);
    score.querySelector("select").value = filter.score;
    problems.querySelector("input").checked = filter.problems;
    const questionsOnly = filter.stage === "q";
    for (const field of [score, category]) field.hidden = !questionsOnly;
    for (const button of stages) {
      const stage = button.dataset.stage;
      button.setAttribute("aria-pressed", String(stage === filter.stage));
      button.textContent = `${stage === "q" ? "questions" : "chunks"} ${count(inContext.filter(({ s }) => s === stage).length)}`;
    }
    const wanted = filter.search.trim().toLocaleLowerCase();
    found = inContext.filter(
      (item) =>
        item.s === filter.stage &&
        (!questionsOnly || scoreKinds[filter.score][1](item)) &&
        (!questionsOnly || filter.category === "" || item.question?.category === filter.category) &&
        (!filter.problems || hasProblem(item)) &&
        (wanted === "" || haystack(item).includes(wanted)),
    );
    const stageTotal = inContext.filter(({ s }) => s === filter.stage).length;
    tally.textContent =
      stageTotal === 0
        ? questionsOnly
          ? "This run has no sessions for questions here."
          : "This method reads no chunks in advance: it has no memory sessions."
        : `${count(found.length)} of ${count(stageTotal)}`;
    const rows = trajectories.length < 2 ? found : withHeads(found);
    list.show(rows, rows.indexOf(selected));
  }

  function row(item, isCurrent) {
    if (item.head) return headRow(item, report, filter.context === "");
    const credit = creditText(item);
    const link = (...children) =>
      h(
        "a",
        { href: sessionLink(item.r, item.id), "aria-current": isCurrent ? "true" : null, class: "session-link" },
        children,
      );
    if (item.s === "m")
      return link(
        h("span", { class: "badge plain" }, item.p + 1),
        h(
          "span",
          { class: "what" },
          h("span", { class: "first" }, `chunk ${item.p + 1} of ${report.contexts[item.c].chunks}`),
          h(
            "span",
            { class: "second" },
            credit,
            item.w ? `+${item.w[0]} ~${item.w[1]} −${item.w[2]}` : "failed",
            problemText(item),
            filter.context === "" ? ` · ${report.contexts[item.c].id}` : "",
          ),
        ),
      );
    return link(
      scoreBadge(item),
      h(
        "span",
        { class: "what" },
        h("span", { class: "first", dir: "auto" }, item.question?.text ?? item.q),
        h(
          "span",
          { class: "second" },
          credit,
          `${item.question?.category ?? ""} · ${item.q}`,
          problemText(item),
          filter.context === "" ? ` · ${report.contexts[item.c].id}` : "",
        ),
      ),
    );
  }

  refresh();
  return {
    element,
    search,
    // The session shown beside the list; filters that hide it are opened.
    select(item) {
      selected = item;
      filter.run = item.r;
      filter.stage = item.s;
      if (filter.context !== "" && Number(filter.context) !== item.c) filter.context = "";
      if (filter.trajectory !== "" && Number(filter.trajectory) !== item.t) filter.trajectory = "";
      refresh();
      if (found.includes(item)) return;
      Object.assign(filter, { score: "all", category: "", problems: false, search: "" });
      search.value = "";
      refresh();
    },
    neighbours(item) {
      const at = found.indexOf(item);
      return { at, of: found.length, previous: found[at - 1] ?? null, next: found[at + 1] ?? null };
    },
    first: () => found[0] ?? null,
  };
}

// A line above the sessions of each trajectory, with what they came to.
function withHeads(items) {
  const rows = [];
  for (const item of items) {
    const last = rows.at(-1);
    if (!last || last.c !== item.c || last.t !== item.t) rows.push({ head: true, c: item.c, t: item.t, items: [] });
    rows.findLast(({ head }) => head).items.push(item);
    rows.push(item);
  }
  return rows;
}

function headRow({ c, t, items }, report, namesContext) {
  const mean = (name) => {
    const known = items.map((item) => item[name]).filter((value) => typeof value === "number");
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  };
  const score = mean("score");
  const means = [
    score === null ? null : `score ${(score * 100).toFixed(1)}`,
    items.some(({ R }) => R !== undefined) ? `R ${rewardText(mean("R"))}` : null,
    items.some(({ A }) => A !== undefined) ? `A ${advantageText(mean("A"))}` : null,
  ].filter(Boolean);
  return h(
    "div",
    { class: "trajectory-head" },
    h("b", {}, `Trajectory ${t}`),
    h(
      "span",
      { class: "second" },
      `${count(items.length)} shown${means.length > 0 ? ` · means: ${means.join(" · ")}` : ""}`,
      namesContext ? ` · ${report.contexts[c].id}` : "",
    ),
  );
}

const creditText = ({ R, A }) =>
  R === undefined ? null : `R ${rewardText(R)} · A ${A === undefined ? absent : advantageText(A)} · `;

const hasProblem = (item) => item.end !== "text" || item.kept === true || item.bad !== undefined;

function problemText(item) {
  const problems = [
    item.end === "text" ? null : `ended by ${item.end}`,
    item.kept ? "core kept" : null,
    item.bad ? `${item.bad} bad ${item.bad === 1 ? "call" : "calls"}` : null,
  ].filter(Boolean);
  return problems.length === 0 ? null : h("span", { class: "problem" }, ` · ${problems.join(", ")}`);
}

export function scoreBadge({ score }) {
  if (typeof score !== "number") return h("span", { class: "badge none", title: "not scored" }, absent);
  const kind = score >= 1 ? "right" : score <= 0 ? "wrong" : "partial";
  const sign = { right: "✓", wrong: "✗" }[kind] ?? (score * 100).toFixed(0);
  return h("span", { class: `badge ${kind}`, title: `score ${(score * 100).toFixed(1)} of 100` }, sign);
}

function fill(field, options, value) {
  const select = field.querySelector("select");
  select.replaceChildren(...options.map(([option, text]) => h("option", { value: option }, text)));
  select.value = String(value);
}

const haystack = (item) => `${item.id} ${item.question?.text ?? ""} ${item.question?.answer ?? ""}`.toLocaleLowerCase();

export function contextName({ id, facets }) {
  const shown = Object.entries(facets).map(([name, value]) => `${name} ${value}`);
  return shown.length === 0 ? id : `${id} (${shown.join(", ")})`;
}

function runName({ label, benchmark }, { runs }) {
  return new Set(runs.map((run) => run.benchmark)).size > 1 && !label.startsWith(benchmark)
    ? `${benchmark} · ${label}`
    : label;
}
