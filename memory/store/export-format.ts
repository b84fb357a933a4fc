/** A memory with its history as JSON lines: a head, then one line a version, oldest first, checked when read back. */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import type { MemoryKey, StoredMemory } from "./memory-store.ts";
import { sha256 } from "./pieces.ts";

const FORMAT = "umagraph-memory";
const FORMAT_VERSION = 1;

const head = z.object({
  format: z.literal(FORMAT),
  formatVersion: z.literal(FORMAT_VERSION),
  namespace: z.array(z.string()),
  id: z.string(),
  /** How many lines follow, so that a cut-off file is noticed. */
  versions: z.int().positive(),
});

const line = z.object({
  version: z.int().positive(),
  codec: z.object({ name: z.string(), version: z.int() }),
  savedAt: z.iso.datetime(),
  note: z.string().nullable(),
  sha256: z.string(),
  /** Base64; checked by its SHA-256. */
  bytes: z.string(),
});

export interface ExportedMemory {
  readonly key: MemoryKey;
  /** Versions 1 to n. */
  readonly versions: readonly Omit<StoredMemory, keyof MemoryKey | "size">[];
}

export function exportHead(key: MemoryKey, versions: number): object {
  return { format: FORMAT, formatVersion: FORMAT_VERSION, namespace: key.namespace, id: key.id, versions };
}

export function exportLine({ version, codec, savedAt, note, bytes }: StoredMemory): object {
  return {
    version,
    codec,
    savedAt,
    note,
    sha256: sha256(bytes).toString("hex"),
    bytes: Buffer.from(bytes).toString("base64"),
  };
}

/** Throws `input`, naming the line, for anything that an export does not write. */
export function readExport(lines: Iterable<unknown>): ExportedMemory {
  const [first, ...rest] = [...lines];
  const { namespace, id, versions: expected } = parse(head, first, 1);
  const versions = rest.map((value, index) => {
    const { sha256: claimed, bytes: encoded, ...version } = parse(line, value, index + 2);
    const bytes = new Uint8Array(Buffer.from(encoded, "base64"));
    if (sha256(bytes).toString("hex") !== claimed) throw damaged(index + 2, "the bytes do not match their SHA-256");
    if (version.version !== index + 1) {
      throw damaged(index + 2, `version ${index + 1} expected, got ${version.version}`);
    }
    return { ...version, bytes };
  });
  if (versions.length !== expected) {
    throw damaged(versions.length + 1, `${expected} versions announced, ${versions.length} found`);
  }
  return { key: { namespace, id }, versions };
}

function parse<T>(schema: z.ZodType<T>, value: unknown, number: number): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue && issue.path.length > 0 ? `${issue.path.join(".")}: ` : "";
  throw damaged(number, `${where}${issue?.message ?? "unreadable"}`);
}

function damaged(number: number, problem: string): UmaError {
  return new UmaError("input", `line ${number} of the memory export: ${problem}`, {
    fix: "export the memory again; nothing was imported",
  });
}
