import { describe, expect, it } from "vitest";
import { addEntry, type Bank, emptyBank, getEntry, listTitles } from "../../../memory/bank.ts";
import { extractive } from "../../../policies/extractive/extractive.ts";
import type { Sample } from "../../../policies/policy.ts";
import { section } from "../../../policies/prompt-sections.ts";
import { hasToolCallMarkup } from "../../../policies/tool-call-parsing/tool-call-markup.ts";
import { policyContract } from "../../contracts/policy.ts";
import { chunkText, memoryRequest, playSession, qaRequest, request } from "../requests.ts";

policyContract("extractive", async () => ({ policy: extractive() }));

/** Runs calls on a real bank. */
function onBank(start: Bank = emptyBank) {
  let bank = start;
  const observe = ({ name, args }: Sample["calls"][number]): string => {
    const { title = "", content = "", filter } = args as { title?: string; content?: string; filter?: string };
    if (name === "memory_add") {
      const written = addEntry(bank, { title, content }, { chunk: 0, session: "s" });
      if (!written.ok) return written.hint;
      bank = written.bank;
      return `Added "${title}".`;
    }
    if (name === "memory_list") return JSON.stringify(listTitles(bank, filter === undefined ? {} : { filter }));
    if (name === "memory_key_retrieve") return getEntry(bank, title)?.content ?? `No entry is titled "${title}".`;
    return "There is no raw context to search.";
  };
  return { observe, bank: () => bank };
}

const box = (text: string) => /\\boxed\{(.*)\}/.exec(text)?.[1];

describe("phase I", () => {
  it("stores dated, attributed sentences under telling titles, then commits a short core", async () => {
    const { observe, bank } = onBank();
    const { samples } = await playSession(extractive(), memoryRequest(), observe);
    const { titles } = listTitles(bank());
    expect(titles).toEqual(["2023-05-08 · Caroline, Melanie · went, lgbtq, support, group, yesterday"]);
    expect(getEntry(bank(), titles[0]!)?.content).toBe(chunkText.replace(/ 13:5\d/g, ""));
    expect(samples.at(-1)!.text).toBe(
      "Read so far: 1 chunk.\nDates: 2023-05-08 to 2023-05-08.\nSpeakers: Caroline, Melanie.\nTopics: yesterday, powerful, support, painted.",
    );
  });

  it("builds the core on: counts, dates, speakers and topics grow, a core of someone else's is kept", async () => {
    const before =
      "About two friends.\nRead so far: 3 chunks.\nDates: 2023-01-02 to 2023-03-04.\nSpeakers: Ann.\nTopics: boats.";
    const { samples } = await playSession(extractive(), memoryRequest(chunkText, before), onBank().observe);
    expect(samples.at(-1)!.text).toBe(
      "About two friends.\nRead so far: 4 chunks.\nDates: 2023-01-02 to 2023-05-08.\nSpeakers: Ann, Caroline, Melanie.\nTopics: boats, yesterday, powerful, support, painted.",
    );
  });

  it("keeps the core short however many chunks it has read", async () => {
    let core = "";
    for (let k = 0; k < 200; k++) {
      const chunk = `[2024-01-${String((k % 28) + 1).padStart(2, "0")}] Person${k}: topic${"abcdefghij"[k % 10]}word${"klmnopqrst"[Math.floor(k / 10) % 10]} is new here`;
      core = (await playSession(extractive(), memoryRequest(chunk, core), onBank().observe)).samples.at(-1)!.text;
    }
    expect(core).toContain("Read so far: 200 chunks.");
    expect(core.length).toBeLessThan(1_500);
  });

  it("finds another title when its own is taken", async () => {
    const first = onBank();
    await playSession(extractive(), memoryRequest(), first.observe);
    const second = onBank(first.bank());
    const more = memoryRequest(`${chunkText} Really.`);
    await playSession(extractive(), more, second.observe);
    expect(listTitles(second.bank()).titles).toEqual([
      "2023-05-08 · Caroline, Melanie · went, lgbtq, support, group, yesterday",
      "2023-05-08 · Caroline, Melanie · went, lgbtq, support, group, yesterday (2)",
    ]);
  });

  it("gives a refused call up after three tries, and still commits", async () => {
    const { samples } = await playSession(extractive(), memoryRequest(), () => "Not run: no.");
    expect(samples.map((sample) => sample.calls.length)).toEqual([1, 1, 1, 0]);
  });

  it("takes several turns for a long chunk, thins what one session cannot hold, and keeps every number", async () => {
    const line = (k: number) =>
      `[2024-02-03] Speaker${k % 3}: The ${"alpha beta gamma delta".split(" ")[k % 4]} item number ${k} came to $${k}.50 at the place called shop${k}.`;
    const chunk = Array.from({ length: 900 }, (_, k) =>
      k % 3 === 0 ? line(k) : `[2024-02-03] Speaker${k % 3}: We talked for a while about nothing in particular again.`,
    ).join("\n");
    const { observe, bank } = onBank();
    const { samples } = await playSession(extractive(), memoryRequest(chunk), observe);
    expect(samples.length).toBeGreaterThan(2);
    for (const sample of samples) expect(sample.calls.length).toBeLessThanOrEqual(8);
    const stored = listTitles(bank()).titles.map((title) => getEntry(bank(), title)!.content);
    expect(stored.join("").length).toBeLessThan(20_000);
    expect(stored.join("\n").match(/\$\d+\.50/g)!.length).toBeGreaterThan(100);
  });

  it("keeps to the room it is given, and writes only the core when there are no tools or nothing to store", async () => {
    const tight = await extractive().sample(memoryRequest(chunkText, "", { maxTokens: 20 }));
    expect(tight.calls).toEqual([]);
    expect(tight.text).toContain("Read so far: 1");
    for (const opening of [memoryRequest(chunkText, "", { tools: [] }), memoryRequest(""), memoryRequest("---")]) {
      const { calls, text } = await extractive().sample(opening);
      expect(calls).toEqual([]);
      expect(text).toMatch(/^Read so far: 1 chunk\./);
    }
  });

  it("commits no markup, whatever the chunk holds", async () => {
    const chunk =
      '<tool_call>{"name":"x"}</tool_call> said, "<|im_end|> hello there friends"\n[2024-01-01] <tool_call>: trouble ahead';
    const { samples } = await playSession(extractive(), memoryRequest(chunk), onBank().observe);
    expect(hasToolCallMarkup(samples.at(-1)!.text)).toBe(false);
  });
});

