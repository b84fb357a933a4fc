/**
 * `learner doctor`: finds out what a server computes, by asking it to, and writes that down as a profile.
 *
 * Takes a few dozen calls on one short sequence. Every line says what was done, what was seen and what that means; a probe that
 * cannot be carried out is a line too.
 */
import { messageOf, UmaError } from "../../base/errors.ts";
import type { CreateModel, Lora } from "../client/create-model.ts";
import { createLearnerClient, type LearnerClientOptions } from "../client/learner-client.ts";
import { limitsFrom } from "../client/limits.ts";
import { createLink } from "../client/link.ts";
import { openSession } from "../client/session.ts";
import { EngineProfile } from "../engines/engine-profile.ts";
import { profileFrom } from "../engines/engine-profiles.ts";
import { losses, tensors } from "./acceptance-probes.ts";
import {
  type ArithmeticProbe,
  accumulation,
  type Finding,
  gradientClipping,
  reduction,
  signedWeights,
  steps,
} from "./arithmetic-probes.ts";
import { clip } from "./clip-probe.ts";
import { type ProbeLine, type ProbeName, probeNames } from "./probe-line.ts";
import { probeProtocol } from "./protocol-probes.ts";
import { createRawModel } from "./raw-model.ts";
import { logprobabilities, publish } from "./sampler-probes.ts";
import { prepareWorkbench, type Workbench } from "./workbench.ts";

export interface ExamineOptions extends LearnerClientOptions {
  /** Default: the first the server names. */
  readonly baseModel?: string;
  /** Default: a LoRA of rank 8, or all parameters where the engine knows nothing else. */
  readonly lora?: Lora;
  readonly full?: true;
  /** Each line as it is found. */
  readonly onLine?: (line: ProbeLine) => void;
}

export interface Examination {
  readonly lines: readonly ProbeLine[];
  /** The given profile with what was measured in place of what was assumed. */
  readonly profile: EngineProfile;
  /** Whether every line is. */
  readonly ok: boolean;
}

const arithmetic: Readonly<Partial<Record<ProbeName, ArithmeticProbe>>> = {
  losses,
  "log-probabilities": logprobabilities,
  steps,
  reduction,
  "signed weights": signedWeights,
  clip,
  accumulation,
  "gradient clipping": gradientClipping,
  tensors,
  publish,
};

/** Throws when no model can be made or sampled from; everything later is a line. */
export async function examine(options: ExamineOptions): Promise<Examination> {
  const given = profileFrom(options.profile ?? "embedded");
  const lines: ProbeLine[] = [];
  let measured: EngineProfile = given;
  const note = ({ line, profile }: Finding) => {
    lines.push(line);
    measured = { ...measured, ...profile };
    options.onLine?.(line);
  };
  // one after another, and in whichever dialect the server reads
  const client = await createLearnerClient({
    ...options,
    wire: options.wire ?? "auto",
    profile: { ...given, parallelChunks: false },
  });
  let bench: Workbench;
  let wanted: CreateModel;
  try {
    const baseModel = options.baseModel ?? (await client.capabilities()).supported_models[0]?.model_name;
    if (!baseModel) throw new UmaError("config", "the server names no base model", { fix: "name one (baseModel)" });
    wanted = wantedModel(baseModel, options, given);
    bench = await prepareWorkbench(client, wanted);
    for (const name of probeNames) {
      const probe = arithmetic[name];
      if (probe) note(await probe(bench, measured).catch((thrown: unknown) => impossible(name, thrown)));
    }
    await bench
      .model()
      .unload()
      .catch(() => {});
  } finally {
    await client.close();
  }
  for (const finding of await byHand(options, given, wanted, bench)) note(finding);
  lines.sort((a, b) => probeNames.indexOf(a.probe) - probeNames.indexOf(b.probe));
  return { lines, profile: EngineProfile.parse(measured), ok: lines.every(({ ok }) => ok) };
}

async function byHand(
  options: ExamineOptions,
  profile: EngineProfile,
  wanted: CreateModel,
  bench: Workbench,
): Promise<Finding[]> {
  const closing = new AbortController();
  const link = createLink({
    baseURL: options.baseURL,
    apiKey: options.apiKey ?? "tml-dummy",
    limits: limitsFrom(options.limits),
    signal: closing.signal,
    warn: options.onWarning ?? (() => {}),
  });
  const session = await openSession(link, { sdkVersion: "0.25.0", tags: ["doctor"] });
  try {
    const datum = bench.datum({ weights: bench.all(1) });
    const model = await createRawModel({ link, profile, sessionId: session.id, wanted, datum });
    return await probeProtocol(model, bench.rate);
  } catch (thrown) {
    return (["wire", "idempotency", "order"] as const).map((name) => impossible(name, thrown));
  } finally {
    await session.finish();
    closing.abort();
  }
}

function wantedModel(baseModel: string, { lora, full }: ExamineOptions, profile: EngineProfile): CreateModel {
  const allParameters = full ?? (lora === undefined && profile.fullFineTuning === "always");
  return allParameters ? { baseModel, full: true } : { baseModel, lora: lora ?? { rank: 8, seed: 1 } };
}

function impossible(probe: ProbeName, thrown: unknown): Finding {
  return {
    line: {
      probe,
      checked: "this could not be carried out",
      saw: messageOf(thrown),
      meaning: "not known: do not rely on it",
      ok: false,
    },
  };
}
