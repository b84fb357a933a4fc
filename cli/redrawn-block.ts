/** Several lines at the bottom of a terminal that are drawn again in place; what is said meanwhile goes above them. */
import { clipToWidth } from "../evals/reports/display-width.ts";

export interface RedrawnBlock {
  /** At most ten times a second, and once a second while nothing happens, since `lines` may tell the time. */
  update(): void;
  /** A line that stays, above the block. */
  say(text: string): void;
  /** Takes the block away, or leaves it as it is now. Can be called twice. */
  end(options?: { readonly leave?: boolean }): void;
}

const DRAW_EVERY_MS = 100;
const STILL_THERE_MS = 1_000;
const UP_TO_START = (lines: number) => `${lines > 0 ? `\x1b[${lines}A` : ""}\r\x1b[J`;

export function redrawnBlock(
  lines: () => readonly string[],
  stream: Pick<NodeJS.WriteStream, "write"> & { readonly columns?: number; readonly rows?: number },
): RedrawnBlock {
  let height = 0;
  let drawn = 0;
  let ended = false;
  const clear = () => {
    stream.write(UP_TO_START(height));
    height = 0;
  };
  const draw = () => {
    // a line that wraps, or a block higher than the terminal, could not be taken back
    const shown = lines()
      .slice(0, Math.max(1, (stream.rows ?? 50) - 1))
      .map((line) => clipToWidth(line, (stream.columns ?? 100) - 1));
    stream.write(`${UP_TO_START(height)}${shown.map((line) => `${line}\n`).join("")}`);
    height = shown.length;
    drawn = performance.now();
  };
  const heartbeat = setInterval(draw, STILL_THERE_MS);
  heartbeat.unref();
  return {
    update() {
      if (!ended && performance.now() - drawn >= DRAW_EVERY_MS) draw();
    },
    say(text) {
      if (ended) return void stream.write(`${text}\n`);
      clear();
      stream.write(`${text}\n`);
      draw();
    },
    end({ leave = true } = {}) {
      if (ended) return;
      ended = true;
      clearInterval(heartbeat);
      if (leave) draw();
      else clear();
    },
  };
}
