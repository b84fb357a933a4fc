/** Ctrl-C in two steps: the first lets running sessions finish, the second cuts them short. Either way nothing is lost. */
import { exitCodes } from "../base/errors.ts";

export interface Interrupt {
  readonly stopping: () => boolean;
  /** The same for what has nothing to finish: aborted by the first press. */
  readonly asked: AbortSignal;
  /** Aborted when running sessions are cut short. */
  readonly signal: AbortSignal;
  /** Takes the handlers away again. */
  release(): void;
}

export interface InterruptOptions {
  /** False: there is nothing that a running session could save, and the first press cuts it short. */
  readonly patient?: boolean;
  /** What the two presses are answered with. */
  readonly first?: string;
  readonly second?: string;
}

export function onInterrupt(note: (text: string) => void, options: InterruptOptions = {}): Interrupt {
  const {
    patient = true,
    first = "stopping: the running sessions finish first (press Ctrl-C again to cut them short)",
    second = "cutting the running sessions short",
  } = options;
  const asked = new AbortController();
  const controller = new AbortController();
  let presses = patient ? 0 : 1;
  const press = () => {
    presses++;
    asked.abort();
    if (presses === 1) note(`\n${first}`);
    else if (presses === 2) {
      note(patient ? `\n${second}` : "\nstopping");
      controller.abort();
    } else process.exit(exitCodes.cancelled);
  };
  process.on("SIGINT", press);
  process.on("SIGTERM", press);
  return {
    stopping: () => asked.signal.aborted,
    asked: asked.signal,
    signal: controller.signal,
    release: () => {
      process.off("SIGINT", press);
      process.off("SIGTERM", press);
    },
  };
}
