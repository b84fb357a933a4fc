/** Progress with rate and time left on stderr: one line rewritten on a terminal, a line every few seconds in a log. */

export interface Progress {
  /** `total` null while it is not known yet. */
  update(state: { done: number; total: number | null; skipped?: number; note?: string }): void;
  /** Ends the line, so that what follows starts on a new one. */
  end(): void;
}

const LOG_EVERY_MS = 5_000;
const DRAW_EVERY_MS = 100;

export function progressLine(options: { quiet: boolean; stream: NodeJS.WriteStream }): Progress {
  const { quiet, stream } = options;
  const started = performance.now();
  let drawn = 0;
  let last: Parameters<Progress["update"]>[0] | null = null;
  let shown = false;

  const draw = (state: Parameters<Progress["update"]>[0]) => {
    const seconds = (performance.now() - started) / 1000;
    const line = describe(state, seconds);
    if (stream.isTTY) stream.write(`\r\x1b[2K${line.slice(0, (stream.columns ?? 100) - 1)}`);
    else stream.write(`${line}\n`);
    drawn = performance.now();
    shown = true;
    last = null;
  };
  return {
    update(state) {
      if (quiet) return;
      last = state;
      if (performance.now() - drawn >= (stream.isTTY ? DRAW_EVERY_MS : LOG_EVERY_MS)) draw(state);
    },
    end() {
      if (quiet) return;
      if (last) draw(last);
      if (shown && stream.isTTY) stream.write("\n");
      shown = false;
    },
  };
}

function describe(state: Parameters<Progress["update"]>[0], seconds: number): string {
  const { done, total, skipped = 0, note } = state;
  const fresh = done - skipped;
  const rate = seconds > 0 ? fresh / seconds : 0;
  const parts = [
    total === null ? `${done}` : `${done}/${total} (${total === 0 ? 100 : Math.floor((100 * done) / total)} %)`,
    rate > 0 ? `${rate >= 10 ? Math.round(rate) : rate.toFixed(1)}/s` : null,
    total !== null && rate > 0 && done < total ? `${duration((total - done) / rate)} left` : `${duration(seconds)}`,
    note ?? null,
  ];
  return parts.filter((part) => part !== null).join(" · ");
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.round((seconds % 3_600) / 60)} min`;
}
