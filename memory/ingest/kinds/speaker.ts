/** Who speaks in `Name: text`, or nobody: the parts of a line are told apart by what a name can look like. */

const longestName = 60;
const mostWords = 6;

/** `John: hi` → John; `<nick> hi` → nick; a system line, a URL, a clock time or a quoted title has no speaker. */
export function splitSpeaker(rest: string): { speaker: string | null; text: string } {
  const irc = /^<([^<>\n]{1,40})> ?/.exec(rest);
  if (irc) return { speaker: irc[1]!, text: rest.slice(irc[0].length) };
  const colon = rest.slice(0, longestName + 1).indexOf(":");
  const name = rest.slice(0, Math.max(colon, 0)).trim();
  if (colon === -1 || !isName(name) || rest.startsWith("//", colon + 1)) return { speaker: null, text: rest };
  if (/\d$/.test(name) && /^\d/.test(rest.slice(colon + 1))) return { speaker: null, text: rest };
  return { speaker: name, text: rest.slice(colon + 1).replace(/^[ \u00a0]/, "") };
}

function isName(text: string): boolean {
  if (text === "" || /["“”„«»{}[\]<>|=\n]/.test(text) || /[!?;]$/.test(text)) return false;
  return /[\p{L}\p{N}\p{So}]/u.test(text) && text.split(/\s+/).length <= mostWords;
}

const levels =
  /^(?:trace|debug|info|information|notice|warn|warning|err|error|crit|critical|fatal|emerg|alert|severe|verbose)$/i;
/** `INFO`, `local.ERROR`: a log writes these where a chat writes names. */
export const isLogLevel = (name: string): boolean => levels.test(name.split(/[.\s]/).pop() ?? "");
