/** Which tools each phase offers: the paper's T_mem and T_qa (App. A), and the two variations of them. */
import { ledgerAggregate } from "./ledger-aggregate.ts";
import { memoryAdd } from "./memory-add.ts";
import { memoryBm25Retrieve } from "./memory-bm25-retrieve.ts";
import { memoryDelete } from "./memory-delete.ts";
import { memoryEmbeddingRetrieve } from "./memory-embedding-retrieve.ts";
import { memoryKeyRetrieve } from "./memory-key-retrieve.ts";
import { memoryList } from "./memory-list.ts";
import { memoryUpdate } from "./memory-update.ts";
import type { Phase, Tool } from "./tool.ts";

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

export const toolsOf = (toolset: Toolset, phase: Phase): readonly Tool[] =>
  toolset.tools.filter((tool) => tool.phases.includes(phase));
