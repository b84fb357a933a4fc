// The memory as it was after any chunk: core and bank, folded from the sessions that the page carries.
import { entryChange } from "./diff-view.mjs";
import { append, count, disclosure, growingList, h, plural, prose } from "./dom.mjs";
import { foldBank } from "./fold-bank.mjs";
import { memoryLink, sessionLink } from "./route.mjs";
import { contextName } from "./session-list.mjs";

export async function memoryPage(report, { run, context: contextId, trajectory, k }) {
  const c =
    report.sessions.find((item) => item.r === run && report.contexts[item.c].id.toWellFormed() === contextId)?.c ?? -1;
  const held = c < 0 ? [] : report.memorySessions(run, c, trajectory);
  if (held.length === 0)
    return h(
      "article",
      {},
      h("h2", {}, "No such memory"),
      h("p", {}, "The page carries no memory sessions of this context."),
    );
  const context = report.contexts[c];
  const sessions = await report.openMemory(run, c, trajectory, k);
  const { entries, changes, missing } = foldBank(sessions, k);
  const core =
    sessions
      .filter((session) => session.core)
      .sort((a, b) => a.position - b.position)
      .at(-1)?.core ?? null;
  const go = (position) => {
    location.hash = memoryLink(run, contextId, trajectory, position);
  };
  const last = context.chunks - 1;
  const slider = h("input", {
    type: "range",
    min: 0,
    max: last,
    value: k,
    "aria-label": "chunk",
    onchange: (event) => go(event.target.value),
    oninput: (event) => {
      label.textContent = `after chunk ${Number(event.target.value) + 1} of ${context.chunks}`;
    },
  });
  const label = h("output", {}, `after chunk ${k + 1} of ${context.chunks}`);
  const session = held.find(({ p }) => p === k);
  const list = h("div", { class: "bank" });
  const filter = h("input", {
    type: "search",
    placeholder: "filter entries",
    "aria-label": "filter entries",
    oninput: () => fill(filter.value),
  });

  function fill(wanted) {
    const text = wanted.trim().toLocaleLowerCase();
    const shown = entries.filter(
      ({ title, content }) => text === "" || `${title}\n${content}`.toLocaleLowerCase().includes(text),
    );
    const changed = new Set(changes.map(({ entry }) => entry));
    const [rows, more] = growingList(shown, (entry) => entryRow(entry, changed.has(entry.id)), { step: 200 });
    list.replaceChildren(rows, more);
    if (shown.length === 0)
      append(list, [h("p", { class: "quiet" }, entries.length === 0 ? "The bank is empty." : "No entry matches.")]);
  }
  fill("");

  return h(
    "article",
    { class: "memory" },
    report.runs[run].scripted ? h("p", { class: "scripted" }, "No model: a scripted policy wrote this memory.") : null,
    h("p", { class: "kicker" }, "memory"),
    h("h2", {}, `${plural(entries.length, "entry").replace("entrys", "entries")} after chunk ${k + 1}`),
    h(
      "p",
      { class: "quiet where" },
      `${report.runs[run].label} · ${contextName(context)}`,
      report.runs[run].trajectories > 1 ? ` · trajectory ${trajectory} of ${report.runs[run].trajectories}` : "",
    ),
    h(
      "div",
      { class: "scrubber" },
      h("button", { type: "button", disabled: k === 0, onclick: () => go(k - 1), "aria-label": "previous chunk" }, "‹"),
      slider,
      h("button", { type: "button", disabled: k === last, onclick: () => go(k + 1), "aria-label": "next chunk" }, "›"),
      label,
      session ? h("a", { href: sessionLink(run, session.id) }, "its session") : null,
    ),
    missing.length > 0
      ? h(
          "p",
          { class: "warning" },
          `The page lacks the sessions of ${plural(missing.length, "chunk")} up to here, so this bank may be incomplete.`,
        )
      : null,
    h(
      "section",
      { class: "panel core" },
      h("h3", {}, "Core"),
      core === null || core.after === "" ? h("p", { class: "quiet" }, "(empty)") : prose(core.after),
    ),
    changes.length > 0
      ? disclosure(
          `What chunk ${k + 1} changed: ${plural(changes.length, "write")}`,
          () => h("div", {}, changes.map(entryChange)),
          { open: true, className: "panel" },
        )
      : null,
    h(
      "section",
      {},
      h(
        "h3",
        {},
        `Bank: ${count(entries.length)}, ${count(entries.reduce((sum, { title, content }) => sum + title.length + content.length, 0))} characters`,
      ),
      entries.length > 8 ? filter : null,
      list,
    ),
  );
}

function entryRow({ id, title, content, version, born, touched }, isChanged) {
  const touches = version > 1 ? ` · last written by chunk ${touched + 1}, version ${version}` : "";
  return h(
    "li",
    { class: isChanged ? "entry changed" : "entry" },
    h(
      "div",
      { class: "entry-head" },
      h("div", { class: "entry-title", dir: "auto" }, title),
      h("code", { class: "quiet" }, id),
      h("span", { class: "quiet" }, `from chunk ${born + 1}${touches}`),
    ),
    prose(content),
  );
}
