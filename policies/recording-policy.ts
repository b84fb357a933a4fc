/** Any policy, with a transcript of what it was shown and what it replied. */
import type { Policy } from "./policy.ts";
import { textOf } from "./tool-call-parsing/parse-native.ts";
import { shownHash, shownIn, type Transcript, type TranscriptTurn } from "./transcript.ts";

export interface RecordingPolicy extends Policy {
  /** What was recorded so far, in the order of the replies; without turns where they were written elsewhere. */
  transcript(): Transcript;
}

export interface RecordingOptions {
  /** `false` keeps hashes only: a tenth of the size, and a mismatch can be seen but not explained. */
  readonly messages?: boolean;
  /** Gets each turn when it was had (see transcript-file.ts), instead of `transcript()`: a long run must not grow. */
  readonly write?: (turn: TranscriptTurn) => void;
}

export function recordingPolicy(policy: Policy, options: RecordingOptions = {}): RecordingPolicy {
  const turns: TranscriptTurn[] = [];
  return {
    ...policy,
    async sample(request) {
      const shown = shownIn(request);
      const sample = await policy.sample(request);
      const { text, calls, usage, cut, message } = sample;
      const write = options.write ?? ((turn: TranscriptTurn) => void turns.push(turn));
      write({
        hash: shownHash(shown),
        ...((options.messages ?? true) ? { shown } : {}),
        reply: { text, content: textOf(message), calls: [...calls], usage: usage === null ? null : { ...usage }, cut },
      });
      return sample;
    },
    transcript: () => ({ format: "umagraph-transcript", version: 1, policy: policy.name, turns: [...turns] }),
  };
}
