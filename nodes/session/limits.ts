/** Hard limits of one session (UMA App. F and I: 16,384 tokens = 8,192 for the initial prompt + 8,192 for what follows). */
import { z } from "zod";

export const SessionLimits = z.object({
  /** Tokens of the initial prompt: instruction, tool specs, core, focus. */
  promptTokens: z.int().min(256).default(8_192),
  /** Tokens of everything after it: samples, observations, notices. */
  interactionTokens: z.int().min(128).default(8_192),
  /** Policy calls; the last one is sampled without tools. The paper gives none; its code uses 10 and 100. */
  maxTurns: z.int().min(1).default(32),
  /** Tool calls taken per turn. */
  maxCalls: z.int().min(1).default(16),
  /** Tokens of one observation. */
  maxObservation: z.int().min(32).default(4_096),
});
export type SessionLimits = z.infer<typeof SessionLimits>;

/** Tokens kept free for the reply of the last turn, so that a session that spent its budget on tools can still say something. */
export const finalAnswer = (limits: SessionLimits) => Math.min(1_024, Math.floor(limits.interactionTokens / 4));
