/** Ctrl-C in two steps: the first lets running sessions finish, the second cuts them short. Either way nothing is lost. */
import { exitCodes } from "../base/errors.ts";

export interface Interrupt {
  readonly stopping: () => boolean;
  readonly signal: AbortSignal;
  /** Takes the handlers away again. */
  release(): void;
}

/** Without `patient` there is nothing that a running session could save: the first press cuts it short. */
export function onInterrupt(note: (text: string) => void, { patient = true } = {}): Interrupt {
  const controller = new AbortController();
  let presses = patient ? 0 : 1;
  const before = presses;
  const press = () => {
    presses++;
    if (presses === 1) note("\nstopping: the running sessions finish first (press Ctrl-C again to cut them short)");
    else if (presses === 2) {
      note(patient ? "\ncutting the running sessions short" : "\nstopping");
      controller.abort();
    } else process.exit(exitCodes.cancelled);
  };
  process.on("SIGINT", press);
  process.on("SIGTERM", press);
  return {
    stopping: () => presses > before,
    signal: controller.signal,
    release: () => {
      process.off("SIGINT", press);
      process.off("SIGTERM", press);
    },
  };
}
