// Starts the page: tabs, theme, keys, and the view that the #hash names. The overview is there without any of this.
import { count, h } from "./dom.mjs";
import { memoryPage } from "./memory-page.mjs";
import { openReport } from "./report-data.mjs";
import { readRoute, sessionLink } from "./route.mjs";
import { sessionList } from "./session-list.mjs";
import { sessionPage } from "./session-page.mjs";

const overview = document.getElementById("overview");
const browser = document.getElementById("sessions");
const title = document.title;
let opened = null;
let current = null;
let asked = 0;

// Nothing is unpacked before someone looks at a session.
function openBrowser() {
  opened ??= openReport().then((report) => {
    const list = sessionList(report, { onChange: () => current && drawSteps(report) });
    const detail = h("div", { class: "detail", tabindex: "-1" });
    const steps = h("nav", { class: "steps", "aria-label": "neighbours in the list" });
    const left = report.total - report.sessions.length;
    const notice =
      left > 0
        ? h(
            "p",
            { class: "warning left-out" },
            `This file carries ${count(report.sessions.length)} of ${count(report.total)} sessions; ${count(left)} were left out to keep it small. To see them, make the report again with a larger session limit, or for chosen contexts only.`,
          )
        : null;
    browser.replaceChildren(list.element, h("div", { class: "main" }, notice, steps, detail));
    return { report, list, detail, steps };
  });
  return opened;
}

async function show() {
  const route = readRoute(location.hash);
  const request = ++asked;
  const isOverview = route.view === "overview";
  overview.hidden = !isOverview;
  browser.hidden = isOverview;
  for (const tab of document.querySelectorAll("[data-tab]")) {
    if ((tab.dataset.tab === "overview") === isOverview) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  if (isOverview) {
    document.title = title;
    if (route.anchor) document.getElementById(route.anchor)?.scrollIntoView();
    return;
  }
  try {
    const { report, list, detail } = await openBrowser();
    const page = await viewOf(route, report, list);
    if (request !== asked) return;
    detail.replaceChildren(page);
    detail.scrollTop = 0;
    // on a narrow screen the list stands above
    if (route.view !== "sessions" && matchMedia("(max-width: 860px)").matches) detail.scrollIntoView();
    drawSteps(report);
    document.title = `${detail.querySelector("h2")?.textContent ?? "session"} · ${title}`;
  } catch (error) {
    browser.replaceChildren(h("p", { class: "failure" }, `The sessions cannot be shown: ${error.message}`));
    opened = null;
  }
}

async function viewOf(route, report, list) {
  if (route.view === "memory") {
    current = null;
    return memoryPage(report, route);
  }
  const item = route.view === "session" ? report.find(route.run, route.id) : list.first();
  current = item;
  if (!item)
    return h(
      "article",
      {},
      h("h2", {}, route.view === "session" ? "No such session" : "Nothing to show"),
      h(
        "p",
        { class: "quiet" },
        route.view === "session" ? "This file does not carry the session that the link names." : "No session matches.",
      ),
    );
  list.select(item);
  return sessionPage(report, item);
}

async function drawSteps() {
  const { list, steps } = await openBrowser();
  if (!current) return steps.replaceChildren();
  const { at, of, previous, next } = list.neighbours(current);
  const step = (item, label, key) =>
    item
      ? h(
          "a",
          {
            class: "button",
            href: sessionLink(item.r, item.id),
            rel: key,
            "aria-keyshortcuts": key === "next" ? "j" : "k",
          },
          label,
        )
      : h("span", { class: "button off" }, label);
  steps.replaceChildren(
    step(previous, "‹ previous", "prev"),
    step(next, "next ›", "next"),
    h("span", { class: "quiet" }, at < 0 ? "not in the filtered list" : `${count(at + 1)} of ${count(of)} in the list`),
  );
}

document.addEventListener("keydown", async (event) => {
  if (event.metaKey || event.ctrlKey || event.altKey || browser.hidden) return;
  const isTyping =
    event.target instanceof Element && event.target.matches("input:not([type=checkbox]), select, textarea");
  if (isTyping) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const { list } = await openBrowser();
  if (event.key === "/") {
    event.preventDefault();
    list.search.focus();
    return;
  }
  const step = { j: "next", ArrowRight: "next", k: "previous", ArrowLeft: "previous" }[event.key];
  const to = step && (current ? list.neighbours(current)[step] : null);
  if (to) location.hash = sessionLink(to.r, to.id);
});

const themes = ["light dark", "light", "dark"];
const themeNames = { "light dark": "theme: system", light: "theme: light", dark: "theme: dark" };
const themeButton = document.getElementById("theme");
themeButton.hidden = false;
themeButton.addEventListener("click", () => {
  const now = document.documentElement.style.colorScheme || "light dark";
  const next = themes[(themes.indexOf(now) + 1) % themes.length];
  document.documentElement.style.colorScheme = next;
  themeButton.textContent = themeNames[next];
});

window.addEventListener("hashchange", show);
show();
