/** Ctrl-C in two steps: the first lets running sessions finish, the second cuts them short. Either way nothing is lost. */

export interface Interrupt {
  readonly stopping: () => boolean;
  readonly signal: AbortSignal;
  /** Takes the handlers away again. */
  release(): void;
}

export function onInterrupt(note: (text: string) => void): Interrupt {
  const controller = new AbortController();
  let presses = 0;
  const press = () => {
    presses++;
    if (presses === 1) note("\nstopping: the running sessions finish first (press Ctrl-C again to cut them short)");
    else if (presses === 2) {
      note("\ncutting the running sessions short");
      controller.abort();
    } else process.exit(130);
  };
  process.on("SIGINT", press);
  process.on("SIGTERM", press);
  return {
    stopping: () => presses > 0,
    signal: controller.signal,
    release: () => {
      process.off("SIGINT", press);
      process.off("SIGTERM", press);
    },
  };
}
