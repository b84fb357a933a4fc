/**
 * Variants by name: one folder each, found by looking, so that adding a method touches nothing else.
 *
 * A folder `x/` holds `x.ts` with an export `factory`. A spec is the name and options after colons:
 * `uma`, `uma:withoutRawContext`, `rag:topK=5:fusion=hybrid`.
 */
import { readdirSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { messageOf, UmaError } from "../../base/errors.ts";
import type { Variant, VariantFactory } from "./variant.ts";

export function variantNames(): string[] {
  return readdirSync(fileURLToPath(new URL(".", import.meta.url)), { withFileTypes: true })
    .filter((item) => item.isDirectory())
    .map((item) => item.name)
    .sort();
}

export async function loadVariantFactory(name: string): Promise<VariantFactory> {
  if (!variantNames().includes(name)) {
    throw new UmaError("config", `there is no variant named "${name}"`, {
      fix: `variants: ${variantNames().join(", ")}`,
    });
  }
  const file = new URL(`./${name}/${name}${extname(import.meta.url)}`, import.meta.url);
  const fix = `graphs/variants/${name}/${name}${extname(import.meta.url)} has to export \`factory\`: see docs/add-a-variant.md`;
  const loaded = await import(/* @vite-ignore */ file.href).catch((cause: unknown) => {
    throw new UmaError("config", `the variant "${name}" does not load: ${messageOf(cause)}`, { fix, cause });
  });
  const factory = (loaded as { factory?: VariantFactory }).factory;
  if (typeof factory?.create !== "function")
    throw new UmaError("config", `the variant "${name}" exports no factory`, { fix });
  return factory;
}

export async function loadVariant(spec: string): Promise<Variant> {
  const [name = "", ...options] = spec.split(":");
  const params = Object.fromEntries(
    options.map((option) => {
      const equals = option.indexOf("=");
      if (equals < 0) return [option, true];
      const value = option.slice(equals + 1);
      return [option.slice(0, equals), value === "true" ? true : value === "false" ? false : value];
    }),
  );
  const factory = await loadVariantFactory(name);
  const parsed = factory.params.safeParse(params);
  if (!parsed.success) {
    throw new UmaError("config", `variant "${spec}": ${z.prettifyError(parsed.error).replace(/\s*\n\s*/g, " ")}`, {
      fix: `options of ${name}: ${optionNames(factory).join(", ") || "none"}`,
    });
  }
  return factory.create(parsed.data);
}

const optionNames = (factory: VariantFactory) => {
  const { properties = {} } = z.toJSONSchema(factory.params, { io: "input" });
  return Object.keys(properties);
};
