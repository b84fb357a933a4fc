/** The tokenizer and template of tests/fixtures/tiny-qwen, and templates that differ from it. */
import { join } from "node:path";
import { type ChatFormat, type ChatFormatOptions, chatFormat } from "../../../policies/token-exact/chat-format.ts";
import { type ModelFiles, readModelFiles } from "../../../policies/token-exact/model-files.ts";

export const tinyFolder = join(import.meta.dirname, "../../fixtures/tiny-qwen");
export const tinyFiles: ModelFiles = await readModelFiles(tinyFolder);
export const tiny: ChatFormat = chatFormat(tinyFiles);

export const withTemplate = (template: string, options?: ChatFormatOptions) =>
  chatFormat({ ...tinyFiles, template }, options);

/** ChatML in which earlier thoughts are dropped once another user message follows, as thinking models have it. */
export const forgetful = `
{%- set ns = namespace(last=-1) %}
{%- for message in messages %}{% if message.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}
{%- for message in messages %}
    {%- set content = message.content %}
    {%- if message.role == 'assistant' and loop.index0 < ns.last and '</think>' in content %}
        {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
    {%- endif %}
    {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>\\n' }}
{%- endfor %}
{{- '<|im_start|>assistant\\n' }}`;

/** Every id of a special token in a sequence, in order. */
export const specialsIn = (ids: Iterable<number>, format = tiny): number[] => {
  const special = new Set([...format.tokenizer.specials.values()].map(({ id }) => id));
  return [...ids].filter((id) => special.has(id));
};

export const idOf = (special: string, format = tiny): number => format.tokenizer.specials.get(special)!.id;
