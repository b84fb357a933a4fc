/** Services that `umagraph learner start` has begun on this machine: one small file each, so that stop and logs find them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

export const ServiceState = z.object({
  url: z.string(),
  pid: z.int(),
  model: z.string(),
  log: z.string(),
  started: z.string(),
  /** The folder of saved states and published weights. */
  checkpoints: z.string().optional(),
});
export type ServiceState = z.infer<typeof ServiceState>;

/** UMAGRAPH_LEARNER_STATE, or a folder in the user's state. */
export const stateFolder = () =>
  process.env.UMAGRAPH_LEARNER_STATE ||
  join(process.env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "umagraph", "learners");

const fileOf = (url: string) => join(stateFolder(), `${new URL(url).host.replace(/[^\w.-]/g, "_")}.json`);

export function rememberService(state: ServiceState): void {
  mkdirSync(stateFolder(), { recursive: true });
  writeFileSync(fileOf(state.url), `${JSON.stringify(state, null, 2)}\n`);
}

export const forgetService = ({ url }: ServiceState) => rmSync(fileOf(url), { force: true });

/** Those whose process is still there; what others left is cleared away. */
export function runningServices(): ServiceState[] {
  const folder = stateFolder();
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => {
      const path = join(folder, name);
      const parsed = ServiceState.safeParse(readJson(path));
      if (parsed.success && isRunning(parsed.data.pid)) return [parsed.data];
      rmSync(path, { force: true });
      return [];
    });
}

/** The one of this machine at an address, however it is written; undefined for an address of somebody else's. */
export const serviceAt = (url: string): ServiceState | undefined =>
  runningServices().find((state) => withoutSlash(state.url) === withoutSlash(url));

const withoutSlash = (url: string) => url.replace(/\/+$/, "").replace("//localhost:", "//127.0.0.1:");

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
