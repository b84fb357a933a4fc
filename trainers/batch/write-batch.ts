/**
 * A planned update as JSON lines: a head that says how it is to be sent, then one line per datum in the order of sending.
 *
 * Arrays are base64 of their little-endian bytes with their type, as traces are kept in records. Passes that need what an
 * earlier pass returns have no numbers yet; the head names them and no datum is made up.
 */
import { renameSync, rmSync } from "node:fs";
import { messageOf, UmaError } from "../../base/errors.ts";
import { openJsonl } from "../../base/jsonl.ts";
import { toBase64 } from "../../base/typed-array-text.ts";
import type { Plan } from "../objective/compile.ts";
import type { Datum } from "../objective/datum.ts";

/** Returns how many datums were written. The file appears whole or not at all; datums are made one at a time. */
export function writeBatch(path: string, plan: Plan): number {
  const beside = `${path}.${process.pid}.tmp`;
  rmSync(beside, { force: true });
  try {
    const file = openJsonl(beside, { fsync: false });
    let datums = 0;
    try {
      file.append(headOf(plan));
      for (const [pass, planned] of plan.passes.entries()) {
        if (planned.op === "forward_backward" && planned.needsLogprobs) continue;
        for (const datum of planned.datums()) {
          file.append(lineOf(pass, datum));
          datums++;
        }
      }
      file.sync();
    } finally {
      file.close();
    }
    renameSync(beside, path);
    return datums;
  } catch (cause) {
    rmSync(beside, { force: true });
    if (cause instanceof UmaError) throw cause;
    throw new UmaError("store", `cannot write ${path}: ${messageOf(cause)}`, {
      fix: "free some space or choose a writable place with --out",
      cause,
    });
  }
}

function headOf({ objective, profile, mode, why, approximation, totals, passes }: Plan) {
  return {
    v: 1,
    objective,
    profile,
    mode,
    why,
    approximation,
    totals,
    passes: passes.map((pass) => ({
      op: pass.op,
      loss_fn: pass.lossFn,
      loss_fn_config: pass.config,
      // its weights are made from what the forward pass before it returns
      written: pass.op === "forward" || !pass.needsLogprobs,
    })),
  };
}

function lineOf(pass: number, { session, part, modelInput, lossFnInputs }: Datum) {
  const inputs = Object.entries(lossFnInputs).filter(([, array]) => array !== undefined);
  return {
    pass,
    session,
    part,
    model_input: tensor(modelInput),
    loss_fn_inputs: Object.fromEntries(inputs.map(([name, array]) => [name, tensor(array)])),
  };
}

const tensor = (array: Int32Array | Float32Array) => ({
  dtype: array instanceof Int32Array ? "int32" : "float32",
  length: array.length,
  data: toBase64(array),
});
