/** Instagram and Facebook exports write the UTF-8 bytes of a text as Latin-1 characters: `cafÃ©` for café. */

/** Undone where the whole string decodes as UTF-8; any other string comes back as it is. */
export function undoDoubleEncoding(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[^\x00-\xff]/.test(text)) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(text, "latin1"));
  } catch {
    return text;
  }
}
