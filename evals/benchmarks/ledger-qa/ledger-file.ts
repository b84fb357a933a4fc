/** Reads contexts back from a file: our JSON lines, or the paper's JSON array (told apart by the first character). */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { messageOf, UmaError } from "../../../base/errors.ts";
import type { EvalContext } from "../../benchmark.ts";
import { type LedgerLine, lineToEvalContext, parseLedgerLine } from "./ledger-lines.ts";
import { paperToEvalContext, readPaperFile } from "./paper-format.ts";

export async function* readLedgerFile(path: string): AsyncGenerator<EvalContext> {
  if (await isPaperFile(path)) for (const sample of readPaperFile(path)) yield paperToEvalContext(sample);
  else for await (const line of readLedgerLines(path)) yield lineToEvalContext(line);
}

export const isPaperFile = async (path: string): Promise<boolean> => (await firstCharacter(path)) === "[";

/** Our own JSON lines, with the ledger behind them. */
export async function* readLedgerLines(path: string): AsyncGenerator<LedgerLine> {
  let number = 0;
  let read = 0;
  for await (const text of createInterface({
    input: createReadStream(path, "utf8"),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number++;
    if (text.trim() === "") continue;
    read++;
    yield parseLedgerLine(text, `${path}:${number}`);
  }
  if (read === 0)
    throw new UmaError("input", `${path} holds no context`, { fix: "write it with `umagraph generate ledger-qa`" });
}

async function firstCharacter(path: string): Promise<string> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
      return buffer
        .toString("utf8", 0, bytesRead)
        .replace(/^\uFEFF/, "")
        .trimStart()
        .charAt(0);
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new UmaError("input", `cannot read ${path}: ${messageOf(cause)}`, { fix: "check the path", cause });
  }
}
