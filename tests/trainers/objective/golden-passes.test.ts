/**
 * What the compiler ships for the golden cases, as tests/golden/objective-passes.json holds it for other languages to read.
 *
 *     UMAGRAPH_WRITE_GOLDEN=1 npx vitest run tests/trainers/objective/golden-passes.test.ts     writes the file again
 */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { compile } from "../../../trainers/objective/compile.ts";
import type { Datum } from "../../../trainers/objective/datum.ts";
import { judgeModes } from "../../../trainers/objective/modes.ts";
import { objectiveFrom } from "../../../trainers/objective/objectives.ts";
import type { Pass } from "../../../trainers/objective/passes.ts";
import { profiles } from "../../../trainers/objective/profiles.ts";
import type { TrainingSession } from "../../../trainers/objective/training-session.ts";
import { type ObjectiveCase, objectiveCases } from "./golden-cases.ts";

const file = new URL("../../golden/objective-passes.json", import.meta.url);

const about =
  "What the objective compiler ships for the cases of objective-cases.json to an engine that sums, in every mode that is exact there.";
const fields = {
  "cases.name": "of the case in objective-cases.json: its sessions, its objective",
  "cases.at":
    "current: the policy's log-probabilities are the case's. old: they are the old ones (old, else sampler) on trained tokens, " +
    "as on the first step of an update, where folded-kl is exact too",
  "cases.passes": "in order; a forward pass first where the gradient pass was made from what it returned",
  "cases.passes.datums":
    "one per part of the sessions that are shipped; modelInput int32, target_tokens int64 on the wire, all others float32, " +
    "one element per target; numbers with 9 digits, which give back every float32",
};

interface PlainPass {
  readonly op: string;
  readonly lossFn: string;
  readonly config: Readonly<Record<string, number>>;
  readonly datums: readonly PlainDatum[];
}
interface PlainDatum {
  readonly session: string;
  readonly part: number;
  readonly modelInput: readonly number[];
  readonly lossFnInputs: Readonly<Record<string, readonly number[]>>;
}

function compiled(): { name: string; at: string; mode: string; passes: PlainPass[] }[] {
  return objectiveCases.flatMap((given) => [...shipped(given, "current"), ...shipped(atOld(given), "old")]);
}

function shipped({ name, objective: plain, sessions, current }: ObjectiveCase, at: "current" | "old") {
  const objective = objectiveFrom(plain);
  return judgeModes(objective, profiles.embedded, at === "old")
    .filter(({ mode, fit }) => fit === "exact" && (at === "current" || mode === "folded-kl"))
    .map(({ mode }) => {
      const options = { mode, firstStep: at === "old" };
      const { passes } = compile(objective, sessions, profiles.embedded, options);
      return { name, at, mode, passes: passes.map((pass) => plainPass(pass, current)) };
    });
}

/** The same sessions before the first step: the learner has scored them, and the policy has not moved. */
function atOld(given: ObjectiveCase): ObjectiveCase {
  const sessions: TrainingSession[] = given.sessions.map((session) => ({
    ...session,
    parts: session.parts.map((part) => ({ ...part, old: part.old ?? part.sampler })),
  }));
  return { ...given, sessions };
}

function plainPass(pass: Pass, current: ObjectiveCase["current"]): PlainPass {
  const { op, lossFn, config } = pass;
  const scores = current.map((row) => Float32Array.from(row));
  const datums = op === "forward" ? pass.datums() : pass.datums(scores);
  return { op, lossFn, config, datums: [...datums].map(plainDatum) };
}

function plainDatum({ session, part, modelInput, lossFnInputs }: Datum): PlainDatum {
  const tensors = Object.entries(lossFnInputs).flatMap(([name, values]) =>
    values === undefined ? [] : [[name, Array.from(values, nineDigits)] as const],
  );
  return { session, part, modelInput: [...modelInput], lossFnInputs: Object.fromEntries(tensors) };
}

const nineDigits = (value: number) => Number(value.toPrecision(9));

it("is what the golden file says, in every exact mode", () => {
  const cases = compiled();
  if (process.env.UMAGRAPH_WRITE_GOLDEN) {
    const lines = cases.map(
      ({ passes, ...head }) =>
        ` ${JSON.stringify(head).slice(0, -1)}, "passes": [\n${passes.map((pass) => `   ${JSON.stringify(pass)}`).join(",\n")}\n ]}`,
    );
    const top = `{\n"about": ${JSON.stringify(about)},\n"fields": ${JSON.stringify(fields, null, 1)},\n"cases": [\n`;
    writeFileSync(file, `${top}${lines.join(",\n")}\n]}\n`);
  }
  const golden = JSON.parse(readFileSync(file, "utf8"));
  expect({ about: golden.about, fields: golden.fields }).toEqual({ about, fields });
  const names = (made: typeof cases) => made.map(({ name, at, mode }) => `${name}, ${at}, ${mode}`);
  expect(names(golden.cases)).toEqual(names(cases));
  // the last bit of an exponential differs between machines
  cases.forEach((made, i) => {
    expect(golden.cases[i].passes, names(cases)[i]).toEqual(rounded(made.passes));
  });
});

function rounded(value: unknown): unknown {
  if (typeof value === "number")
    return expect.closeTo(value, 6 - Math.ceil(Math.log10(Math.max(Math.abs(value), 1e-30))));
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, rounded(entry)]));
}

it("covers every mode, and folds every kind of KL term on a first step", () => {
  const cases = compiled();
  expect(new Set(cases.map(({ mode }) => mode))).toEqual(
    new Set(["ppo", "cispo", "cross-entropy", "kl-extension", "folded-kl", "forward-weights"]),
  );
  const folded = cases.filter(({ mode }) => mode === "folded-kl").map(({ name }) => name);
  for (const kind of ["k1", "k2", "k3", "rho-k3"]) expect(folded).toContain(`Eqs. 7-9 with ${kind}`);
});
