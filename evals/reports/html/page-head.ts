/** The beginning of a report's page, up to its title: one file that asks the network for nothing and runs no script but its own. */
import { createHash } from "node:crypto";
import { escapeHtml } from "./escape-html.ts";

export interface PageHead {
  readonly title: string;
  /** What kind of page it is, e.g. "umagraph report". */
  readonly kicker: string;
  readonly style: string;
  /** The only script that is allowed to run; none when left out. */
  readonly script?: string;
}

export function pageHead({ title, kicker, style, script }: PageHead): string {
  const allowed = script === undefined ? "" : ` script-src '${sha256(script)}';`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none';${allowed} style-src '${sha256(style)}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · ${kicker}</title>
<style>${style}</style>
</head>
<body>
<header class="top">
<div class="names"><span class="kicker">${kicker}</span><h1 dir="auto">${escapeHtml(title)}</h1></div>`;
}

const sha256 = (text: string) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
