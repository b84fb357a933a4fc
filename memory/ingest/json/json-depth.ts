/** How deeply JSON text nests, without recursion: what walks a parsed value may rely on the limit. */
import { stringEnd } from "./indent-json.ts";

/** No export nests like this; a hostile file can, up to the end of the stack. */
const deepest = 200;

/** Only for text that JSON.parse accepts. */
export function nestsTooDeeply(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = stringEnd(text, at) - 1;
    else if (char === "{" || char === "[") {
      if (++depth > deepest) return true;
    } else if (char === "}" || char === "]") depth--;
  }
  return false;
}
