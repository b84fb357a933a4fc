/** One Ctrl-C while the learner is on its way: nobody waits for it any more. A Python that never gets ready stands for it. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { isRunning } from "../../../cli/learner/service-state.ts";
import { startCli, temporaryFolder } from "../run-cli.ts";
import { begunRun, smallRecipe } from "./begun-run.ts";

const cwd = temporaryFolder();

/** Writes its process id into `<name>.pid`, and sleeps. */
function slowPython(name: string): string {
  const path = join(cwd, name);
  writeFileSync(path, `#!/bin/sh\n[ "$1" = -c ] && exit 0\necho $$ > ${path}.pid\nexec /bin/sleep 600\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Stops the command once as soon as this Python runs. */
async function stopped(python: string, words: readonly string[], env: Record<string, string>, signal: NodeJS.Signals) {
  const { child, done } = startCli(words, { cwd, env: { UMAGRAPH_LEARNER_STATE: join(cwd, "state"), ...env } });
  const pid = () => (existsSync(`${python}.pid`) ? Number(readFileSync(`${python}.pid`, "utf8")) : 0);
  while (pid() === 0) await sleep(20);
  child.kill(signal);
  const ended = await done;
  while (isRunning(pid())) await sleep(20);
  return ended;
}

describe("a stop while the learner starts", () => {
  it("gives a new run up at once, and says that nothing was begun", async () => {
    const python = slowPython("loads");
    const words = ["train", smallRecipe(cwd), "--out", "new"];
    const { code, stderr } = await stopped(python, words, { UMAGRAPH_PYTHON: python }, "SIGINT");
    expect({ code, stderr }).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/stopped while the learner was starting[\s\S]*nothing was begun/),
    });
    expect(existsSync(join(cwd, "new", "training.json"))).toBe(false);
  }, 200_000);

  it("leaves a run that was begun as it was, and says how to go on", async () => {
    await begunRun(cwd, "begun");
    const python = slowPython("loads-again");
    const words = ["train", "--resume", "begun"];
    expect(await stopped(python, words, { UMAGRAPH_PYTHON: python }, "SIGTERM")).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/go on with: umagraph train --resume begun/),
    });
  }, 200_000);

  it("does not wait for its Python environment either", async () => {
    const python = slowPython("installs");
    // without uv on the path it is this Python that makes the environment
    const env = { UMAGRAPH_BASE_PYTHON: python, UMAGRAPH_LEARNER_VENV: join(cwd, "venv"), PATH: "/nowhere" };
    const words = ["learner", "start", "--model", "some/model"];
    expect(await stopped(python, words, env, "SIGINT")).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/stopped while the learner was starting/),
    });
  }, 200_000);
});
