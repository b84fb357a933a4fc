/** The two ways to write a forward_backward: protobuf (SDK 0.25 and later) and JSON (up to 0.24). Results are read in either. */
import type { Datum } from "./datum.ts";

export interface ForwardCall {
  readonly modelId: string;
  readonly seqId: number;
  readonly lossFn: string;
  /** Scalars only; no engine takes tensors here. */
  readonly config: Readonly<Record<string, number>>;
  /** Scores, and leaves the gradient alone. */
  readonly forwardOnly: boolean;
}

export interface Body {
  readonly route: string;
  readonly contentType: string;
  readonly bytes: Uint8Array | string;
  /** Bytes it takes, for budgets. */
  readonly size: number;
}

/** `Encoded` is a datum ready to be put into a body. */
export interface Dialect<Encoded = unknown> {
  readonly name: "proto" | "json";
  encodeDatum(datum: Datum): { readonly encoded: Encoded; readonly size: number };
  body(call: ForwardCall, data: readonly Encoded[]): Body;
}
