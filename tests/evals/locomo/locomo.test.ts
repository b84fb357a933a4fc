import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { UmaError } from "../../../base/errors.ts";
import { validate } from "../../../evals/benchmark.ts";
import { type LocomoConfig, loadLocomo, locomo } from "../../../evals/benchmarks/locomo/locomo.ts";
import { turnIds } from "../../../evals/benchmarks/locomo/read-locomo.ts";

const tiny = fileURLToPath(new URL("../../fixtures/locomo/tiny.json", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "locomo-"));
afterAll(() => rmSync(folder, { recursive: true }));

const config = (options: object = {}): LocomoConfig => locomo.config.parse({ data: tiny, ...options });
const load = (options: object = {}) => loadLocomo(config(options));
const question = (id: string, options: object = {}) =>
  load(options)
    .contexts.flatMap((context) => context.questions)
    .find((candidate) => candidate.id === id)!;

function written(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The tiny file with one thing changed. */
function changed(name: string, edit: (conversations: TinyFile) => void): string {
  const conversations = JSON.parse(readFileSync(tiny, "utf8")) as TinyFile;
  edit(conversations);
  return written(name, JSON.stringify(conversations));
}
type TinyFile = { conversation: Record<string, unknown>; qa: Record<string, unknown>[] }[];

function failure(run: () => unknown): UmaError {
  try {
    run();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(UmaError);
    expect((thrown as UmaError).message).not.toContain("\n");
    return thrown as UmaError;
  }
  throw new Error("expected an error, but nothing was thrown");
}

describe("sessions become chunks", () => {
  test("one chunk per session that has turns, in numeric order, whatever dates stand beside them", () => {
    const [x, y] = load().contexts;
    expect(x!.chunks.map((chunk) => /DATE: (.*)/.exec(chunk)![1])).toEqual([
      "1:56 pm on 8 May, 2023",
      "7:30 pm on 1 June, 2023",
      "9:05 am on 3 March, 2024",
    ]);
    expect(y!.chunks).toHaveLength(1);
  });

  test("a chunk names the speakers and the date, and has one line per turn with what was shared", () => {
    expect(load().contexts[0]!.chunks[0]).toBe(
      [
        "Conversation between Ada and Björn",
        "",
        "DATE: 1:56 pm on 8 May, 2023",
        "CONVERSATION:",
        'Ada said, "Hi! I adopted a hedgehog called "Pin" last Monday 🦔"',
        'Björn said, "Lovely! [shows a picture of his three goats]" and shared a photo of three goats',
        "",
      ].join("\n"),
    );
  });

  test("every question is asked after the last session", () => {
    for (const context of load().contexts)
      for (const { position } of context.questions) expect(position).toBe(context.chunks.length - 1);
  });
});

describe("evidence", () => {
  test("each span is the line of the turn that it names", () => {
    const [context] = load().contexts;
    const spans = context!.questions.flatMap((asked) => asked.evidence ?? []);
    const texts = new Map(spans.map((span) => [span.id, context!.chunks[span.chunk]!.slice(span.start, span.end)]));
    expect(Object.fromEntries(texts)).toEqual({
      "D1:1": 'Ada said, "Hi! I adopted a hedgehog called "Pin" last Monday 🦔"',
      "D1:2": 'Björn said, "Lovely! [shows a picture of his three goats]" and shared a photo of three goats',
      "D2:1": 'Ada said, "I started a pottery class."',
      "D2:2": 'Björn said, "I play the cello in Uppsala."',
      "D10:1": 'Björn said, "I sold the blue kayak yesterday."',
      "D10:2": 'Ada said, "Already? I paddled it only in 2022!" and shared a photo of a kayak on a car roof',
    });
  });

  test.each([
    ["D8:6; D9:17", ["D8:6", "D9:17"]],
    ["D9:1 D4:4 D4:6", ["D9:1", "D4:4", "D4:6"]],
    ["D:11:26", ["D11:26"]],
    ["D30:05", ["D30:5"]],
    ["D", ["D"]],
    ["", [""]],
  ])("the string %j holds the ids %j", (evidence, ids) => {
    expect(turnIds(evidence)).toEqual(ids);
  });

  test("an id that names no turn is left out and counted, a repeated one counts once", () => {
    expect(question("conv-x:4").evidence!.map((span) => span.id)).toEqual(["D2:2"]);
    expect(load().unplacedEvidence).toEqual([
      { question: "conv-x:4", id: "D" },
      { question: "conv-x:4", id: "D2:9" },
    ]);
    expect(question("conv-x:3").evidence).toEqual([]);
  });
});

describe("questions", () => {
  test("categories carry the file's own numbers", () => {
    expect(load().contexts[0]!.questions.map((asked) => asked.category)).toEqual([
      "multi-hop",
      "temporal",
      "temporal",
      "open-domain",
      "single-hop",
      "single-hop",
      "adversarial",
      "adversarial",
    ]);
    const only = load({ categories: [2, 3] }).contexts[0]!.questions;
    expect(only.map((asked) => asked.id)).toEqual(["conv-x:1", "conv-x:2", "conv-x:3"]);
  });

  test("numbers given as answers become text", () => {
    expect([question("conv-x:2").answer, question("conv-x:5").answer]).toEqual(["2022", "3"]);
  });

  test("App. E.3: temporal questions ask for an approximate date, and only they, unless that is turned off", () => {
    expect(question("conv-x:1").text).toMatch(/^When did Ada adopt the hedgehog\? .*approximate date/);
    expect(question("conv-x:1", { temporalHint: false }).text).toBe("When did Ada adopt the hedgehog?");
    expect(question("conv-x:0").text).toBe("Which animals do Ada and Björn keep?");
  });

  test("limit takes the first conversations", () => {
    expect(load({ limit: 1 }).contexts.map((context) => context.id)).toEqual(["conv-x"]);
  });

  test("the same configuration gives the same contexts", () => {
    expect(load()).toEqual(load());
  });
});

describe("adversarial questions", () => {
  const metric = locomo.metrics.find((candidate) => candidate.name === locomo.headline)!;

  test("App. E.3: are a choice between the distractor and not mentioned, with a letter for gold", () => {
    const asked = question("conv-x:6");
    const options = { A: /\n\(A\) (.*)/.exec(asked.text)![1]!, B: /\n\(B\) (.*)/.exec(asked.text)![1]! };
    expect(Object.values(options).sort()).toEqual(["Not mentioned in the conversation", "Pin"]);
    expect(options[asked.answer as "A" | "B"]).toBe("Not mentioned in the conversation");
    expect(asked.adversarialAnswer).toBe("Pin");
  });

  test("a row with an answer of its own offers that one", () => {
    const asked = question("conv-x:7");
    expect(asked.text).toContain(`(${asked.answer}) No`);
    expect(asked.text).not.toContain("Not mentioned");
  });

  test("the seed draws which option is first", () => {
    const golds = Array.from({ length: 40 }, (_, seed) => question("conv-x:6", { seed }).answer);
    expect(new Set(golds)).toEqual(new Set(["A", "B"]));
    expect(golds.filter((gold) => gold === "A").length).toBeGreaterThan(8);
    expect(golds.filter((gold) => gold === "A").length).toBeLessThan(32);
  });

  test("score by the option that was chosen, however it is named", () => {
    const asked = question("conv-x:6");
    const right = asked.answer!;
    const wrong = right === "A" ? "B" : "A";
    const scored = (prediction: string) => metric.score(prediction, asked);
    for (const prediction of [
      right,
      `(${right})`,
      `\\boxed{${right.toLowerCase()}}`,
      `${right}) Not mentioned in the conversation`,
      "Not mentioned in the conversation.",
      "It is not mentioned.",
      `The right option is (${right}).`,
    ])
      expect([prediction, scored(prediction)]).toEqual([prediction, 1]);
    for (const prediction of [wrong, "Pin", `(${wrong}) Pin`, "", "A hedgehog has a name", "a b", "(A) or (B)"])
      expect([prediction, scored(prediction)]).toEqual([prediction, 0]);
  });

  test("score 1 or 0 by every metric, since an article is no letter", () => {
    const asked = question("conv-x:6");
    for (const { score } of locomo.metrics) {
      expect(score("a photo of a hedgehog and b", asked)).toBe(0);
      expect(score(asked.answer!, asked)).toBe(1);
    }
  });

  test("as-is leaves the question alone, and unscored where the data set has no gold", () => {
    const bare = question("conv-x:6", { adversarial: "as-is" });
    expect(bare).toMatchObject({ text: "What is Björn's hedgehog called?", answer: null, adversarialAnswer: "Pin" });
    for (const { score } of locomo.metrics) expect(score("Pin", bare)).toBeNull();
    expect(question("conv-x:7", { adversarial: "as-is" }).answer).toBe("No");
  });

  test("an answer that is the letter A in another category is scored as text", () => {
    const asked = { id: "q", text: "Which vitamin?", answer: "A", position: 0, category: "single-hop" };
    expect(metric.score("vitamin A", asked)).toBeCloseTo(2 / 3, 12);
  });
});

describe("bad golds", () => {
  const list = (content: unknown) => written("bad.json", JSON.stringify(content));

  test("a listed question is left out with its reason, and kept when nothing is said", () => {
    const badGoldFile = list([{ id: "conv-x:0", reason: "the goats are not his" }]);
    const dropped = load({ badGold: "drop", badGoldFile });
    expect(dropped.leftOut).toEqual([{ id: "conv-x:0", reason: "the goats are not his" }]);
    expect(dropped.contexts[0]!.questions.map((asked) => asked.id)).not.toContain("conv-x:0");
    expect(dropped.contexts[0]!.questions).toHaveLength(7);
    expect(load().contexts[0]!.questions).toHaveLength(8);
  });

  test("an entry with a hash spares a row whose question is another", () => {
    const badGoldFile = list([{ id: "conv-x:0", reason: "changed copy", questionHash: "0000000000000000" }]);
    expect(load({ badGold: "drop", badGoldFile }).leftOut).toEqual([]);
  });

  test("the bundled list spares other data than it was made for", () => {
    expect(load({ badGold: "drop" }).leftOut).toEqual([]);
  });

  test("a list that cannot be meant is refused", () => {
    const unknown = list([{ id: "conv-z:0", reason: "?" }]);
    expect(failure(() => load({ badGold: "drop", badGoldFile: unknown })).message).toContain("conv-z:0");
    expect(failure(() => load({ badGoldFile: unknown })).code).toBe("config");
    expect(failure(() => load({ badGold: "drop", badGoldFile: list({ a: 1 }) })).message).toContain("expected array");
    expect(failure(() => load({ badGold: "drop", badGoldFile: list([{ id: "conv-x" }]) })).message).toContain("0.id");
    expect(failure(() => load({ badGold: "drop", badGoldFile: "/nowhere.json" })).code).toBe("input");
  });
});

describe("bad files give one line that says what is wrong", () => {
  test.each([
    ["a file that is not there", () => join(folder, "nowhere.json"), /ENOENT.*nowhere\.json/],
    ["a folder", () => folder, /EISDIR/],
    ["no JSON", () => written("text.json", "<html>\n</html>"), /not in LoCoMo's format.*JSON/],
    ["an empty file", () => written("empty.json", ""), /not in LoCoMo's format/],
    ["another JSON file", () => written("other.json", '{"data": []}'), /at the top: .*expected array/],
    [
      "a category that does not exist",
      () => changed("cat.json", ([x]) => (x!.qa[0]!.category = 6)),
      /0\.qa\.0\.category/,
    ],
    ["an answer of no known type", () => changed("answer.json", ([x]) => (x!.qa[0]!.answer = {})), /0\.qa\.0\.answer/],
    [
      "a session without a date",
      () => changed("date.json", ([x]) => delete x!.conversation.session_2_date_time),
      /conv-x session_2 has no date/,
    ],
    [
      "a session that is no list",
      () => changed("list.json", ([x]) => (x!.conversation.session_2 = "hello")),
      /conv-x session_2/,
    ],
    [
      "a turn without a speaker",
      () => changed("turn.json", ([x]) => (x!.conversation.session_2 = [{ text: "", dia_id: "D2:1" }])),
      /session_2\.0\.speaker/,
    ],
    [
      "no sessions",
      () => changed("none.json", (all) => delete all[1]!.conversation.session_1),
      /conv-y has no session/,
    ],
  ])("%s", (_what, path, message) => {
    const error = failure(() => load({ data: path() }));
    expect(error.message).toMatch(message);
    expect([error.code, typeof error.fix]).toEqual(["input", "string"]);
  });

  test("a configuration is checked before anything is read", () => {
    expect(() => locomo.config.parse({})).toThrow();
    expect(() => config({ categories: [] })).toThrow();
    expect(() => config({ categories: [0] })).toThrow();
    expect(() => config({ limit: 0 })).toThrow();
    expect(() => config({ catgories: [1] })).toThrow();
  });
});

test("gold answers score 1", async () => {
  expect(await validate(locomo, config())).toEqual([]);
  expect(await validate(locomo, config({ adversarial: "as-is", temporalHint: false }))).toEqual([]);
});
