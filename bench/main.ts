/** `npm run bench -- <name> [--json] [flags]`: measurements as ratios within one run; never a test. */
import { exitCodes, UmaError } from "../base/errors.ts";
import { benches, benchHelp } from "./benches.ts";

export interface BenchOptions {
  readonly json: boolean;
  /** Every other flag, as given. */
  readonly [flag: string]: string | number | boolean | number[] | undefined;
}

/** The exit code. Minutes of measuring begin only with arguments that are all understood. */
export async function main([name, ...args]: readonly string[]): Promise<number> {
  try {
    if (name === undefined || isHelp(name)) return say(benchHelp());
    if (!Object.hasOwn(benches, name))
      throw new UmaError("config", `there is no bench ${JSON.stringify(name)}`, {
        fix: `benches: ${Object.keys(benches).join(", ")}`,
      });
    if (args.some(isHelp)) return say(benchHelp([name]));
    const options = readOptions(name, args);
    await (await benches[name]!.load()).run({ ...options, json: options.json === true });
    return exitCodes.ok;
  } catch (thrown) {
    if (!(thrown instanceof UmaError)) throw thrown;
    console.error(`bench: ${thrown.message}${thrown.fix ? `\n  ${thrown.fix}` : ""}`);
    return exitCodes[thrown.code];
  }
}

const isHelp = (arg: string) => arg === "--help" || arg === "-h";

function say(text: string): number {
  console.log(text);
  return exitCodes.ok;
}

function readOptions(name: string, args: readonly string[]): Record<string, BenchOptions[string]> {
  const { flags, inner = [] } = benches[name]!;
  const known = ["json", ...Object.keys(flags), ...inner];
  const options: Record<string, BenchOptions[string]> = {};
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    const equals = arg.indexOf("=");
    const flag = arg.slice(2, equals < 0 ? undefined : equals);
    if (!arg.startsWith("--") || !known.includes(flag))
      throw new UmaError("config", `the bench ${name} has no flag ${arg}`, {
        fix: `flags: ${["json", ...Object.keys(flags)].map((one) => `--${one}`).join(", ")}`,
      });
    const inline = equals < 0 ? undefined : arg.slice(equals + 1);
    const given = inline ?? (args[i + 1]?.startsWith("--") === false ? args[++i]! : "true");
    options[flag.replace(/-./g, (dash) => dash[1]!.toUpperCase())] = flagValue(flag, given);
  }
  return options;
}

function flagValue(flag: string, given: string): BenchOptions[string] {
  if (flag === "sizes" || flag === "horizons") return given.split(",").map(Number);
  if (given === "true") return true;
  return Number.isFinite(Number(given)) ? Number(given) : given;
}

if (process.argv[1] === import.meta.filename) {
  const code = await main(process.argv.slice(2));
  // a bench that cannot measure here has said so, and set its own
  process.exitCode ||= code;
}
