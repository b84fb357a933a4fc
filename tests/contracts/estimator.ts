/** What every estimator and every credit rule keeps to, whatever it compares with what. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Stage } from "../../nodes/session/record.ts";
import { assignCredit } from "../../trainers/advantages/assign-credit.ts";
import type { Credit, CreditRule } from "../../trainers/advantages/credit-rule.ts";
import {
  type Advantages,
  advantageOptions,
  type Estimator,
  type Rewards,
} from "../../trainers/advantages/estimator.ts";
import type { Schedule } from "../../trainers/advantages/schedule.ts";
import type { SampledContext } from "../../trainers/rewards/session-grid.ts";
import type { Table } from "../../trainers/rewards/table.ts";

type Cell = number | null;

/** Steps of 1/16, so that shifts and powers of two are exact and equal rewards are common. */
const reward = fc.integer({ min: 0, max: 32 }).map((n) => n / 16);
const cell: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 4, arbitrary: reward },
  { weight: 1, arbitrary: fc.constant(null) },
);
const table = (rows: number, columns: number): fc.Arbitrary<Cell[][]> =>
  fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: rows, maxLength: rows });

const size = (max: number) => fc.integer({ min: 0, max });
const oneContext = fc
  .tuple(size(5), size(3), size(4))
  .chain(([G, N, M]) => fc.record({ R_mem: table(G, N), R_qa: table(G, M), r_outcome: table(G, M) }));
const raggedTable = (rows: number) => fc.array(fc.array(cell, { maxLength: 3 }), { minLength: rows, maxLength: rows });
const raggedContext = size(4).chain((G) =>
  fc.record({ R_mem: raggedTable(G), R_qa: raggedTable(G), r_outcome: raggedTable(G) }),
);
const someUpdate = fc.array(oneContext, { maxLength: 3 });

const holds = <Value>(value: fc.Arbitrary<Value>, check: (value: Value) => void) =>
  fc.assert(fc.property(value, check), { seed: 7, numRuns: 100 });

type Tables = Readonly<Record<"R_mem" | "R_qa" | "r_outcome", Table>>;
const mapTables = (context: Tables, map: (table: Table) => Table): Tables => ({
  R_mem: map(context.R_mem),
  R_qa: map(context.R_qa),
  r_outcome: map(context.r_outcome),
});
const mapRewards = (update: readonly Rewards[], map: (reward: number) => number) =>
  update.map((context) =>
    mapTables(context, (rows) => rows.map((row) => row.map((r) => (r === null ? null : map(r))))),
  );
const valuesOf = ({ A_mem, A_qa }: Advantages) => [...A_mem.flat(), ...A_qa.flat()];

function expectClose(got: readonly Advantages[], expected: readonly Advantages[], tolerance: number): void {
  const wanted = expected.flatMap(valuesOf);
  const values = got.flatMap(valuesOf);
  expect(values.map((value) => value === null)).toEqual(wanted.map((value) => value === null));
  const worst = values.map((value, n) => Math.abs((value ?? 0) - (wanted[n] ?? 0)));
  expect(Math.max(0, ...worst)).toBeLessThanOrEqual(tolerance);
}

export interface EstimatorContractOptions {
  /** The advantages that one comparison gave, group by group: each group has to sum to 0. */
  readonly groups: (advantages: Advantages) => readonly (readonly Cell[])[];
  /** Why a question's advantages depend on the other questions, where they do. */
  readonly comparesQuestions?: string;
}

