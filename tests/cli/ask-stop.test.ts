import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { extractiveServer } from "./extractive-server.ts";
import { json, runHere, temporaryFolder } from "./run-cli.ts";

const cwd = temporaryFolder();
const ask = (url: string, ...more: string[]) =>
  runHere(
    ["ask", "--memory", "m", "Who?", "--policy", "openai", "--model", "x", "--base-url", url, "--json", ...more],
    { cwd },
  );

test("one Ctrl-C ends a question at once, with exit code 130", async () => {
  writeFileSync(join(cwd, "a.txt"), "Ada lives in Lisbon.\n");
  await runHere(["memorize", "a.txt", "--memory", "m"], { cwd });
  const server = await extractiveServer(() => "hang");
  const asked = ask(server.url);
  while (server.requests() === 0) await sleep(5);
  process.emit("SIGINT");
  const ran = await asked;
  await server.close();
  expect(ran.code).toBe(130);
  expect(ran.stderr).toContain("stopping");
  expect(json(ran)).toMatchObject({ answer: null, problem: expect.stringContaining("cancelled") });
  expect(process.listenerCount("SIGINT")).toBe(0);
});

test("a question that no server answers ends with exit code 6 and the reason", async () => {
  const server = await extractiveServer();
  await server.close();
  const ran = await ask(server.url, "--retries", "0");
  expect(ran.code).toBe(6);
  expect(json(ran)).toMatchObject({ answer: null, problem: expect.stringContaining("nothing answers at") });
});
