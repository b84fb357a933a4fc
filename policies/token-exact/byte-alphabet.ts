/**
 * The 256 characters by which byte-level vocabularies write bytes, since a vocabulary is JSON and bytes are no text.
 *
 * Printable Latin-1 stands for itself; the other bytes take the code points from U+0100 on, in order.
 */
const printable = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);

export const byteCharacters: readonly string[] = (() => {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++));
})();

const bytes = new Map(byteCharacters.map((character, byte) => [character, byte]));

/** The bytes that a vocabulary's token stands for; null when it holds a character that stands for none. */
export function tokenBytes(token: string): Uint8Array | null {
  const found = Array.from(token, (character) => bytes.get(character));
  return found.includes(undefined) ? null : Uint8Array.from(found as number[]);
}
