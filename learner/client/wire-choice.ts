/** Which dialect the server reads: set by the user or the profile, or found out with the first call. */
import type { Dialect } from "../wire/dialect.ts";
import { jsonDialect } from "../wire/json-dialect.ts";
import { protoDialect } from "../wire/proto-dialect.ts";
import type { Reply } from "./link.ts";
import type { Part } from "./parts.ts";

export interface WireChoice {
  /** Protobuf as long as nothing else is known. */
  dialect(): Dialect;
  decided(): boolean;
  /** Whether results may come as protobuf. */
  readonly protoResults: boolean;
  /** Sends a part, and with it finds out the dialect if that is not known yet. */
  send(part: Part, post: (dialect: Dialect, encoded: readonly unknown[]) => Promise<Reply>): Promise<Reply>;
}

export function createWireChoice(wire: "auto" | "proto" | "json"): WireChoice {
  let chosen: Dialect | null = wire === "auto" ? null : wire === "json" ? jsonDialect : protoDialect;
  return {
    dialect: () => chosen ?? protoDialect,
    decided: () => chosen !== null,
    protoResults: wire !== "json",
    async send(part, post) {
      const first = await post(part.dialect, part.encoded);
      if (chosen !== null) return first;
      if (first.status < 300) chosen = protoDialect;
      if (!unreadable.has(first.status)) return first;
      // the same call, under the same number: a server that did read the first one gives the same answer again
      const second = await post(
        jsonDialect,
        part.datums.map((datum) => jsonDialect.encodeDatum(datum).encoded),
      );
      if (second.status < 300) chosen = jsonDialect;
      return noJson.has(second.status) ? first : second;
    },
  };
}

/** How servers answer a body they cannot read. */
const unreadable = new Set([400, 415, 422]);

/** How a server answers that has no JSON route any more. */
const noJson = new Set([404, 405, 415]);
