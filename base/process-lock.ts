/**
 * One process at a time works on a folder. A lock of a process that is gone is taken over: kill -9 leaves nothing stuck.
 *
 * The holder is known by host, process id and start time, because ids come round again: in a restarted container the new
 * process often has the id of the killed one.
 */
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { messageOf, UmaError } from "./errors.ts";

export interface ProcessLock {
  release(): void;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, in the system's own unit; null where it cannot be asked. */
  readonly started: string | null;
}

/** A lock is written in an instant; what is unreadable for longer was left behind. */
const UNREADABLE_FOR_MS = 5_000;

const heldHere = new Set<string>();

/** `what` names the work in the message, e.g. "evaluation of runs/x". Throws `conflict` while another process holds it. */
export function takeProcessLock(path: string, what: string): ProcessLock {
  const place = resolve(path);
  const own = JSON.stringify({ pid: process.pid, host: hostname(), started: startOf(process.pid) } satisfies Holder);
  for (let attempt = 0; attempt < 3; attempt++) {
    if (writeNew(path, own)) {
      heldHere.add(place);
      return {
        release() {
          heldHere.delete(place);
          if (textOf(path) === own) rmSync(path, { force: true });
        },
      };
    }
    const text = textOf(path);
    if (text === null) continue; // released in this moment
    refuseIfHeld(path, text, what);
    setAside(path, text);
  }
  throw new UmaError("conflict", `another ${what} has just started`, { fix: "wait for it to end" });
}

/** False when there is one already. */
function writeNew(path: string, text: string): boolean {
  try {
    const fd = openSync(path, "wx");
    try {
      writeSync(fd, text);
    } catch (cause) {
      rmSync(path, { force: true });
      throw cause;
    } finally {
      closeSync(fd);
    }
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw new UmaError("store", `cannot write ${path}: ${messageOf(cause)}`, {
      fix: "free some space or choose a writable folder",
      cause,
    });
  }
}

function refuseIfHeld(path: string, text: string, what: string): void {
  const holder = parseHolder(text);
  if (holder === null) {
    if (Date.now() - changedAt(path) > UNREADABLE_FOR_MS) return;
    throw new UmaError("conflict", `another ${what} has just started`, { fix: "wait for it to end" });
  }
  if (holder.host !== hostname()) {
    throw new UmaError("conflict", `another ${what} was started on ${holder.host} (process ${holder.pid})`, {
      fix: `wait for it to end; when nothing runs there any more, delete ${path}`,
    });
  }
  const alive =
    holder.pid === process.pid && holder.started === startOf(process.pid)
      ? heldHere.has(resolve(path))
      : isRunning(holder);
  if (alive) {
    throw new UmaError("conflict", `another ${what} is running (process ${holder.pid})`, {
      fix: "wait for it to end, or stop it: what it has finished is kept",
    });
  }
}

/** Takes a stale lock away. When two processes do so at once, the second may catch the first one's new lock: it is put back. */
function setAside(path: string, stale: string): void {
  const aside = `${path}.stale-${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return; // somebody else was quicker
  }
  const caught = textOf(aside);
  if (caught !== null && caught !== stale) writeNew(path, caught);
  rmSync(aside, { force: true });
}

function parseHolder(text: string): Holder | null {
  try {
    const holder = JSON.parse(text) as Partial<Holder> | null;
    const { pid, host, started = null } = holder ?? {};
    return Number.isInteger(pid) && pid! > 0 && typeof host === "string" ? { pid: pid!, host, started } : null;
  } catch {
    return null;
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}

function isRunning({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const fields = statOf(pid);
  // killed, and nobody has asked for its exit code yet
  if (fields?.state === "Z") return false;
  return started === null || started === (fields?.started ?? null);
}

const startOf = (pid: number) => statOf(pid)?.started ?? null;

/** Fields 3 and 22 of Linux's process table, counted after the name, which may hold blanks and brackets. */
function statOf(pid: number): { state: string; started: string } | null {
  const line = textOf(`/proc/${pid}/stat`);
  const fields = line?.slice(line.lastIndexOf(")") + 2).split(" ");
  return fields ? { state: fields[0] ?? "", started: fields[19] ?? "" } : null;
}