export function estimatorContract(estimator: Estimator, { groups, comparesQuestions }: EstimatorContractOptions): void {
  const options = advantageOptions();
  const estimate = (update: readonly Rewards[]) => estimator.estimate(update, options);
  const one = (context: Rewards) => estimate([context])[0]!;

  describe(`${estimator.name} keeps the contract of an estimator`, () => {
    it("gives every reward one finite advantage or null, and no advantage where there is no reward", () => {
      holds(fc.array(fc.oneof(oneContext, raggedContext), { maxLength: 3 }), (update) => {
        const frozen = JSON.stringify(update);
        const advantages = estimate(update);
        expect(JSON.stringify(update)).toBe(frozen);
        expect(advantages).toHaveLength(update.length);
        for (const [c, { A_mem, A_qa }] of advantages.entries()) {
          for (const [A, R] of [[A_mem, update[c]!.R_mem] as const, [A_qa, update[c]!.R_qa] as const]) {
            expect(A.map((row) => row.length)).toEqual(R.map((row) => row.length));
            A.flat().forEach((advantage, n) => {
              if (advantage !== null) expect(Number.isFinite(advantage) && R.flat()[n] !== null).toBe(true);
            });
          }
        }
      });
    });

    it("permuting trajectories, chunks or questions permutes the advantages and changes no bit of them", () => {
      const turned = (rows: Table) => rows.toReversed().map((row) => row.toReversed());
      holds(someUpdate, (update) => {
        const permuted = estimate(update.map((context) => mapTables(context, turned)));
        const expected = estimate(update).map(({ A_mem, A_qa }) => ({ A_mem: turned(A_mem), A_qa: turned(A_qa) }));
        expect(permuted).toEqual(expected);
      });
    });

    it("does not change when every reward is shifted by the same amount", () => {
      holds(fc.tuple(someUpdate, fc.integer({ min: -8, max: 8 })), ([update, shift]) => {
        expectClose(estimate(mapRewards(update, (r) => r + shift)), estimate(update), 1e-9);
      });
    });

    it("does not change when every reward is scaled by the same positive factor, up to ε", () => {
      holds(fc.tuple(someUpdate, fc.constantFrom(0.25, 2, 8)), ([update, factor]) => {
        const scaled = mapRewards(update, (r) => r * factor);
        expectClose(estimate(scaled), estimate(update), 1e-2);
        const withEps = estimator.estimate(scaled, { ...options, eps_std: options.eps_std * factor });
        expectClose(withEps, estimate(update), 1e-12);
      });
    });

    it("sums to 0 within each group", () => {
      holds(someUpdate, (update) => {
        for (const group of estimate(update).flatMap(groups))
          expect(Math.abs(group.reduce<number>((sum, advantage) => sum + (advantage ?? 0), 0))).toBeLessThan(1e-9);
      });
    });

    it("gives exactly 0 where all rewards are the same", () => {
      holds(fc.tuple(reward, size(3), size(3)), ([value, N, M]) => {
        const rows = (columns: number) => [0, 1].map(() => Array<number>(columns).fill(value / 3));
        // grpo has no return to compare without questions
        for (const advantage of valuesOf(one({ R_mem: rows(N), R_qa: rows(M), r_outcome: rows(M) })))
          expect(M === 0 ? (advantage ?? 0) : advantage).toBe(0);
      });
    });

    it("a trajectory that failed as a whole changes nothing else", () => {
      holds(oneContext, (context) => {
        const withFailed = (rows: Table): Table => [...rows, (rows[0] ?? []).map(() => null)];
        const { A_mem, A_qa } = one(mapTables(context, withFailed));
        expect({ A_mem: A_mem.slice(0, -1), A_qa: A_qa.slice(0, -1) }).toEqual(one(context));
      });
    });

    it("a chunk or question whose sessions all failed changes nothing else", () => {
      holds(oneContext, (context) => {
        const { A_mem, A_qa } = one(mapTables(context, (rows) => rows.map((row) => [null, ...row])));
        expect({ A_mem: A_mem.map((row) => row.slice(1)), A_qa: A_qa.map((row) => row.slice(1)) }).toEqual(
          one(context),
        );
      });
    });

    it("a context does not depend on the other contexts of the update", () => {
      holds(someUpdate, (update) => {
        expect(estimate(update)).toEqual(update.map(one));
      });
    });

    it.skipIf(comparesQuestions)(
      `a question's advantages do not depend on other questions${comparesQuestions ? ` (skipped: ${comparesQuestions})` : ""}`,
      () => {
        holds(oneContext, (context) => {
          const alone = { ...context, ...mapTables(context, (rows) => rows.map((row) => row.slice(0, 1))) };
          expect(one(alone).A_qa).toEqual(one(context).A_qa.map((row) => row.slice(0, 1)));
        });
      },
    );

    it("nothing gives nothing, and groups without two rewards give null", () => {
      expect(estimate([])).toEqual([]);
      const empty = { R_mem: [], R_qa: [], r_outcome: [] };
      expect(one(empty)).toEqual({ A_mem: [], A_qa: [] });
      const lone = { R_mem: [[null], [null]], R_qa: [[1], [null]], r_outcome: [[1], [null]] };
      expect(one(lone)).toEqual({ A_mem: [[null], [null]], A_qa: [[null], [null]] });
      const nulls = mapTables(lone, () => [[null, null], [null], []]);
      expect(valuesOf(one(nulls))).toEqual([null, null, null, null, null, null]);
    });

    it("tables of different trajectories, and rewards that are no finite numbers, are refused", () => {
      const good = { R_mem: [[1], [0]], R_qa: [[1], [0]], r_outcome: [[1], [0]] };
      for (const wrong of [{ R_mem: [[1]] }, { R_qa: [] }, { r_outcome: [[1], [1], [1]] }])
        expect(() => one({ ...good, ...wrong })).toThrow(/row per trajectory/);
      for (const odd of [Number.NaN, Number.POSITIVE_INFINITY])
        expect(() => one(mapTables(good, () => [[odd], [0]]))).toThrow(/finite/);
    });
  });
}

