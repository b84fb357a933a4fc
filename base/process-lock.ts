/** One process at a time works on a folder. A lock of a process that is gone is taken over: kill -9 leaves nothing stuck. */
import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { messageOf, UmaError } from "./errors.ts";

export interface ProcessLock {
  release(): void;
}

/** `what` names the work in the message, e.g. "evaluation of runs/x". Throws `conflict` while another process holds it. */
export function takeProcessLock(path: string, what: string): ProcessLock {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const fd = openSync(path, "wx");
      writeSync(fd, String(process.pid));
      closeSync(fd);
      return { release: () => rmSync(path, { force: true }) };
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") {
        throw new UmaError("store", `cannot write ${path}: ${messageOf(cause)}`, {
          fix: "choose a writable folder",
          cause,
        });
      }
      const holder = readHolder(path);
      if (holder !== null && isRunning(holder)) {
        throw new UmaError("conflict", `another ${what} is running (process ${holder})`, {
          fix: "wait for it to end, or stop it: what it has finished is kept",
        });
      }
      rmSync(path, { force: true });
    }
  }
  throw new UmaError("conflict", `another ${what} has just started`, { fix: "wait for it to end" });
}

function readHolder(path: string): number | null {
  try {
    const pid = Number(readFileSync(path, "utf8"));
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
