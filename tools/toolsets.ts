/** Which tools each phase offers: the paper's T_mem and T_qa (App. A), and the two variations of them. */
import { UmaError } from "../base/errors.ts";
import { ledgerAggregate } from "./ledger-aggregate.ts";
import { memoryAdd } from "./memory-add.ts";
import { memoryBm25Retrieve } from "./memory-bm25-retrieve.ts";
import { memoryDelete } from "./memory-delete.ts";
import { memoryEmbeddingRetrieve } from "./memory-embedding-retrieve.ts";
import { memoryKeyRetrieve } from "./memory-key-retrieve.ts";
import { memoryList } from "./memory-list.ts";
import { memoryUpdate } from "./memory-update.ts";
import { type Phase, type Tool, type ToolDefinition, toolDefinition } from "./tool.ts";

export interface Toolset {
  readonly name: string;
  /** Order is the order in which a policy sees them. */
  readonly tools: readonly Tool[];
}

const bankTools = [memoryAdd, memoryUpdate, memoryDelete, memoryKeyRetrieve, memoryList];
const searchTools = [memoryBm25Retrieve, memoryEmbeddingRetrieve];

export const toolsets = {
  /** App. A.1 and A.2, as in the paper. */
  paper: { name: "paper", tools: [...bankTools, ...searchTools] },
  /** Table 2's "w/o Raw-Context": the bank is all there is. */
  bank: { name: "bank", tools: bankTools },
  /** The paper's tools and a decimal-exact query over dated amounts; always reported apart from the paper's. */
  ledger: { name: "ledger", tools: [...bankTools, ...searchTools, ledgerAggregate] },
} as const satisfies Record<string, Toolset>;

export type ToolsetName = keyof typeof toolsets;

/** What one phase offers of a toolset. */
export interface Offer {
  readonly tools: readonly Tool[];
  readonly definitions: readonly ToolDefinition[];
  /** The definitions as they stand in a prompt; empty when there are none. */
  readonly spec: string;
}

const offers = new WeakMap<Toolset, Partial<Record<Phase, Offer>>>();

/** Made once per toolset and phase: making JSON schemas costs more than a whole turn of a session. */
export function offerOf(toolset: Toolset, phase: Phase): Offer {
  const known = offers.get(toolset) ?? {};
  offers.set(toolset, known);
  known[phase] ??= makeOffer(toolset.tools.filter((tool) => tool.phases.includes(phase)));
  return known[phase];
}

export const toolsOf = (toolset: Toolset, phase: Phase): readonly Tool[] => offerOf(toolset, phase).tools;

function makeOffer(tools: readonly Tool[]): Offer {
  const definitions = tools.map(toolDefinition);
  return { tools, definitions, spec: tools.length === 0 ? "" : JSON.stringify(definitions) };
}

const withoutSearchOf = new WeakMap<Toolset, Toolset>();

/** The toolset without the tools that search the raw context. */
export function withoutSearch(toolset: Toolset): Toolset {
  const known = withoutSearchOf.get(toolset);
  if (known) return known;
  const tools = toolset.tools.filter((tool) => !tool.searchesContext);
  const reduced =
    tools.length === toolset.tools.length ? toolset : { name: `${toolset.name}-without-raw-context`, tools };
  withoutSearchOf.set(toolset, reduced);
  return reduced;
}

/** Throws `config` for a toolset that there is not. */
export function toolsetNamed(name: string): Toolset {
  const toolset = Object.hasOwn(toolsets, name) ? toolsets[name as ToolsetName] : undefined;
  if (!toolset)
    throw new UmaError("config", `there is no toolset "${name}"`, {
      fix: `toolsets: ${Object.keys(toolsets).join(", ")}`,
    });
  return toolset;
}
