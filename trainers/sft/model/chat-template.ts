/**
 * The chat template of a small ledger policy, which shows it what it needs and no more: the tools are known by heart; a
 * chunk's lines do not repeat the chunk's date; what a write was answered with tells nothing when it went well; and of a long
 * observation the beginning is enough, since the tools put first what matters most.
 */

/** Characters of an observation that the policy is shown. */
export const shownOfObservation = 480;

const done = ["Added", "Updated", "Deleted"].map((verb) => `m.content.startswith('${verb} "')`).join(" or ");

/** `\n[2024-02-23] User said, "` of a chunk that begins on that date is `\nUser: "`; lines of another date stay as they are. */
const withoutDates = [
  "{%- set parts = m.content.split('chunk>\\n[') -%}",
  "{%- if parts | length > 1 -%}",
  "{%- set date = '\\n[' + parts[1][:10] + '] ' -%}",
  ...["User", "Assistant"].map((speaker, i) => {
    const from = i === 0 ? "parts[1]" : "lines";
    return `{%- set lines = ${from}.replace(date + '${speaker} said, "', '\\n${speaker}: "') -%}`;
  }),
  "{{ parts[0] }}chunk>\n[{{ lines }}{%- for part in parts[2:] -%}chunk>\n[{{ part }}{%- endfor -%}",
  "{%- else -%}{{ m.content }}{%- endif -%}",
].join("");

/** Jinja. */
export const chatTemplate = [
  "{%- for m in messages -%}",
  "{%- if m.role == 'system' -%}<|system|>{{ m.content }}",
  `{%- elif m.role == 'user' -%}<|user|>${withoutDates}`,
  `{%- elif m.role == 'tool' -%}<|tool|>{%- if not (${done}) -%}{{ m.content[:${shownOfObservation}] }}{%- endif -%}`,
  "{%- else -%}<|assistant|>{{ m.content }}<|end|>",
  "{%- endif -%}{%- endfor -%}",
  "{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}",
].join("");