export interface CreditRuleContractOptions {
  /** Contexts with at least two trajectories, whose records all ended well. */
  readonly update: readonly SampledContext[];
  readonly schedules: readonly Schedule[];
  /** A further session of the first context that failed. */
  readonly failed: SampledContext["records"][number];
}

export function creditRuleContract(rule: CreditRule, { update, schedules, failed }: CreditRuleContractOptions): void {
  const sessions = update.flatMap(({ records }) => records);
  const plain = (credits: ReadonlyMap<string, Credit>) => Object.fromEntries(credits);

  describe(`${rule.name} keeps the contract of a credit rule`, () => {
    it("gives each session one credit: a number, or null with a reason", () => {
      const credits = rule.assign(update);
      expect([...credits.keys()].sort()).toEqual(sessions.map(({ id }) => id).sort());
      for (const { advantage, reason } of credits.values()) expect(advantage === null).toBe(reason !== null);
      expect([...credits.values()].some(({ advantage }) => advantage !== null && advantage !== 0)).toBe(true);
    });

    it("does not depend on the order of records and scores", () => {
      const reversed = update.map((sampled) => ({
        ...sampled,
        records: sampled.records.toReversed(),
        scores: sampled.scores.toReversed(),
      }));
      expect(plain(rule.assign(reversed))).toEqual(plain(rule.assign(update)));
    });

    it("a session that failed gets null and changes nothing else", () => {
      const [first, ...others] = update;
      const credits = plain(rule.assign([{ ...first!, records: [...first!.records, failed] }, ...others]));
      const { [failed.id]: broken, ...rest } = credits;
      expect(broken).toMatchObject({ advantage: null, reason: "failed" });
      expect(rest).toEqual(plain(rule.assign(update)));
    });

    it("a stage that an update does not train gets null with a reason, the other what it would have got", () => {
      for (const schedule of schedules) {
        const credits = [0, 1, 2, 3].map((index) => assignCredit(rule, update, { schedule, update: index }));
        for (const assigned of credits) {
          const trained = new Set<Stage>();
          for (const { id, stage } of sessions) if (assigned.get(id)!.advantage !== null) trained.add(stage);
          for (const { id, stage } of sessions) {
            const frozen = { advantage: null, reason: "frozen-stage" };
            expect(assigned.get(id)).toEqual(trained.has(stage) ? rule.assign(update).get(id) : frozen);
          }
          expect(trained.size).toBe(schedule.kind === "joint" ? 2 : 1);
        }
      }
    });
  });
}
