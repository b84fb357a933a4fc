// Differences of texts and of entries. What went is struck out, what came is underlined, so colour is not all there is.
import { h, prose } from "./dom.mjs";
import { wordDiff } from "./word-diff.mjs";

export function diffText(before, after, attributes = {}) {
  const tags = { same: "span", del: "del", ins: "ins" };
  return h(
    "div",
    { dir: "auto", ...attributes, class: `prose diff ${attributes.class ?? ""}` },
    wordDiff(before, after).map(({ op, text }) => h(tags[op], {}, text)),
  );
}

const opNames = { add: "added", update: "updated", delete: "deleted" };

export function entryChange({ entry, op, before, after }) {
  const title =
    op === "update" && before.title !== after.title
      ? diffText(before.title, after.title, { class: "entry-title" })
      : h("div", { class: "entry-title", dir: "auto" }, (after ?? before).title);
  const content =
    op === "add"
      ? prose(after.content)
      : op === "delete"
        ? diffText(before.content, "")
        : before.content === after.content
          ? h("p", { class: "quiet" }, before.title === after.title ? "written again, unchanged" : "content unchanged")
          : diffText(before.content, after.content);
  return h(
    "div",
    { class: `entry ${op}` },
    h(
      "div",
      { class: "entry-head" },
      h("span", { class: `badge ${op}` }, opNames[op]),
      title,
      h("code", { class: "quiet" }, entry),
    ),
    content,
  );
}
