/** What a graph run brings to a step: its abort signal, and LangGraph's own control flow among what is thrown. */
import type { RunnableConfig } from "@langchain/core/runnables";
import type { SessionDeps } from "./deps.ts";

export const runSignal = (deps: SessionDeps, config?: RunnableConfig): AbortSignal | undefined =>
  deps.signal ?? config?.signal;

/** Interrupts travel as errors; they are not failures and have to reach LangGraph. */
export const isControlFlow = (thrown: unknown): boolean => thrown instanceof Error && "is_bubble_up" in thrown;
