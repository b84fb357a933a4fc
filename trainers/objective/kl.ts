/**
 * Per-token estimators of Eq. 9's D_KL(π_θ ‖ π_ref) from Δ = log π_θ − log π_ref, and their slopes by log π_θ.
 *
 * They differ in what they descend. k1: nothing on average on-policy (E[∇ log π] = 0). k2: the reverse KL, on-policy.
 * k3: the forward KL's direction, on-policy. ρ·k3: the reverse KL, off-policy too.
 */
import type { Kl } from "./objective.ts";

const DELTA_BOUND = 20;
const ESTIMATE_BOUND = 10;

/** The estimate k(Δ); `rho` = π_θ/π_θold counts for ρ·k3 only. */
export function klEstimate({ kind, clamp }: Kl, delta: number, rho: number): number {
  switch (kind) {
    case "k1":
      return delta;
    case "k2":
      return 0.5 * delta * delta;
    case "k3":
      return clamp ? Math.min(k3(Math.min(Math.max(delta, -DELTA_BOUND), DELTA_BOUND)), ESTIMATE_BOUND) : k3(delta);
    case "rho-k3":
      return rho * k3(delta);
  }
}

/** ∂k/∂ log π_θ. */
export function klSlope({ kind, clamp }: Kl, delta: number, rho: number): number {
  switch (kind) {
    case "k1":
      return 1;
    case "k2":
      return delta;
    case "k3":
      return clamp && (Math.abs(delta) > DELTA_BOUND || k3(delta) > ESTIMATE_BOUND) ? 0 : -Math.expm1(-delta);
    case "rho-k3":
      return rho * delta;
  }
}

/** e^(−Δ) + Δ − 1 ≥ 0; expm1 keeps it so near 0. */
function k3(delta: number): number {
  return Math.expm1(-delta) + delta;
}
