/** Writes a set of teacher sessions once: a file that is there in full is taken as it is. */
import { existsSync, renameSync } from "node:fs";
import { appendFile, rm } from "node:fs/promises";
import type { SupervisedSession } from "./supervised-session.ts";
import { type TeacherOptions, teacherSessions } from "./teacher-sessions.ts";

const linesAtOnce = 500;

/** Gives how many sessions were written; 0 when the file was there. */
export async function writeSessions(
  path: string,
  options: TeacherOptions & { readonly count: number; readonly signal?: AbortSignal },
): Promise<number> {
  if (existsSync(path)) return 0;
  const beside = `${path}.tmp`;
  await rm(beside, { force: true });
  let lines: string[] = [];
  let written = 0;
  const flush = async () => {
    await appendFile(beside, lines.join(""));
    lines = [];
  };
  for await (const session of firstOf(teacherSessions(options), options.count)) {
    options.signal?.throwIfAborted();
    lines.push(`${JSON.stringify(session)}\n`);
    written++;
    if (lines.length === linesAtOnce) await flush();
  }
  await flush();
  renameSync(beside, path);
  return written;
}

async function* firstOf(sessions: AsyncGenerator<SupervisedSession>, count: number) {
  let left = count;
  if (left === 0) return;
  for await (const session of sessions) {
    yield session;
    if (--left === 0) return;
  }
}
