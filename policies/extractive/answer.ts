/** Phase II of `extractive`: look up titles and the raw context, read the closest entries, answer from the best statement. */
import { readSection } from "../prompt-sections.ts";
import type { ScriptedReply, ScriptedTurn } from "../scripted-chat-model.ts";
import { answerSpan } from "./answer-span.ts";
import { contentWords } from "./content-words.ts";
import { gatherEvidence } from "./evidence.ts";
import { rankEvidence, type Supported } from "./rank-evidence.ts";
import { type ReadQuestion, readQuestion } from "./read-question.ts";

const FILTERS = 3;
const ENTRIES_READ = 6;
const SUB_CHUNKS = 8;
/** Below this share of the question's weight nothing is claimed. */
const LEAST_SUPPORT = 0.3;

export function answer(turn: ScriptedTurn): ScriptedReply {
  const question = readQuestion(readSection(turn.prompt, "question") ?? turn.prompt);
  const calls = nextLookUps(question, turn);
  return calls.length > 0 ? { calls } : { text: finalAnswer(question, turn) };
}

type Calls = { name: string; args: Record<string, unknown> }[];

function nextLookUps(question: ReadQuestion, turn: ScriptedTurn): Calls {
  const { tools, exchanges } = turn;
  if (exchanges.length === 0) return firstLookUps(question, tools);
  if (!tools.has("memory_key_retrieve") || exchanges.some(({ name }) => name === "memory_key_retrieve")) return [];
  const titles = titlesListed(turn);
  if (titles.length > 0)
    return closest(question.text, titles).map((title) => ({ name: "memory_key_retrieve", args: { title } }));
  const listedAll = exchanges.some(({ name, args }) => name === "memory_list" && args.filter === undefined);
  return listedAll || !tools.has("memory_list") ? [] : [{ name: "memory_list", args: {} }];
}

function firstLookUps(question: ReadQuestion, tools: ReadonlySet<string>): Calls {
  const calls: Calls = [];
  if (tools.has("memory_list"))
    for (const filter of filtersOf(question.text)) calls.push({ name: "memory_list", args: { filter } });
  for (const name of ["memory_bm25_retrieve", "memory_embedding_retrieve"])
    if (tools.has(name) && question.text.trim() !== "")
      calls.push({ name, args: { query: question.text, top_k: SUB_CHUNKS } });
  return calls.length > 0 || !tools.has("memory_list") ? calls : [{ name: "memory_list", args: {} }];
}

/** Title words are lower case; names of speakers stand in most titles, so they are asked for only when there is nothing else. */
function filtersOf(question: string): string[] {
  const words = question.match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  const telling = words.filter((word) => contentWords(word).length > 0);
  const plain = telling.filter((word) => !/^\p{Lu}/u.test(word)).map((word) => word.toLowerCase());
  const named = telling.filter((word) => /^\p{Lu}/u.test(word));
  const longestFirst = [...new Set(plain)]
    .sort((a, b) => b.length - a.length)
    .map((word) => word.slice(0, Math.max(4, word.length - 3)));
  return [...longestFirst, ...new Set(named)].slice(0, FILTERS);
}

function titlesListed({ exchanges }: ScriptedTurn): string[] {
  const titles = exchanges.flatMap(({ name, observation }) => {
    if (name !== "memory_list" || observation === null) return [];
    try {
      return (JSON.parse(observation) as { titles?: string[] }).titles ?? [];
    } catch {
      return []; // a refusal in words
    }
  });
  return [...new Set(titles)];
}

function closest(question: string, titles: readonly string[]): string[] {
  const asked = new Set(contentWords(question));
  return titles
    .map((title) => ({ title, shared: new Set(contentWords(title).filter((word) => asked.has(word))).size }))
    .sort((a, b) => b.shared - a.shared)
    .slice(0, ENTRIES_READ)
    .map(({ title }) => title);
}

function finalAnswer(question: ReadQuestion, turn: ScriptedTurn): string {
  const ranked = rankEvidence(question, gatherEvidence(turn));
  const best = ranked[0];
  const supported = best !== undefined && best.support >= LEAST_SUPPORT;
  if (question.kind === "choice") return choiceAnswer(question, ranked);
  if (!supported) return reply("Nothing that was read answers this.", "No information available", []);
  return reply(quote(best), answerSpan(question.text, question.kind, best.evidence), best.evidence.sources);
}

/** The option whose words are found beside the question's; "not mentioned" when neither is. */
function choiceAnswer(question: ReadQuestion, ranked: readonly Supported[]): string {
  const entries = Object.entries(question.options);
  const denial = entries.find(([, text]) => /\bnot mentioned\b|\bno information\b|\bnone of\b/i.test(text));
  const scored = entries
    .filter((entry) => entry !== denial)
    .map(([letter, text]) => {
      const words = contentWords(text);
      const support = (one: Supported) => {
        const said = new Set(contentWords(`${one.evidence.speaker ?? ""} ${one.evidence.text}`));
        const share = words.length === 0 ? 0 : words.filter((word) => said.has(word)).length / words.length;
        return share * one.support;
      };
      const best = ranked.reduce<{ one: Supported | null; support: number }>(
        (sofar, one) => (support(one) > sofar.support ? { one, support: support(one) } : sofar),
        { one: null, support: 0 },
      );
      return { letter, ...best };
    })
    .sort((a, b) => b.support - a.support);
  const chosen = scored[0];
  if (denial && (chosen === undefined || chosen.support < LEAST_SUPPORT))
    return reply("None of the options is said in what was read.", denial[0], []);
  const one = chosen?.one;
  return reply(one ? quote(one) : "No option is supported.", chosen?.letter ?? "", one?.evidence.sources ?? []);
}

function quote({ evidence }: Supported): string {
  const head = [
    evidence.date === null ? "" : `[${evidence.date}]`,
    evidence.speaker === null ? "" : `${evidence.speaker}:`,
  ];
  return `Best supported by: ${[...head, evidence.text].filter((part) => part !== "").join(" ")}`;
}

/** The fixed form: why, the answer in its box, where it stands. */
function reply(why: string, answered: string, sources: readonly string[]): string {
  const boxed = answered
    .replace(/[{}\\]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return `${why}\n\\boxed{${boxed}}\nSources: ${sources.length === 0 ? "none" : sources.join("; ")}`;
}
