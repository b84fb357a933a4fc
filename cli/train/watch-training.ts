/** Shows a training run while it goes on: a panel on a terminal, a line per update and evaluation in a log. */
import type { TrainingEvent } from "../../trainers/run/deps.ts";
import type { Terminal } from "../terminal.ts";
import { evaluationLine, panelLines, updateLine } from "./training-lines.ts";
import { seen, type TrainingView } from "./training-view.ts";

export interface TrainingWatch {
  tell(event: TrainingEvent): void;
  /** A remark that stays on the screen. */
  note(text: string): void;
  view(): TrainingView;
  /** Leaves the panel as it is now. Can be called twice. */
  end(): void;
}

export function watchTraining(start: TrainingView, terminal: Terminal): TrainingWatch {
  let view = start;
  const began = performance.now();
  const block = terminal.block(() => panelLines(view, (performance.now() - began) / 1_000));
  const note = (text: string) => (block ? block.say(text) : terminal.note(text));
  const log = (update: number) => {
    const [line, evaluation] = [view.metrics.get(update), view.evaluations.get(update)];
    if (line) terminal.note(updateLine(view, line));
    if (evaluation) terminal.note(evaluationLine(view, evaluation));
  };
  return {
    tell(event) {
      const before = view;
      view = seen(view, event);
      if (event.kind === "notice") note(event.sentence);
      else if (block) block.update();
      // the clock is read last, and an update's line tells its speed, too
      else if (event.kind === "timing" && !before.timing.has(event.line.update)) log(event.line.update);
    },
    note,
    view: () => view,
    end: () => block?.end(),
  };
}
