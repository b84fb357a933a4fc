/** How the server takes calls: in which dialects, how often, in which order. All on one fresh model, by hand. */
import { setTimeout as wait } from "node:timers/promises";
import { messageOf } from "../../base/errors.ts";
import type { Dialect } from "../wire/dialect.ts";
import { jsonDialect } from "../wire/json-dialect.ts";
import { protoDialect } from "../wire/proto-dialect.ts";
import type { Finding } from "./arithmetic-probes.ts";
import type { RawModel } from "./raw-model.ts";
import { difference, times } from "./small-step.ts";

/** In this order: each goes on where the one before left the numbers. */
export async function probeProtocol(model: RawModel, rate: number): Promise<Finding[]> {
  let next = 1;
  const read: Dialect[] = [];
  const answers: string[] = [];
  for (const dialect of [protoDialect, jsonDialect]) {
    const status = await model.offer(dialect, next, true);
    answers.push(`${dialect.name} ${status < 300 ? "is read" : `is refused with ${status}`}`);
    if (status < 300) {
      read.push(dialect);
      next += 1;
    }
  }
  const dialect = read[0];
  const wire: Finding = {
    line: {
      probe: "wire",
      checked: "a forward pass as protobuf and as JSON",
      saw: answers.join(", "),
      meaning: !dialect
        ? "no dialect of this client is read: the server cannot be used"
        : dialect === protoDialect
          ? "updates go as protobuf, at 20 bytes per token"
          : "updates go as JSON, at two and a half times the bytes",
      ok: dialect !== undefined,
    },
    profile: { wire: !dialect ? "auto" : dialect.name },
  };
  if (!dialect) return [wire];

  const changed = async (accumulate: () => Promise<unknown>) => {
    const before = await model.scores(dialect, next++);
    await accumulate();
    return difference(await model.scores(dialect, next++), before);
  };
  const once = await changed(async () => {
    await model.result(await model.send(dialect, next++, false), "ForwardBackward");
    await model.result(await model.sendStep(next++, rate), "OptimStep");
  });
  const idempotency = await probeTwice(model, dialect, rate, once, () => next++, changed);
  const order = await probeOrder(model, dialect, rate, once, () => next++, changed);
  return [wire, idempotency, order];
}

type Changed = (accumulate: () => Promise<unknown>) => Promise<number[]>;

async function probeTwice(
  model: RawModel,
  dialect: Dialect,
  rate: number,
  once: readonly number[],
  next: () => number,
  changed: Changed,
): Promise<Finding> {
  const seen: string[] = [];
  const change = await changed(async () => {
    const number = next();
    const first = await model.send(dialect, number, false);
    const second = await model.send(dialect, number, false).catch((thrown: unknown) => messageOf(thrown));
    seen.push(first === second ? "the same result for both" : "another result for the second");
    await model.result(first, "ForwardBackward");
    if (first !== second) await model.result(second, "ForwardBackward").catch(() => {});
    await model.result(await model.sendStep(next(), rate), "OptimStep");
  });
  const factor = times(change, once);
  const ok = factor !== null && factor < 1.5;
  return {
    line: {
      probe: "idempotency",
      checked: "one forward_backward sent twice under the same number",
      saw: `${seen[0]}, and ${factor === null ? "no measurable" : `${factor.toFixed(2)} times the`} gradient`,
      meaning: ok
        ? "a call whose answer was lost may be sent again"
        : "a call that is sent again counts twice: in doubt the client stops and asks for the last checkpoint",
      ok,
    },
    profile: { idempotent: ok },
  };
}

async function probeOrder(
  model: RawModel,
  dialect: Dialect,
  rate: number,
  once: readonly number[],
  next: () => number,
  changed: Changed,
): Promise<Finding> {
  let trouble: string | null = null;
  const change = await changed(async () => {
    const [gradient, step] = [next(), next()];
    try {
      const later = await model.sendStep(step, rate);
      await wait(300);
      await model.result(await model.send(dialect, gradient, false), "ForwardBackward");
      await model.result(later, "OptimStep");
    } catch (thrown) {
      trouble = messageOf(thrown);
    }
  }).catch((thrown: unknown) => {
    trouble ??= messageOf(thrown);
    return null;
  });
  const factor = change && times(change, once);
  const ok = trouble === null && factor !== null && factor > 0.5 && factor < 1.5;
  return {
    line: {
      probe: "order",
      checked: "optim_step sent before the forward_backward that has the lower number",
      saw:
        trouble ??
        `the step had ${factor === null ? "no measurable" : `${factor.toFixed(2)} times the`} effect of one in order`,
      meaning: ok
        ? "calls are executed by number: parts of an update may be sent side by side"
        : "calls are executed as they arrive: the client sends them one after another",
      ok,
    },
    profile: { parallelChunks: ok },
  };
}
