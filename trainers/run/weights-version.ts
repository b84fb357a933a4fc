/** The version of a folder's weights, as the embedded policy writes it into traces. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UmaError } from "../../base/errors.ts";
import { contentHash } from "../../base/hash.ts";

/** Throws `input` when there are none. */
export const weightsVersion = async (folder: string): Promise<string> =>
  contentHash(
    await readFile(join(folder, "model.safetensors")).catch((cause: Error) => {
      throw new UmaError("input", `there are no weights in ${folder}: ${cause.message}`, { cause });
    }),
  );
