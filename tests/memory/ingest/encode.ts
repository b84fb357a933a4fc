/** Text → bytes in a legacy charset, by turning the decoder's table around. Only for tests. */
import { decodeExactly } from "../../../memory/ingest/charsets.ts";

const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** Throws when a character has no place in the charset. */
export function encode(text: string, charset: string): Uint8Array {
  const table = tables.get(charset) ?? tableOf(charset);
  tables.set(charset, table);
  return Uint8Array.from(
    [...text].flatMap((char) => {
      const bytes = table.get(char);
      if (bytes === undefined) throw new RangeError(`${char} is not in ${charset}`);
      return bytes;
    }),
  );
}

function tableOf(charset: string): ReadonlyMap<string, readonly number[]> {
  const table = new Map<string, readonly number[]>();
  const put = (bytes: readonly number[]) => {
    const text = decodeExactly(Uint8Array.from(bytes), charset);
    if (text === null || [...text].length !== 1) return;
    // Big5 has a few characters twice; writers use the second place of these
    if (!table.has(text) || (charset === "big5" && "═╞╡╪十卅".includes(text))) table.set(text, bytes);
  };
  for (let byte = 0; byte < 256; byte++) put([byte]);
  if (!/^(?:windows|iso|koi8|ibm|mac|x-mac)/.test(charset)) {
    for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) put([lead, trail]);
  }
  return table;
}
