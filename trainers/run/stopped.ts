/** A run that was asked to stop ends in the middle of a step: the state before it stands, and the step is done again on resume. */
import { UmaError } from "../../base/errors.ts";

export class Stopped extends UmaError {
  constructor() {
    super("cancelled", "the training was stopped; what is finished is kept", { fix: "go on with --resume" });
  }
}

/** Whether it is only that somebody asked: a step that was cut short says so in one of several ways. */
export const isStop = (thrown: unknown, stopping: () => boolean): boolean =>
  thrown instanceof Stopped || (stopping() && thrown instanceof UmaError && thrown.code === "cancelled");
