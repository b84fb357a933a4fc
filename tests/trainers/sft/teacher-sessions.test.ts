import { expect, it } from "vitest";
import type { SupervisedSession } from "../../../trainers/sft/supervised-session.ts";
import { type TeacherOptions, teacherSessions } from "../../../trainers/sft/teacher-sessions.ts";

const usual: TeacherOptions = { profile: "micro", split: "train", horizons: [4], questions: null, seed: 1 };

async function first(count: number, options: Partial<TeacherOptions>): Promise<SupervisedSession[]> {
  const taken: SupervisedSession[] = [];
  for await (const session of teacherSessions({ ...usual, ...options })) {
    taken.push(session);
    if (taken.length === count) break;
  }
  return taken;
}

const callsOf = (sessions: readonly SupervisedSession[]) =>
  sessions.flatMap(({ messages }) =>
    messages.flatMap((message) => ("calls" in message ? (message.calls ?? []).map(({ name }) => name) : [])),
  );

it("gives memory and QA sessions, the same ones each time", async () => {
  const sessions = await first(30, {});
  expect(new Set(sessions.map(({ stage }) => stage))).toEqual(new Set(["memory", "qa"]));
  expect(await first(30, {})).toEqual(sessions);
});

it("of one stage only, when that is wanted", async () => {
  for (const stage of ["memory", "qa"] as const)
    expect((await first(20, { stage })).map((session) => session.stage)).toEqual(Array(20).fill(stage));
});

it("asks only questions of the types that are wanted", async () => {
  const asked = async (type: string) =>
    (await first(12, { asked: [type], stage: "qa" })).flatMap(({ messages }) =>
      messages.flatMap((message) =>
        "calls" in message ? (message.calls ?? []).map(({ args }) => args?.group_by) : [],
      ),
    );
  expect(await asked("max_scene")).toEqual(Array(12).fill("scene"));
  expect(await asked("max_frequency_date")).toEqual(Array(12).fill("date"));
});

it("changes earlier days as often as is wanted", async () => {
  const edits = async (changes: number) =>
    callsOf(await first(40, { changes, stage: "memory", questions: 1 })).filter(
      (name) => name === "memory_update" || name === "memory_delete",
    ).length;
  expect(await edits(0)).toBe(0);
  expect(await edits(1)).toBeGreaterThan(15);
});

it("puts amounts right as often as is wanted", async () => {
  const texts = async (corrections?: number) =>
    (await first(20, { corrections, changes: 0, stage: "memory", questions: 1 })).map(({ messages }) => messages);
  // the usual share lies between none and all
  expect(await texts(0)).not.toEqual(await texts());
  expect(await texts(1)).not.toEqual(await texts());
});
