/**
 * A report as one HTML file that needs nothing else: tables and plots as they are, sessions unpacked when looked at.
 *
 * Opened from disk it asks the network for nothing, and its content policy allows no script but its own: texts of data
 * sets and models are shown, never run.
 */
import { whole } from "./format-number.ts";
import { escapeHtml, jsonForScript } from "./html/escape-html.ts";
import { overviewHtml } from "./html/overview.ts";
import { pageHead } from "./html/page-head.ts";
import { pageScript, pageStyle } from "./html/page-script.ts";
import { type SessionData, type SessionLimit, sessionData } from "./html/session-data.ts";
import type { RunLog } from "./read-run.ts";
import { runLabel } from "./run-label.ts";
import type { ReportSummary } from "./summary.ts";

export interface HtmlReport {
  readonly html: string;
  /** Sessions that the file carries, of those that the runs have. */
  readonly sessions: { readonly embedded: number; readonly total: number };
}

export interface HtmlOptions {
  readonly title?: string;
  readonly limit?: SessionLimit;
}

/** `runs` are those that the summary was made of, in the same order. */
export function renderHtml(summary: ReportSummary, runs: readonly RunLog[], options: HtmlOptions = {}): HtmlReport {
  const labelled = runs.map((log, index) => ({
    log,
    label: runLabel(summary, index),
    headline: summary.runs[index]!.headline,
  }));
  const data = sessionData(labelled, options.limit);
  const { embedded, total } = data;
  return { html: page(summary, data, options.title ?? titleOf(summary)), sessions: { embedded, total } };
}

function titleOf({ groups }: ReportSummary): string {
  const names = (of: (group: ReportSummary["groups"][number]) => string) => [...new Set(groups.map(of))].join(", ");
  return `${names(({ benchmark }) => benchmark)}: ${names(({ variant }) => variant.name)}`;
}

function page(summary: ReportSummary, { blocks, embedded, total }: SessionData, title: string): string {
  const script = pageScript();
  const packed = [...blocks].map(
    ([name, block]) => `<script type="application/gzip;base64" data-block="${name}">${block}</script>`,
  );
  return `${pageHead({ title, kicker: "umagraph report", style: pageStyle(), script })}
<nav aria-label="views"><a href="#/overview" data-tab="overview" aria-current="page">Overview</a><a href="#/sessions" data-tab="sessions">Sessions <span class="n">${whole(embedded)}</span></a></nav>
<button type="button" id="theme" hidden>theme: system</button>
</header>
<main id="overview">
<p class="lead">${lead(summary)}</p>
${overviewHtml(summary)}
</main>
<main id="sessions" hidden><p class="quiet">Unpacking ${whole(total)} sessions …</p></main>
<noscript><p class="lead">The browser of sessions needs JavaScript; the tables and plots above do not.</p></noscript>
<script type="application/json" id="summary">${jsonForScript(summary)}</script>
${packed.join("\n")}
<script>${script}</script>
</body>
</html>
`;
}

/** What the content policy knows a script or style by. */

function lead({ runs }: ReportSummary): string {
  const contexts = runs.reduce((sum, { benchmark }) => sum + benchmark.contexts, 0);
  const asked = runs.reduce((sum, { questions }) => sum + (questions.distinct ?? questions.asked), 0);
  const dates = [...new Set(runs.map(({ created }) => created.slice(0, 10)))].sort();
  const when = dates.length > 1 ? `${dates[0]} to ${dates.at(-1)}` : dates[0]!;
  const plural = (count: number, word: string) => `${whole(count)} ${word}${count === 1 ? "" : "s"}`;
  return escapeHtml(
    `${plural(runs.length, "run")}, ${plural(contexts, "context")}, ${plural(asked, "question")} asked. Made ${when}.`,
  );
}
