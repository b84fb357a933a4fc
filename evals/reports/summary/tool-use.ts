/** Tool validity r_tool = N_valid / N_total by the default rule: repaired counts as valid, a miss counts in neither (contracts §3). */
import type { SessionRecord } from "../../../nodes/session/record.ts";
import type { CallVerdict } from "../../../tools/call.ts";

export type Verdicts = Readonly<Record<CallVerdict, number>>;

export interface ToolUse {
  readonly calls: number;
  readonly verdicts: Verdicts;
  /** N_total: every call but the misses. */
  readonly counted: number;
  /** Null when no call counts. */
  readonly validity: number | null;
  readonly tools: readonly { readonly name: string; readonly calls: number; readonly verdicts: Verdicts }[];
}

export function toolUse(records: readonly SessionRecord[]): ToolUse {
  const calls = records.flatMap((record) => record.calls);
  const verdicts = countVerdicts(calls);
  const counted = calls.length - verdicts.miss;
  const names = [...new Set(calls.map(({ name }) => name))].sort();
  return {
    calls: calls.length,
    verdicts,
    counted,
    validity: counted === 0 ? null : (verdicts.valid + verdicts.repaired) / counted,
    tools: names.map((name) => {
      const own = calls.filter((call) => call.name === name);
      return { name, calls: own.length, verdicts: countVerdicts(own) };
    }),
  };
}

function countVerdicts(calls: readonly { readonly verdict: CallVerdict }[]): Verdicts {
  const counts = { valid: 0, repaired: 0, miss: 0, invalid: 0, refused: 0 };
  for (const { verdict } of calls) counts[verdict]++;
  return counts;
}
