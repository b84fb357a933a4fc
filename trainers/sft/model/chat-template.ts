/**
 * The chat template of a small ledger policy. The tools are known by heart, so they are not in the prompt; what a write was
 * answered with tells nothing new when it went well; and of a long observation the beginning is enough, since the tools put
 * first what matters most.
 */

/** Characters of an observation that the policy is shown. */
export const shownOfObservation = 480;

const done = ["Added", "Updated", "Deleted"].map((verb) => `m.content.startswith('${verb} "')`).join(" or ");

/** Jinja. */
export const chatTemplate = [
  "{%- for m in messages -%}",
  "{%- if m.role == 'system' -%}<|system|>{{ m.content }}",
  "{%- elif m.role == 'user' -%}<|user|>{{ m.content }}",
  `{%- elif m.role == 'tool' -%}<|tool|>{%- if ${done} -%}OK{%- else -%}{{ m.content[:${shownOfObservation}] }}{%- endif -%}`,
  "{%- else -%}<|assistant|>{{ m.content }}<|end|>",
  "{%- endif -%}{%- endfor -%}",
  "{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}",
].join("");
