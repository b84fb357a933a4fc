/** The page's script and style, read from their files; modules become one script, since a file:// page can load no other. */
import { readFileSync } from "node:fs";

/** In the order of their imports. */
const modules = [
  "dom",
  "blocks",
  "word-diff",
  "fold-bank",
  "route",
  "credit-text",
  "report-data",
  "virtual-list",
  "session-list",
  "diff-view",
  "call-view",
  "answer-view",
  "record-view",
  "credit-view",
  "session-page",
  "memory-page",
  "main",
];

const read = (name: string) => readFileSync(new URL(`./page/${name}`, import.meta.url), "utf8");

/** Top-level names are unique over the modules; a repeated one would be a syntax error in every browser. */
export function pageScript(): string {
  const bodies = modules.map((name) =>
    read(`${name}.mjs`)
      .replace(/^import \{[^}]*\} from "\.\/[a-z-]+\.mjs";\n/gm, "")
      .replace(/^export /gm, ""),
  );
  return `"use strict";\n(() => {\n${bodies.join("\n")}})();\n`;
}

export const pageStyle = () => read("page.css");
