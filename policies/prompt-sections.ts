/**
 * The tagged sections of a prompt: prompts write them, scripted policies read them.
 *
 * A scripted policy sees exactly what a model sees, nothing else, so it has to find the core, the chunk and the question
 * in the text. A section runs from its first opening tag to the last closing tag, so text that holds tags stays whole.
 */
export type SectionName = "core_memory" | "chunk" | "question" | "context";

export function section(name: SectionName, text: string): string {
  return `<${name}>\n${text}\n</${name}>`;
}

/** The text of a section, or null when the prompt has none of that name. */
export function readSection(prompt: string, name: SectionName): string | null {
  const open = prompt.indexOf(`<${name}>\n`);
  const close = prompt.lastIndexOf(`\n</${name}>`);
  if (open < 0 || close < open) return null;
  return prompt.slice(open + name.length + 3, Math.max(close, open + name.length + 3));
}
