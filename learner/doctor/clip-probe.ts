/** Whether `ppo` clips where it is told to, and where it does when it is told nothing. */
import { type ArithmeticProbe, near, ratio, shown } from "./arithmetic-probes.ts";
import { reported } from "./small-step.ts";
import type { Workbench } from "./workbench.ts";

/** At ρ = 1.15 everywhere and A = 1, an upper threshold of 1.1 leaves no gradient, one of 1.3 leaves all of it. */
export const clip: ArithmeticProbe = async (bench, profile) => {
  const { unit, datum, all } = bench;
  await bench.reset();
  const scores = await bench.scores();
  const ppo = (config: Record<string, number>) =>
    bench.effect((model) =>
      model.forwardBackward(
        [datum({ logprobs: scores.map((value) => value - Math.log(1.15)), advantages: all(1) })],
        "ppo",
        config,
      ),
    );
  const inside = ratio(await ppo({ clip_low_threshold: 0.8, clip_high_threshold: 1.3 }), unit);
  const outside = ratio(await ppo({ clip_low_threshold: 0.8, clip_high_threshold: 1.1 }), unit);
  const ok = near(inside, 1.15) && near(outside, 0, 0.1);
  const defaults = ok ? await clipDefaults(bench, scores) : null;
  return {
    line: {
      probe: "clip",
      checked: "ppo at a ratio of 1.15 with thresholds 0.8/1.3 and 0.8/1.1",
      saw: `within them ${shown(inside)} of a whole gradient, beyond them ${shown(outside)}${defaults ? `; without thresholds it clips at ${defaults.low.toFixed(2)}/${defaults.high.toFixed(2)}` : ""}`,
      meaning: ok
        ? "thresholds are ratios, as they are sent"
        : near(outside, 1.15)
          ? "thresholds are not taken as ratios (perhaps as distances from 1): ratios far outside the bounds would still be trained on"
          : "the clipped surrogate is not what it should be",
      ok,
    },
    profile: ok
      ? { clip: { unit: "ratio", defaults: defaults ?? profile.clip.defaults } }
      : near(outside, 1.15)
        ? { clip: { unit: "distance", defaults: profile.clip.defaults } }
        : {},
  };
};

/** From the reported loss with none sent: −Σ min(ρ, high) at A = 1, Σ max(ρ, low) at A = −1. Null where it is not reported as a sum. */
async function clipDefaults(bench: Workbench, scores: Float32Array): Promise<{ low: number; high: number } | null> {
  await bench.reset();
  const n = scores.length;
  const loss = async (rho: number, advantage: number) => {
    const data = [
      bench.datum({ logprobs: scores.map((value) => value - Math.log(rho)), advantages: bench.all(advantage) }),
    ];
    return reported((await bench.model().forward(data, "ppo")).metrics, "loss");
  };
  const [up, down] = [await loss(4, 1), await loss(0.1, -1)];
  if (up === null || down === null) return null;
  const [high, low] = [-up / n, down / n];
  return low > 0 && low < 1 && high > 1 && high < 4 ? { low: round(low), high: round(high) } : null;
}

const round = (value: number) => Math.round(value * 1000) / 1000;
