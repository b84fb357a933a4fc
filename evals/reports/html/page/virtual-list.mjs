// A list of any length of which only the visible rows exist. All rows have one height.
import { h } from "./dom.mjs";

const ROW = 58;
const SPARE = 8;

export function virtualList(render) {
  const rows = h("div", { class: "rows", role: "list" });
  const spacer = h("div", { class: "spacer" }, rows);
  const element = h("div", { class: "virtual", tabindex: "0", "aria-label": "sessions", role: "group" }, spacer);
  let items = [];
  let current = -1;

  function draw() {
    const first = Math.max(0, Math.floor(element.scrollTop / ROW) - SPARE);
    const last = Math.min(items.length, Math.ceil((element.scrollTop + element.clientHeight) / ROW) + SPARE);
    rows.style.transform = `translateY(${first * ROW}px)`;
    rows.replaceChildren(
      ...items
        .slice(first, last)
        .map((item, i) =>
          h(
            "div",
            { role: "listitem", class: "row", "aria-setsize": items.length, "aria-posinset": first + i + 1 },
            render(item, first + i === current),
          ),
        ),
    );
  }
  element.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(draw).observe(element);

  return {
    element,
    show(next, selected) {
      items = next;
      current = selected;
      spacer.style.height = `${items.length * ROW}px`;
      if (current >= 0) {
        const top = current * ROW;
        if (top < element.scrollTop) element.scrollTop = top;
        else if (top + ROW > element.scrollTop + element.clientHeight)
          element.scrollTop = top + ROW - element.clientHeight;
      }
      draw();
    },
  };
}
