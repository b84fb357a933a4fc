/** Files that hold no text, told by their first bytes, with what to do about each. */

const extract = "extract its text first";
const unpack = "unpack it first";

const signatures: readonly { name: string; magic: string; at?: number; fix?: string }[] = [
  { name: "a PNG image", magic: "\x89PNG\r\n" },
  { name: "a JPEG image", magic: "\xff\xd8\xff" },
  { name: "a GIF image", magic: "GIF8" },
  { name: "a TIFF image", magic: "II*\0" },
  { name: "a TIFF image", magic: "MM\0*" },
  { name: "a RIFF media file", magic: "RIFF" },
  { name: "an Ogg media file", magic: "OggS" },
  { name: "an MP3 file", magic: "ID3" },
  { name: "an MP4 media file", magic: "ftyp", at: 4 },
  { name: "a Matroska media file", magic: "\x1a\x45\xdf\xa3" },
  { name: "a PDF", magic: "%PDF-", fix: extract },
  { name: "a ZIP archive or an office document", magic: "PK\x03\x04", fix: `${unpack}, or save it as text` },
  { name: "an old office document", magic: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", fix: "save it as text first" },
  { name: "a gzip archive", magic: "\x1f\x8b", fix: unpack },
  { name: "a bzip2 archive", magic: "BZh9", fix: unpack },
  { name: "an xz archive", magic: "\xfd7zXZ\0", fix: unpack },
  { name: "a zstd archive", magic: "\x28\xb5\x2f\xfd", fix: unpack },
  { name: "a 7z archive", magic: "7z\xbc\xaf\x27\x1c", fix: unpack },
  { name: "a RAR archive", magic: "Rar!\x1a\x07", fix: unpack },
  { name: "a SQLite database", magic: "SQLite format 3\0", fix: "export its text first" },
  { name: "a Parquet file", magic: "PAR1", fix: "convert it to JSONL first" },
  { name: "a program", magic: "\x7fELF" },
  { name: "a program", magic: "\xca\xfe\xba\xbe" },
  { name: "a program", magic: "\xcf\xfa\xed\xfe" },
  { name: "a WebAssembly module", magic: "\0asm" },
];

/** What the file is, e.g. "a PNG image", and what to do; null when the bytes may be text. */
export function binaryFormat(bytes: Uint8Array): { name: string; fix: string } | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1_024)).toString("latin1");
  const found = signatures.find(({ magic, at = 0 }) => head.startsWith(magic, at));
  if (found === undefined) return null;
  // "ID3" or "RIFF" can also begin a sentence
  const readable = /^[ -~]+$/.test(found.magic) && found.magic !== "%PDF-";
  if (readable && !/[\0\x80-\xff]/.test(head)) return null;
  return { name: found.name, fix: found.fix ?? "leave it out" };
}
