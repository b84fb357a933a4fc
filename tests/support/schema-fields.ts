/** Every field of a schema as a path, e.g. `calls[].writes[].entry`: what a page that documents it has to name. */
import { z } from "zod";

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
}

export function schemaFields(schema: z.ZodType): string[] {
  const fields = new Set<string>();
  const walk = (node: Node, path: string) => {
    for (const [name, field] of Object.entries(node.properties ?? {})) {
      const own = path === "" ? name : `${path}.${name}`;
      fields.add(own);
      walk(field, own);
    }
    if (node.items) walk(node.items, `${path}[]`);
    for (const choice of node.anyOf ?? []) walk(choice, path);
  };
  walk(z.toJSONSchema(schema, { unrepresentable: "any" }) as Node, "");
  return [...fields];
}
