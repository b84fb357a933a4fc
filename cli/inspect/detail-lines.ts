/** One session for the terminal: how its reward comes about, turn by turn what it called, what became of bank and core. */
import { clipToWidth, printable } from "../../evals/reports/display-width.ts";
import { whole } from "../../evals/reports/format-number.ts";
import type { CallRecord } from "../../nodes/session/record.ts";
import { advantageText, reasonText, rewardText } from "../credit/credit-lines.ts";
import type { SessionNode } from "./run-tree.ts";
import type { BankChange, SessionDetail } from "./session-detail.ts";
import { sessionLine, verdictSign } from "./tree-lines.ts";

export interface DetailOptions {
  readonly width: number;
  /** Texts are cut after so many characters. */
  readonly cut: number;
  /** λ of the session's stage; null when the credit does not say. */
  readonly lambda: number | null;
}

export function detailLines(node: SessionNode, detail: SessionDetail, { width, cut, lambda }: DetailOptions): string[] {
  const say = (indent: number, name: string, text: string) => {
    const label = `${" ".repeat(indent)}${name === "" ? "" : `${name}  `}`;
    return clipToWidth(`${label}${shorten(text, cut)}`, Math.max(width, cut + label.length));
  };
  const { question, error, core, bank, bankMissing, trace, metrics } = detail;
  return [
    printable(detail.id),
    `  ${sessionLine(node)}`,
    `  ${rewardSum(node, lambda)}`,
    ...(node.A === null ? [] : [`  A = ${advantageText(node.A)} within ${printable(node.group ?? "")}`]),
    ...(node.reason === null ? [] : [`  no signal: ${node.reason} (${reasonText(node.reason)})`]),
    say(
      2,
      "",
      [
        `seed ${detail.seed}`,
        `attempt ${detail.attempt}`,
        `${detail.turns} turns`,
        originText(node, detail.parent),
        ...(detail.weights === null ? [] : [`weights ${detail.weights}`]),
        trace ? `token-exact: ${trace.parts} sequences, ${trace.breaks} broken prefixes` : "no tokens",
      ].join(" · "),
    ),
    ...(error ? [say(2, "failed", `in the ${error.boundary} (${error.code}): ${error.message}`)] : []),
    ...(question ? [say(2, "question", question.text ?? question.id)] : []),
    ...detail.calls.flatMap((call) => callLines(call, say)),
    ...(detail.given.length > 0 ? [`  given with the prompt: ${whole(detail.given.length)} passages`] : []),
    ...(question
      ? [
          say(2, "answer", detail.answer ?? "(none)"),
          say(2, "gold", question.gold ?? "(none)"),
          ...(metrics
            ? [
                `  scores  ${Object.entries(metrics)
                  .map(([name, value]) => `${printable(name)} ${rewardText(value)}`)
                  .join(" · ")}`,
              ]
            : ["  not scored"]),
        ]
      : []),
    ...(bank ? bankLines(bank, say) : []),
    ...(bankMissing === null ? [] : [`  bank: ${bankMissing}`]),
    ...(core ? coreLines(core, say) : []),
  ];
}

/** Logs of schema 1 do not say where a session started from. */
function originText({ stage, position }: SessionNode, parent: string | null): string {
  if (parent !== null) return `memory of ${parent}`;
  return stage === "memory" && position === 0 ? "from the empty memory" : "no memory session before it is recorded";
}

type Say = (indent: number, name: string, text: string) => string;

function rewardSum({ stage, R, r_tool, r_outcome, counted }: SessionNode, lambda: number | null): string {
  const outcome = stage === "qa" ? "r_outcome" : "mean outcome of the trajectory";
  if (R === null || lambda === null)
    return `R = ${rewardText(R)}: r_tool ${rewardText(r_tool)}, ${outcome} ${rewardText(r_outcome)}`;
  const tool = counted && counted.total > 0 ? `${counted.valid}/${counted.total}` : `${r_tool} (no counted call)`;
  return `R = ${lambda} · ${tool} + ${rewardText(r_outcome)} (${outcome}) = ${rewardText(R)}`;
}

function callLines({ turn, name, args, verdict, observation, writes, reads, tokens }: CallRecord, say: Say): string[] {
  const effects = [
    ...writes.map(({ op, entry, version }) => `${op} ${entry} v${version}`),
    ...(reads.length > 0 ? [`${whole(reads.length)} read`] : []),
    `${whole(tokens)} tokens`,
  ];
  return [
    say(2, `turn ${turn}`, `${name === "" ? "(unreadable)" : name}${verdictSign[verdict]} · ${effects.join(", ")}`),
    say(4, "args", args === null ? "(unreadable)" : JSON.stringify(args)),
    say(4, "→", observation),
  ];
}

function bankLines({ added, updated, deleted, entries }: BankChange, say: Say): string[] {
  return [
    `  bank: ${whole(entries.before)} → ${whole(entries.after)} entries${added.length + updated.length + deleted.length === 0 ? ", unchanged" : ""}`,
    ...added.flatMap(({ title, content }) => [say(4, "+", `[${title}] ${content}`)]),
    ...updated.flatMap(({ before, after }) => [
      say(4, "~", before.title === after.title ? `[${after.title}]` : `[${before.title}] → [${after.title}]`),
      ...(before.content === after.content ? [] : [say(6, "-", before.content), say(6, "+", after.content)]),
    ]),
    ...deleted.map(({ title, content }) => say(4, "−", `[${title}] ${content}`)),
  ];
}

function coreLines({ before, after, committed, kept }: NonNullable<SessionDetail["core"]>, say: Say): string[] {
  const shown = (text: string) => (text === "" ? "(empty)" : text);
  if (!committed) return [say(2, "core kept", `${kept ?? "no reason was recorded"}: ${shown(after)}`)];
  if (before === after) return [say(2, "core unchanged", shown(after))];
  return [say(2, "core before", shown(before)), say(2, "core after", shown(after))];
}

/** One line; what is cut says how much it was. */
function shorten(text: string, cut: number): string {
  const line = printable(text);
  if (line.length <= cut) return line;
  return `${line.slice(0, cut).replace(/[\uD800-\uDBFF]$/, "")}… (${whole(line.length - cut)} more characters)`;
}
