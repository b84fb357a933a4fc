/** Content-Transfer-Encoding (RFC 2045) undone on binary strings: one char per byte. */

/** Unknown encodings and `7bit`, `8bit`, `binary` give the body as it is. Damaged input never throws: what cannot be read stays. */
export function decodeTransfer(body: string, encoding: string): Uint8Array {
  if (encoding === "base64") return Buffer.from(body, "base64");
  return Buffer.from(encoding === "quoted-printable" ? quotedPrintable(body) : body, "latin1");
}

function quotedPrintable(body: string): string {
  return body
    .split("\n")
    .map((line) => {
      const text = line.endsWith("\r") ? line.slice(0, -1) : line;
      const kept = text.trimEnd();
      // a soft break: the line goes on
      return kept.endsWith("=") ? decodeHex(kept.slice(0, -1)) : `${decodeHex(kept)}\n`;
    })
    .join("");
}

export const decodeHex = (text: string): string =>
  text.replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
