/** Our own training service on a model folder, which can be killed and started again at the same address; and a proxy that breaks its answers. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { servicePython } from "../../support/learner-service.ts";

const service = resolve(import.meta.dirname, "..", "..", "..", "learner", "service");

export interface RealLearner {
  readonly url: string;
  readonly checkpoints: string;
  /** As by kill -9. */
  die(): Promise<void>;
  /** At the address it had. */
  start(): Promise<void>;
}

export async function realLearner(model: string, folder: string): Promise<RealLearner> {
  const checkpoints = join(folder, "checkpoints");
  let port = 0;
  let child = await started();
  const { url } = JSON.parse(readFileSync(join(folder, "ready.json"), "utf8")) as { url: string };
  port = Number(new URL(url).port);

  async function started() {
    const ready = join(folder, "ready.json");
    rmSync(ready, { force: true });
    const args = ["--model", model, "--name", "policy", "--device", "cpu", "--full", "--threads", "1"];
    const places = ["--port", String(port), "--ready-file", ready, "--checkpoints", checkpoints];
    const made = spawn(
      servicePython!,
      ["-m", "umagraph_learner", ...args, ...places, "--parent", String(process.pid)],
      {
        cwd: service,
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    let log = "";
    made.stderr.on("data", (piece: Buffer) => {
      log = (log + piece).slice(-5_000);
    });
    while (!existsSync(ready) || !readFileSync(ready, "utf8").trimEnd().endsWith("}")) {
      if (made.exitCode !== null) throw new Error(`the service ended with ${made.exitCode}: ${log}`);
      await wait(50);
    }
    return made;
  }
  return {
    url,
    checkpoints,
    async die() {
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      child.kill("SIGKILL");
      await ended;
    },
    async start() {
      child = await started();
    },
  };
}

/** Null: the request goes on to the learner. `result` replaces the result of a call. */
export type Breakage = { readonly status: number; readonly body?: object } | null;

export interface BreakingProxy {
  readonly url: string;
  /** `route` without /api/v1/, `nth` counted per route from 1. */
  breaks(
    decide: (route: string, nth: number, headers: Readonly<Record<string, string>>) => Breakage | Promise<Breakage>,
  ): void;
  close(): Promise<void>;
}

export async function breakingProxy(target: string): Promise<BreakingProxy> {
  let decide: Parameters<BreakingProxy["breaks"]>[0] = () => null;
  let counts = new Map<string, number>();
  const server = createServer(async (request, response) => {
    try {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const route = request.url!.replace("/api/v1/", "");
      const nth = (counts.get(route) ?? 0) + 1;
      counts.set(route, nth);
      const headers = request.headers as Record<string, string>;
      const broken = await decide(route, nth, headers);
      if (broken) {
        response.writeHead(broken.status, { "content-type": "application/json" });
        response.end(JSON.stringify(broken.body ?? { detail: `broken: ${route}` }));
        return;
      }
      const { host: _host, connection: _connection, "content-length": _length, ...rest } = headers;
      const answer = await fetch(`${target}${request.url}`, {
        method: request.method!,
        headers: rest,
        ...(pieces.length > 0 && { body: Buffer.concat(pieces) }),
      });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" });
      response.end(Buffer.from(await answer.arrayBuffer()));
    } catch {
      // the learner is gone
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breaks(given) {
      decide = given;
      counts = new Map();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