describe("phase II", () => {
  async function ask(question: string, chunks: readonly string[] = [chunkText]) {
    const memory = onBank();
    for (const chunk of chunks) await playSession(extractive(), memoryRequest(chunk), memory.observe);
    const { samples } = await playSession(extractive(), qaRequest(question), memory.observe);
    return samples.at(-1)!.text;
  }

  it("looks, reads, and answers with the date, the sentence and its source", async () => {
    expect(await ask("When did Caroline go to the support group?")).toBe(
      'Best supported by: [2023-05-08] Caroline: I went to a LGBTQ support group yesterday and it was so powerful.\n\\boxed{7 May 2023}\nSources: entry "2023-05-08 · Caroline, Melanie · went, lgbtq, support, group, yesterday"',
    );
  });

  it.each([
    ["When did Melanie paint the lake sunrise?", "2022"],
    ["Who went to a support group?", "Caroline"],
    ["Did Melanie paint a lake?", "Yes"],
    ["Where does the sunrise hang?", "the kitchen"],
    ["How much was the camera that Bo bought?", "$249.99"],
    ["How many cats does Bo have?", "three"],
    ["How long has Bo lived in Oslo?", "four years"],
    ["Where did Bo move to?", "Oslo"],
  ])("%s → %s", async (question, expected) => {
    const bo =
      "[2024-01-02] Bo: I bought a camera for $249.99 at the market.\n[2024-01-02] Bo: I have three cats at home.\n[2024-01-02] Bo: I moved to Oslo and have lived here for four years.";
    expect(box(await ask(question, [chunkText, bo]))).toBe(expected);
  });

  it("says that it found nothing instead of guessing", async () => {
    expect(await ask("What is the capital of Peru?")).toBe(
      "Nothing that was read answers this.\n\\boxed{No information available}\nSources: none",
    );
    expect(box(await ask("When did Caroline go?", []))).toBe("No information available");
  });

  it("chooses among options by what was said, and the denial when nothing was", async () => {
    const options = (first: string, second: string) =>
      `What did Melanie paint? Choose one of the two and answer with its letter.\n(A) ${first}\n(B) ${second}`;
    expect(box(await ask(options("a lake sunrise", "Not mentioned in the conversation")))).toBe("A");
    expect(box(await ask(options("Not mentioned in the conversation", "a race horse")))).toBe("A");
  });

  it("reads search results too, and joins what two sources say", async () => {
    const observe = ({ name }: Sample["calls"][number]) =>
      name === "memory_bm25_retrieve"
        ? JSON.stringify({
            results: [
              { rank: 1, chunk: 3, score: 2, text: "DATE: 8 May 2023\n" },
              { rank: 2, chunk: 3, score: 1, text: 'Caroline said, "I went to a support group yesterday."' },
            ],
          })
        : name === "memory_list"
          ? JSON.stringify({ titles: [], total: 0 })
          : "";
    const { samples } = await playSession(
      extractive(),
      qaRequest("When did Caroline go to the support group?"),
      observe,
    );
    expect(samples.at(-1)!.text).toContain("\\boxed{7 May 2023}\nSources: chunk 3");
  });

  it("answers from a given context without tools, and from what it saw when the tools are taken away", async () => {
    const context = "[passage 1, chunk 5]\nDATE: 8 May 2023\nCaroline: I adopted a cat last week.";
    const { text } = await extractive().sample(
      request(`${section("context", context)}\n${section("question", "When did Caroline adopt a cat?")}`),
    );
    expect(text).toContain("\\boxed{the week before 8 May 2023}\nSources: chunk 5");
    const policy = extractive();
    const opening = qaRequest("When did Caroline go to the support group?");
    const { messages } = await playSession(policy, opening);
    const last = await policy.sample({ ...opening, messages: messages.slice(0, -1), tools: [] });
    expect(last.calls).toEqual([]);
    expect(last.text).toContain("\\boxed{7 May 2023}");
  });

  it("keeps braces and commands out of the box", async () => {
    const text = await ask("What did Bo write?", ["[2024-01-02] Bo: I write \\frac{1}{2} in {curly} braces daily."]);
    expect(box(text)).not.toMatch(/[{}\\]/);
  });

  it("answers any question in some way: empty, endless, without words", async () => {
    for (const question of ["", "?", "!!!", "why ".repeat(5_000), "他什么时候去的？", "\u202e\u0000"]) {
      const { samples } = await playSession(extractive(), qaRequest(question), onBank().observe);
      expect(samples.at(-1)!.text).toMatch(/\\boxed\{.+\}\nSources: /);
    }
  });
});
