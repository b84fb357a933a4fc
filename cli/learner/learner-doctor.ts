/** umagraph learner doctor: what an engine really does, one line per probe, and the profile that follows from it. */
import { writeFileSync } from "node:fs";
import { exitCodes } from "../../base/errors.ts";
import { refuseSilence } from "../../learner/client/refuse-silence.ts";
import { examine } from "../../learner/doctor/examine.ts";
import type { ProbeLine } from "../../learner/doctor/probe-line.ts";
import { profileFrom } from "../../learner/engines/engine-profiles.ts";
import { onInterrupt } from "../interrupt.ts";
import type { Terminal } from "../terminal.ts";

export interface DoctorFlags {
  readonly apiKey?: string | undefined;
  readonly profile?: string | undefined;
  readonly wire: "auto" | "proto" | "json";
  /** Where to write the profile that was measured. */
  readonly save?: string | undefined;
}

/** 0 when training on this engine is exact, 1 when a line says that it would not be. */
export async function learnerDoctor(url: string, flags: DoctorFlags, terminal: Terminal): Promise<number> {
  const interrupt = onInterrupt(terminal.note);
  try {
    await refuseSilence(url);
    const { lines, profile, ok } = await examine({
      baseURL: url,
      ...(flags.wire !== "auto" && { wire: flags.wire }),
      ...(flags.apiKey !== undefined && { apiKey: flags.apiKey }),
      ...(flags.profile !== undefined && { profile: profileFrom(flags.profile) }),
      signal: interrupt.signal,
      onLine: (line) => terminal.print(lineText(line)),
    });
    const bad = lines.filter((line) => !line.ok);
    terminal.print(
      ok
        ? `\n${url}: ${lines.length} probes, all as exact training needs them`
        : `\n${url}: ${bad.length} of ${lines.length} probes say that training would differ: ${bad.map(({ probe }) => probe).join(", ")}`,
    );
    if (flags.save !== undefined) {
      writeFileSync(flags.save, `${JSON.stringify(profile, null, 2)}\n`);
      terminal.print(`profile: ${flags.save}`);
    }
    terminal.result({ url, ok, lines, profile });
    return ok ? exitCodes.ok : exitCodes.failure;
  } finally {
    interrupt.release();
  }
}

const lineText = ({ ok, probe, checked, saw, meaning }: ProbeLine) =>
  `${ok ? "ok" : "NO"}  ${probe}: ${checked}; saw ${saw}${meaning === "" ? "" : ` — ${meaning}`}`;
