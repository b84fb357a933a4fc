/** Progress with rate and time left on stderr: one line rewritten on a terminal, a line every few seconds in a log. */

export interface ProgressState {
  readonly done: number;
  /** Null while it is not known yet. */
  readonly total: number | null;
  /** Of `done`, what an earlier run had done: it tells nothing about the rate. */
  readonly skipped?: number;
  readonly note?: string;
}

export interface Progress {
  update(state: ProgressState): void;
  /** Ends the line, so that what follows starts on a new one. Can be called twice. */
  end(): void;
}

const DRAW_EVERY_MS = 100;
const LOG_EVERY_MS = 5_000;
/** Also while nothing happens: a line that stands still could be a program that hangs. */
const STILL_THERE_MS = { terminal: 1_000, log: 30_000 };

export function progressLine(options: {
  quiet: boolean;
  stream: Pick<NodeJS.WriteStream, "write"> & { readonly isTTY?: boolean; readonly columns?: number };
}): Progress {
  const { quiet, stream } = options;
  if (quiet) return { update: () => {}, end: () => {} };
  const started = performance.now();
  let drawn = started;
  let state: ProgressState = { done: 0, total: null, note: "nothing finished yet" };
  let pending = false;
  let onLine = false;

  const draw = () => {
    const line = describe(state, (performance.now() - started) / 1000);
    if (stream.isTTY) stream.write(`\r\x1b[2K${line.slice(0, (stream.columns ?? 100) - 1)}`);
    else stream.write(`${line}\n`);
    drawn = performance.now();
    pending = false;
    onLine = stream.isTTY ?? false;
  };
  const heartbeat = setInterval(draw, stream.isTTY ? STILL_THERE_MS.terminal : STILL_THERE_MS.log);
  heartbeat.unref();
  return {
    update(next) {
      state = next;
      pending = true;
      if (performance.now() - drawn >= (stream.isTTY ? DRAW_EVERY_MS : LOG_EVERY_MS)) draw();
    },
    end() {
      clearInterval(heartbeat);
      if (pending) draw();
      if (onLine) stream.write("\n");
      onLine = false;
    },
  };
}

function describe(state: ProgressState, seconds: number): string {
  const { done, total, skipped = 0, note } = state;
  const fresh = done - skipped;
  const rate = seconds > 0 ? fresh / seconds : 0;
  const parts = [
    total === null ? `${done}` : `${done}/${total} (${total === 0 ? 100 : Math.floor((100 * done) / total)} %)`,
    rate > 0 ? speed(rate) : null,
    total !== null && rate > 0 && done < total ? `${duration((total - done) / rate)} left` : `${duration(seconds)}`,
    note ?? null,
  ];
  return parts.filter((part) => part !== null).join(" · ");
}

const speed = (rate: number) =>
  rate >= 10 ? `${Math.round(rate)}/s` : rate >= 0.2 ? `${rate.toFixed(1)}/s` : `${(60 * rate).toFixed(1)}/min`;

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
