import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, it } from "vitest";
import { rng } from "../../../base/rng.ts";
import { openSqliteStore } from "../../../memory/store/sqlite-store.ts";
import { bytesOf, codec, key } from "./store-process.ts";

const folder = mkdtempSync(join(tmpdir(), "umagraph-processes-"));
chmodSync(folder, 0o755);
const script = join(import.meta.dirname, "store-process.ts");
const running = new Set<ChildProcessWithoutNullStreams>();
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const argumentsFor = (path: string, mode: string) => ["--import", "tsx", script, path, mode];

function start(path: string, mode: string) {
  const child = spawn(process.execPath, argumentsFor(path, mode));
  running.add(child);
  let failure = "";
  child.stderr.on("data", (text: Buffer) => {
    failure += text.toString();
  });
  const exited = once(child, "close").then(() => running.delete(child));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the process ended: ${failure}`);
    return value as string;
  };
  return { child, next, exited, failure: () => failure };
}

describe("two processes at one memory", () => {
  it("have one winner and one clear conflict each time they save the same version", async () => {
    const path = join(folder, "race.sqlite");
    const processes = [start(path, "race"), start(path, "race")];
    // both open, and make, the same new file at once
    for (const { next } of processes) expect(await next()).toBe("ready");
    const wins = [0, 0];
    for (let version = 0; version < 40; version++) {
      for (const { child } of processes) child.stdin.write(`${version}\n`);
      const results = await Promise.all(processes.map(({ next }) => next()));
      const winner = results.indexOf(`ok ${version + 1}`);
      expect(winner).toBeGreaterThanOrEqual(0);
      wins[winner]!++;
      expect(results[1 - winner]).toBe(
        version === 0
          ? 'conflict memory "memory" in ["shared"] exists already, at version 1; expected version 0 (none)'
          : `conflict memory "memory" in ["shared"] is at version ${version + 1}; expected version ${version}`,
      );
    }
    for (const { child, exited } of processes) {
      child.stdin.end();
      await exited;
      expect(child.exitCode).toBe(0);
    }
    const store = openSqliteStore(path);
    expect(store.history(key)).toHaveLength(40);
    expect(Buffer.from(bytesOf(39)).equals(store.load(key)!.bytes)).toBe(true);
    store.close();
  });

  it("lose no update when the loser loads and tries again", async () => {
    const path = join(folder, "count.sqlite");
    const processes = [start(path, "count"), start(path, "count"), start(path, "count")];
    for (const { exited, child, failure } of processes) {
      await exited;
      expect([child.exitCode, failure()]).toEqual([0, ""]);
    }
    const store = openSqliteStore(path);
    expect(Buffer.from(store.load(key)!.bytes).toString()).toBe("90");
    expect(store.history(key)).toHaveLength(90);
    store.close();
  });
});

describe("a process that is killed while it saves", () => {
  it("leaves the old version or the new one, whole, each time, and the next process goes on", async () => {
    const path = join(folder, "kill.sqlite");
    const random = rng("kill");
    let last = 0;
    for (let round = 0; round < 4; round++) {
      const { child, next, exited } = start(path, "forever");
      let said = Number(await next());
      expect(said).toBe(last + 1);
      setTimeout(() => child.kill("SIGKILL"), random.int(0, 60));
      for (;;) {
        const line = await next().catch(() => null);
        if (line === null) break;
        // a line may be torn by the kill
        if (Number(line) === said + 1) said++;
      }
      await exited;
      const store = openSqliteStore(path);
      const history = store.history(key);
      last = history.length;
      expect(last === said || last === said + 1).toBe(true);
      expect(history.map(({ version }) => version)).toEqual(Array.from({ length: last }, (_, at) => at + 1));
      for (const version of [last, last - 1, 1].filter((held) => held > 0)) {
        expect(Buffer.from(bytesOf(version - 1)).equals(store.load(key, { version })!.bytes)).toBe(true);
      }
      store.close();
    }
    const store = openSqliteStore(path);
    expect(store.save(key, { bytes: bytesOf(last), codec }, { expectedVersion: last })).toBe(last + 1);
    store.close();
  });
});

describe("a real medium that fails", () => {
  const mountPoint = join(folder, "small");
  mkdirSync(mountPoint);
  /** A private one-megabyte file system; not every system lets a user make one. */
  const onSmallDisk = (command: string[]) =>
    spawnSync("unshare", [
      "--map-root-user",
      "--mount",
      "sh",
      "-c",
      'mount -t tmpfs -o size=1m none "$0" && exec "$@"',
      mountPoint,
      ...command,
    ]);

  it.skipIf(onSmallDisk(["true"]).status !== 0)(
    "a disk that is full: a clear error, and every version that was saved is whole (skips where no disk can be mounted)",
    () => {
      const { stdout, stderr, status } = onSmallDisk([
        process.execPath,
        ...argumentsFor(join(mountPoint, "full.sqlite"), "untilFull"),
      ]);
      expect([status, stderr.toString()]).toEqual([0, ""]);
      const { saved, error, versions } = JSON.parse(stdout.toString()) as {
        saved: number;
        error: string;
        versions: boolean[];
      };
      expect(error).toMatch(/^store memory store .*full\.sqlite: (there is no space left|the disk failed)/);
      expect(saved).toBeGreaterThan(0);
      expect(versions).toEqual(Array.from({ length: saved }, () => true));
    },
  );

  const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const asUser = (command: string[]) => spawnSync(process.execPath, command, { ...asNobody, cwd: import.meta.dirname });

  it.skipIf(asUser([...argumentsFor(":memory:", "forbidden")]).status !== 0)(
    "a read-only folder or file: what is wrong, where, and nothing made (skips where root's files cannot be read)",
    () => {
      const readOnly = join(folder, "read-only");
      mkdirSync(readOnly);
      const path = join(readOnly, "a.sqlite");
      openSqliteStore(path).close();
      chmodSync(path, 0o444);
      chmodSync(readOnly, 0o555);
      for (const at of [path, join(readOnly, "new.sqlite"), join(readOnly, "sub", "new.sqlite")]) {
        const { stdout, stderr } = asUser(argumentsFor(at, "forbidden"));
        expect(stderr.toString()).toBe("");
        expect(stdout.toString()).toMatch(/^store memory store /);
        expect(stdout.toString()).toContain(`${at}: the file or its folder cannot be written`);
      }
      chmodSync(readOnly, 0o755);
    },
  );
});
