/** umagraph learner: the training service of this machine (start, status, stop, logs), and what any engine really does (doctor). */
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { closest } from "../../base/closest.ts";
import { UmaError } from "../../base/errors.ts";
import { defineCommand, type Invocation } from "../command.ts";
import { onInterrupt } from "../interrupt.ts";
import { learnerDoctor } from "../learner/learner-doctor.ts";
import { forgetService, isRunning, runningServices, type ServiceState } from "../learner/service-state.ts";
import { startService } from "../learner/start-service.ts";

const flags = z.object({
  model: z.string().optional().describe("start: a model folder in Hugging Face layout, or a hub id"),
  device: z.enum(["auto", "cpu", "cuda"]).default("auto").describe("start: where it computes"),
  full: z.boolean().default(false).describe("start: train all parameters, whatever rank a client asks for"),
  loraRank: z.coerce.number().int().min(1).optional().describe("start: rank for clients that ask for none"),
  host: z.string().default("127.0.0.1").describe("start: another than loopback needs --api-key-file"),
  port: z.coerce.number().int().min(0).max(65_535).default(8_700).describe("start: 0 takes a free one"),
  checkpoints: z.string().default("checkpoints").describe("start: folder of saved states and sampler weights"),
  apiKeyFile: z.string().optional().describe("start: clients must send the key in this file"),
  threads: z.coerce
    .number()
    .int()
    .min(1)
    .default(1)
    .describe("start: CPU threads; more than one is slower on a busy machine"),
  wait: z.coerce.number().positive().default(300).describe("start: seconds to wait for the first answer"),
  url: z.string().optional().describe("Which service (default: the only one that runs here)"),
  all: z.boolean().default(false).describe("stop: every service that runs here"),
  follow: z.boolean().default(false).describe("logs: go on printing what is added"),
  apiKey: z.string().optional().describe("doctor: key of the service (twin: TINKER_API_KEY)"),
  profile: z.string().optional().describe("doctor: the engine that it should be, e.g. embedded, tinker, skyrl-fsdp"),
  save: z.string().optional().describe("doctor: write the measured profile to this file"),
  wire: z.enum(["auto", "proto", "json"]).default("auto").describe("doctor: dialect"),
});
type Given = Invocation<z.infer<typeof flags>>;

export const command = defineCommand({
  name: "learner",
  summary: "the training service: start, status, stop, logs, doctor",
  usage: "start | status | stop | logs | doctor [flags]",
  details: [
    "The first start makes a Python environment (Python 3.11 or newer; uv if it is there, else venv and pip).",
    "UMAGRAPH_TORCH_INDEX: package index to take torch from, such as one of CPU-only wheels. UMAGRAPH_LEARNER_VENV: where",
    "the environment is kept. UMAGRAPH_PYTHON: a Python that has everything already.",
    "doctor sends a few probes to any Tinker-compatible service and says what they mean for training; exit code 1 when",
    "something would train wrongly.",
  ].join("\n"),
  flags,
  examples: [
    { run: "umagraph learner start --model ./my-model --device cpu", what: "the service, in the background" },
    { run: "umagraph learner status", what: "which ones run here" },
    { run: "umagraph learner doctor", what: "check the one that runs here" },
    {
      run: "umagraph learner doctor --url http://gpu-box:8700 --profile skyrl-fsdp --json",
      what: "check another engine",
    },
    { run: "umagraph learner logs --follow", what: "what it says" },
    { run: "umagraph learner stop", what: "let accepted work finish, then end it" },
  ],
  async run(given) {
    const [action, extra] = given.positionals;
    const act =
      action !== undefined && Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : undefined;
    if (!act || extra !== undefined) {
      const names = Object.keys(actions);
      const meant = action === undefined ? undefined : closest(action, names);
      throw new UmaError("config", `expected one action, got ${given.positionals.join(" ") || "none"}`, {
        fix: meant ? `did you mean umagraph learner ${meant}?` : `actions: ${names.join(", ")}`,
      });
    }
    return act(given);
  },
});

