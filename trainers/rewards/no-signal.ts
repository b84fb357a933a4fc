/**
 * Why a session has no reward or no advantage: absent is null and never zero, and every null says why.
 *
 * A session without signal leaves mean, deviation and loss. These are the reasons that rewards and the simple estimators
 * give; a credit rule may add its own.
 */
export const noSignal = {
  failed: "the session ended by an error",
  cancelled: "the session was cancelled",
  "no-outcome": "the answer has no score: the judge failed, or the metric cannot score this question",
  "no-trajectory-outcome": "no answer of this trajectory has a score",
  "lone-reward": "fewer than two rewards in its group",
  "frozen-stage": "this update does not train the session's stage",
} as const;

export type NoSignal = keyof typeof noSignal;
