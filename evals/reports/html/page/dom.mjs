// Elements from values. Texts of data sets and models become text nodes only; nothing here parses markup.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of children.flat(Number.POSITIVE_INFINITY)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === "object" ? child : document.createTextNode(String(child)));
  }
}

// A text in its own direction, line ends kept.
export const prose = (text, attributes = {}) =>
  h("div", { dir: "auto", ...attributes, class: `prose ${attributes.class ?? ""}` }, text);

export const count = (number) => number.toLocaleString("en-US");
export const absent = "–";
export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

// A section whose content is made when it is opened for the first time.
export function disclosure(summary, make, { open = false, className = "" } = {}) {
  const details = h("details", { class: className, open }, h("summary", {}, summary));
  let made = false;
  const fill = () => {
    if (made || !details.open) return;
    made = true;
    append(details, [make()]);
  };
  details.addEventListener("toggle", fill);
  fill();
  return details;
}

// The first `step` items, and a button for the next ones.
export function growingList(items, render, { step = 100, list = h("ul", { class: "plain" }) } = {}) {
  let shown = 0;
  const more = h("button", { type: "button", class: "more", onclick: grow });
  function grow() {
    append(list, items.slice(shown, shown + step).map(render));
    shown = Math.min(items.length, shown + step);
    more.textContent = `show ${count(Math.min(step, items.length - shown))} more of ${count(items.length - shown)}`;
    more.hidden = shown >= items.length;
  }
  grow();
  return [list, more];
}
