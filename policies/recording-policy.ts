/** Any policy, with a transcript of what it was shown and what it replied. */
import type { Policy } from "./policy.ts";
import { textOf } from "./tool-call-parsing/parse-native.ts";
import { shownHash, shownIn, type Transcript, type TranscriptTurn } from "./transcript.ts";

export interface RecordingPolicy extends Policy {
  /** What was recorded so far, in the order of the replies. */
  transcript(): Transcript;
}

/** `messages: false` keeps hashes only: a tenth of the size, and a mismatch can be seen but not explained. */
export function recordingPolicy(policy: Policy, options: { readonly messages?: boolean } = {}): RecordingPolicy {
  const turns: TranscriptTurn[] = [];
  return {
    ...policy,
    async sample(request) {
      const shown = shownIn(request);
      const sample = await policy.sample(request);
      const { text, calls, usage, cut, message } = sample;
      turns.push({
        hash: shownHash(shown),
        ...((options.messages ?? true) ? { shown } : {}),
        reply: { text, content: textOf(message), calls: [...calls], usage: usage === null ? null : { ...usage }, cut },
      });
      return sample;
    },
    transcript: () => ({ format: "umagraph-transcript", version: 1, policy: policy.name, turns: [...turns] }),
  };
}
