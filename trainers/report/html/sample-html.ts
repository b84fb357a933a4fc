/** A question before and after training, side by side: the answer, how it was found, the memory it was found in. */
import { percent } from "../../../evals/reports/format-number.ts";
import { escapeHtml } from "../../../evals/reports/html/escape-html.ts";
import { entriesOf } from "../../../memory/bank.ts";
import type { CallRecord, SessionRecord } from "../../../nodes/session/record.ts";
import { readSection } from "../../../policies/prompt-sections.ts";
import type { SampledQuestion, SampledQuestions, SampledSide } from "../sample-sessions.ts";

/** Of one bank. */
const mostEntries = 60;
const longestText = 2_000;

export function samplesHtml({ shown, counts, kind }: SampledQuestions): string {
  const { better, worse, same } = counts;
  const lead = `Of ${better + worse + same} held-out questions that both evaluations scored (${kind} tokens), ${better} are answered better, ${worse} worse, ${same} the same.`;
  return [`<p class="lead">${lead}${choiceOf(shown)}</p>`, ...shown.map(sampleHtml)].join("\n");
}

const isUnchanged = ({ before, after }: SampledQuestion) => before.value === after.value;

function choiceOf(shown: readonly SampledQuestion[]): string {
  if (shown.length === 0) return "";
  const unchanged = shown.filter(isUnchanged).length;
  const which =
    unchanged === 0
      ? "the first of those whose score changed"
      : unchanged === shown.length
        ? "some whose score did not change, as none did"
        : "all whose score changed, and beside them some whose score did not";
  return ` Shown are ${which}, of different contexts and kinds where there are such.`;
}

function sampleHtml(sample: SampledQuestion, index: number): string {
  const { context, category, question, gold, before, after } = sample;
  const unchanged = isUnchanged(sample) ? " · score unchanged" : "";
  return [
    `<section class="sample" aria-labelledby="sample-${index}">`,
    `<h3 id="sample-${index}" dir="auto">${escapeHtml(question)}</h3>`,
    `<p class="quiet">${escapeHtml(`${context} · ${category}`)} · gold: <b>${escapeHtml(gold ?? "none")}</b>${unchanged}</p>`,
    `<div class="sides">${sideHtml(before, after)}${sideHtml(after, before)}</div>`,
    chunksHtml(after.building),
    "</section>",
  ].join("\n");
}

function sideHtml(side: SampledSide, other: SampledSide): string {
  const { update, value, answer } = side;
  const look = value === 1 ? "right" : value === 0 ? "wrong" : "partial";
  return [
    `<div class="side ${look}">`,
    `<h4>${update === 0 ? "Before training" : `After update ${update}`} <span class="badge ${look}">${look === "partial" ? percent(value) : look}</span></h4>`,
    `<ol class="steps-list">${answer.calls.map(callHtml).join("")}<li><pre>${clipped(answer.answer ?? endOf(answer))}</pre></li></ol>`,
    bankHtml(side, other),
    buildingHtml(side.building),
    "</div>",
  ].join("\n");
}

const endOf = ({ end, error }: SessionRecord) => (error ? `(failed: ${error.message})` : `(no answer: ${end})`);

function callHtml({ name, args, verdict, observation }: CallRecord): string {
  const written = args === null ? "(arguments that could not be read)" : JSON.stringify(args);
  return `<li><span class="tool">${escapeHtml(name)}</span> <span class="badge ${verdict}">${verdict}</span> <code>${clipped(written)}</code><pre>${clipped(observation)}</pre></li>`;
}

/** Entries that the other side does not have, word for word, stand out. */
function bankHtml({ memory, building }: SampledSide, other: SampledSide): string {
  if (building.length === 0) return "";
  const textOf = ({ title, content }: { title: string; content: string }) => `${title}\n${content}`;
  const theirs = new Set([...entriesOf(other.memory.bank)].map(textOf));
  const entries = [...entriesOf(memory.bank)];
  const items = entries.slice(0, mostEntries).map((entry) => {
    const only = !theirs.has(textOf(entry));
    return `<li${only ? ' class="only"' : ""}><b dir="auto">${clipped(entry.title)}</b> ${clipped(entry.content)}${only ? ' <span class="quiet">(only here)</span>' : ""}</li>`;
  });
  const left = entries.length - items.length;
  return [
    `<details open><summary>Memory: ${entries.length} ${entries.length === 1 ? "entry" : "entries"}</summary>`,
    `<p class="quiet">core: ${memory.core.trim() === "" ? "(empty)" : clipped(memory.core)}</p>`,
    `<ul class="bank-list">${items.join("")}</ul>`,
    left > 0 ? `<p class="note">${left} more entries are left out.</p>` : "",
    "</details>",
  ].join("");
}

function buildingHtml(building: readonly SessionRecord[]): string {
  if (building.length === 0) return "";
  const sessions = building.map(
    ({ position, calls }) =>
      `<li>chunk ${position + 1}<ol class="steps-list">${calls.map(callHtml).join("") || "<li>(no call)</li>"}</ol></li>`,
  );
  return `<details><summary>How it was built: ${building.length} sessions</summary><ol class="steps-list">${sessions.join("")}</ol></details>`;
}

/** What both read. */
function chunksHtml(building: readonly SessionRecord[]): string {
  if (building.length === 0) return "";
  const chunks = building.map(({ position, messages }) => {
    const prompt = messages.findLast(({ role }) => role === "user")?.text ?? "";
    return `<li>chunk ${position + 1}<pre class="prose">${clipped(readSection(prompt, "chunk") ?? prompt, 20_000)}</pre></li>`;
  });
  return `<details class="behind"><summary>What was read: ${building.length} chunks</summary><ol class="steps-list">${chunks.join("")}</ol></details>`;
}

const clipped = (text: string, most = longestText) =>
  escapeHtml(text.length <= most ? text : `${text.slice(0, most)} … (${text.length - most} characters more)`);
