import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { progressLine } from "../../cli/progress.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function stream(isTTY: boolean) {
  const written: string[] = [];
  return {
    written,
    isTTY,
    columns: 60,
    write(text: unknown) {
      written.push(String(text));
      return true;
    },
  };
}
const line = (text: string) => `\r\x1b[2K${text}`;

test("on a terminal one line is rewritten, cut to its width, and ended once", () => {
  const out = stream(true);
  const progress = progressLine({ quiet: false, stream: out });
  vi.advanceTimersByTime(500);
  progress.update({ done: 5, total: 20, note: "conv-1" });
  progress.update({ done: 6, total: 20, note: "conv-1" }); // too soon to be drawn
  vi.advanceTimersByTime(200);
  progress.update({ done: 7, total: 20, note: "x".repeat(80) });
  progress.end();
  progress.end();
  expect(out.written).toEqual([
    line("5/20 (25 %) · 10/s · 2 s left · conv-1"),
    line(`7/20 (35 %) · 10/s · 2 s left · ${"x".repeat(80)}`.slice(0, 59)),
    "\n",
  ]);
});

test("in a log a line every five seconds, and the last state in any case", () => {
  const out = stream(false);
  const progress = progressLine({ quiet: false, stream: out });
  for (let done = 1; done <= 12; done++) {
    vi.advanceTimersByTime(1_000);
    progress.update({ done, total: 12 });
  }
  progress.end();
  expect(out.written).toEqual([
    "5/12 (41 %) · 1.0/s · 7 s left\n",
    "10/12 (83 %) · 1.0/s · 2 s left\n",
    "12/12 (100 %) · 1.0/s · 12 s\n",
  ]);
});

test("while nothing happens it still tells that it is there, and stops when it ends", () => {
  const out = stream(false);
  const progress = progressLine({ quiet: false, stream: out });
  vi.advanceTimersByTime(65_000);
  progress.end();
  vi.advanceTimersByTime(65_000);
  expect(out.written).toEqual(["0 · 30 s · nothing finished yet\n", "0 · 1 min 0 s · nothing finished yet\n"]);
});

test("what an earlier run has done tells nothing about the rate; an unknown total gives no share", () => {
  const out = stream(false);
  const progress = progressLine({ quiet: false, stream: out });
  vi.advanceTimersByTime(10_000);
  progress.update({ done: 120, total: null, skipped: 100 });
  vi.advanceTimersByTime(7_185_000);
  progress.update({ done: 820, total: 1540, skipped: 100 });
  expect([out.written[0], out.written.at(-1)]).toEqual([
    "120 · 2.0/s · 10 s\n",
    "820/1540 (53 %) · 6.0/min · 2 h 0 min left\n",
  ]);
  progress.end();
});

test("quiet writes nothing at all", () => {
  const out = stream(true);
  const progress = progressLine({ quiet: true, stream: out });
  vi.advanceTimersByTime(100_000);
  progress.update({ done: 1, total: 1 });
  progress.end();
  expect(out.written).toEqual([]);
});
