/** What a caller may add when a graph is compiled; Studio brings its own checkpointer. */
import type { BaseCheckpointSaver } from "@langchain/langgraph";

export interface CompileOptions {
  readonly checkpointer?: BaseCheckpointSaver;
}
