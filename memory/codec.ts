/**
 * A memory as bytes and back: for the store, for workers and for exports.
 *
 * What is written is the journal and then the core; the bank is the journal's replay, so ids, order, lineage and deleted
 * entries come back by construction. Bytes are appended as the journal grows and never change before the core, so the
 * store can share them between the versions of a memory. Nothing is compressed: zlib's output differs between machines,
 * and equal memories must be equal bytes.
 *
 * Layout: "UMAM", format, writes…, END, core, SHA-256 of all that, cut to 8 bytes. A write is a head byte (operation and flags),
 * the writer when it is another one than before, the entry's ordinal unless it is an add, and the texts that changed.
 */
import { createHash } from "node:crypto";
import { ordinalOf } from "./bank/link.ts";
import {
  addEntry,
  type Bank,
  deleteEntry,
  emptyBank,
  journalOf,
  updateEntry,
  type Version,
  type Writer,
} from "./bank.ts";
import { type ByteReader, type ByteWriter, badBytes, byteReader, byteWriter } from "./bytes.ts";
import type { Memory } from "./memory.ts";

/** How a variant's memory is kept: the store, workers and exports see only bytes and these two names. */
export interface Codec<M> {
  readonly name: string;
  readonly version: number;
  /** Equal memories give equal bytes. */
  encode(memory: M): Uint8Array;
  /** Throws `input` for bytes that `encode` did not make. */
  decode(bytes: Uint8Array): M;
}

const MAGIC = Buffer.from("UMAM", "latin1");
const FORMAT = 1;
const CHECKSUM_BYTES = 8;

const operations = ["add", "update", "delete"] as const;
const END = 3;
const SAME_WRITER = 4;
const NEW_TITLE = 8;
const NEW_CONTENT = 16;
const OPERATION = 3;

export const memoryCodec: Codec<Memory> = {
  name: "uma-memory",
  version: FORMAT,

  encode(memory) {
    const out = byteWriter();
    out.raw(MAGIC);
    out.byte(FORMAT);
    writeJournal(out, memory.bank);
    out.string(memory.core);
    const body = out.bytes();
    out.raw(checksum(body));
    return out.bytes();
  },

  decode(bytes) {
    const what = "a memory";
    const body = bytes.subarray(0, Math.max(0, bytes.length - CHECKSUM_BYTES));
    const input = byteReader(body, what);
    if (!MAGIC.equals(input.raw(MAGIC.length))) throw badBytes(what, 0, `"${MAGIC.toString("latin1")}" expected`);
    const format = input.byte();
    if (format !== FORMAT) throw badBytes(what, MAGIC.length, `format ${FORMAT} expected, got ${format}`);
    if (!checksum(body).equals(bytes.subarray(body.length))) throw badBytes(what, body.length, "wrong checksum");
    const bank = readJournal(input, what);
    const core = input.string();
    if (input.left > 0) throw badBytes(what, body.length - input.left, `${input.left} bytes too many`);
    return Object.freeze({ core, bank });
  },
};

const checksum = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest().subarray(0, CHECKSUM_BYTES);

function writeJournal(out: ByteWriter, bank: Bank): void {
  const sessions = new Map<string, number>();
  let writer: Writer | null = null;
  for (const { entry, op, before, after, by } of journalOf(bank)) {
    const sameWriter: boolean = writer !== null && writer.chunk === by.chunk && writer.session === by.session;
    const newTitle = after !== null && after.title !== before?.title;
    const newContent = after !== null && after.content !== before?.content;
    out.byte(
      operations.indexOf(op) |
        (sameWriter ? SAME_WRITER : 0) |
        (newTitle ? NEW_TITLE : 0) |
        (newContent ? NEW_CONTENT : 0),
    );
    if (!sameWriter) writeWriter(out, by, sessions);
    if (op !== "add") out.number(ordinalOf(entry)!);
    if (newTitle) out.string(after.title);
    if (newContent) out.string(after.content);
    writer = by;
  }
  out.byte(END);
}

/** Each session id is spelled once; later it is a number. */
function writeWriter(out: ByteWriter, by: Writer, sessions: Map<string, number>): void {
  out.number(by.chunk === null ? 0 : by.chunk + 1);
  const known = sessions.get(by.session);
  out.number(known ?? 0);
  if (known !== undefined) return;
  out.string(by.session);
  sessions.set(by.session, sessions.size + 1);
}

function readJournal(input: ByteReader, what: string): Bank {
  const start = input.left;
  const sessions: string[] = [];
  /** By ordinal, what each entry says; null once it is deleted. */
  const texts: Version["after"][] = [];
  let bank = emptyBank;
  let by: Writer | null = null;
  const fail = (problem: string) => badBytes(what, start - input.left + MAGIC.length + 1, problem);

  for (let head = input.byte(); head !== END; head = input.byte()) {
    const op = operations[head & OPERATION];
    if (op === undefined || head >= 2 * NEW_CONTENT) throw fail(`unknown operation ${head}`);
    if ((head & SAME_WRITER) === 0) by = readWriter(input, sessions, fail);
    if (by === null) throw fail("a write without a writer");
    const ordinal = op === "add" ? texts.length : input.number();
    const held = op === "add" ? { title: "", content: "" } : texts[ordinal];
    if (!held) throw fail(`no entry ${ordinal} to ${op}`);
    const newTitle = head & NEW_TITLE ? input.string() : held.title;
    const content = head & NEW_CONTENT ? input.string() : held.content;
    const written =
      op === "add"
        ? addEntry(bank, { title: newTitle, content }, by)
        : op === "update"
          ? updateEntry(bank, { title: held.title, content, newTitle }, by)
          : deleteEntry(bank, held.title, by);
    if (!written.ok) throw fail(written.hint);
    texts[ordinal] = written.version.after;
    bank = written.bank;
  }
  return bank;
}

function readWriter(input: ByteReader, sessions: string[], fail: (problem: string) => Error): Writer {
  const chunk = input.number();
  const known = input.number();
  if (known === 0) sessions.push(input.string());
  const session = known === 0 ? sessions.at(-1) : sessions[known - 1];
  if (session === undefined) throw fail(`no session ${known}`);
  return { chunk: chunk === 0 ? null : chunk - 1, session };
}