const actions = {
  async start({ flags, terminal }: Given) {
    const { model } = flags;
    if (model === undefined)
      throw new UmaError("config", "start: expected --model <folder or hub id>", {
        fix: "give a model folder in Hugging Face layout",
      });
    if (flags.full && flags.loraRank !== undefined)
      throw new UmaError("config", "--full trains all parameters and --lora-rank some: give one of them");
    if (/^[./~]|^[A-Za-z]:\\/.test(model) && !existsSync(model))
      throw new UmaError("config", `there is no folder ${model}`, {
        fix: "give a model folder in Hugging Face layout",
      });
    const interrupt = onInterrupt(terminal.note, { patient: false });
    try {
      const state = await startService({ ...flags, model, say: terminal.note, signal: interrupt.signal });
      terminal.print(`learner: ${state.url} (process ${state.pid}, model ${state.model})`);
      terminal.print(`log:     ${state.log}`);
      terminal.print(`check:   umagraph learner doctor --url ${state.url}`);
      terminal.result(state);
      return 0;
    } finally {
      interrupt.release();
    }
  },
  async status({ terminal }: Given) {
    const services = await Promise.all(
      runningServices().map(async (state) => ({ ...state, healthy: await answers(state.url) })),
    );
    if (services.length === 0)
      terminal.print("no learner runs here; start one with: umagraph learner start --model <folder>");
    for (const { url, pid, model, started, healthy } of services)
      terminal.print(`${url}  ${healthy ? "answers" : "does not answer"}  process ${pid}  ${model}  since ${started}`);
    terminal.result(services);
    return services.every(({ healthy }) => healthy) ? 0 : 1;
  },
  async stop({ flags, terminal }: Given) {
    const services = flags.all ? runningServices() : [oneService(flags.url)];
    for (const state of services) {
      process.kill(state.pid, "SIGTERM");
      terminal.note(`${state.url}: finishing what it has accepted`);
      while (isRunning(state.pid)) await sleep(100);
      forgetService(state);
      terminal.print(`stopped ${state.url}`);
    }
    terminal.result(services.map(({ url }) => url));
    return 0;
  },
  async logs({ flags, terminal }: Given) {
    const { log } = oneService(flags.url);
    if (!existsSync(log)) throw new UmaError("input", `${log} is not there any more`);
    terminal.print(readFileSync(log, "utf8").trimEnd());
    terminal.result({ log });
    if (!flags.follow) return 0;
    const interrupt = onInterrupt(terminal.note);
    try {
      for (let at = statSync(log).size; !interrupt.stopping(); await sleep(300)) {
        const { size } = statSync(log);
        for await (const piece of createReadStream(log, { start: at, end: Math.max(at, size) }))
          process.stdout.write(piece);
        at = size;
      }
      return 0;
    } finally {
      interrupt.release();
    }
  },
  doctor: async (given: Given) =>
    learnerDoctor(given.flags.url ?? oneService(undefined).url, given.flags, given.terminal),
};

function oneService(url: string | undefined): ServiceState {
  const services = runningServices();
  const [first, ...others] = url === undefined ? services : services.filter((state) => sameUrl(state.url, url));
  if (!first) {
    const known = services.map((state) => state.url).join(", ");
    throw new UmaError(
      "config",
      url === undefined ? "no learner runs here" : `no learner that was started here is at ${url}`,
      {
        fix: known === "" ? "start one with: umagraph learner start --model <folder>" : `running: ${known}`,
      },
    );
  }
  if (others.length > 0) {
    throw new UmaError("config", `${services.length} learners run here`, {
      fix: `say which with --url: ${services.map((state) => state.url).join(", ")}`,
    });
  }
  return first;
}

const sameUrl = (one: string, other: string) => one.replace(/\/+$/, "") === other.replace(/\/+$/, "");

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(new URL("/api/v1/healthz", url), { signal: AbortSignal.timeout(5_000) })).ok;
  } catch {
    return false;
  }
}
