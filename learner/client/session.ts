/** The client's session at the server: opened once, kept alive by heartbeats that never keep the process alive, finished on close. */
import { z } from "zod";
import { messageOf } from "../../base/errors.ts";
import { askJson } from "./ask-json.ts";
import type { Link } from "./link.ts";

export interface Session {
  readonly id: string;
  finish(): Promise<void>;
}

export interface SessionOptions {
  readonly sdkVersion: string;
  readonly tags: readonly string[];
}

const Created = z.looseObject({
  session_id: z.string(),
  info_message: z.string().nullish(),
  warning_message: z.string().nullish(),
  error_message: z.string().nullish(),
});

export async function openSession(link: Link, { sdkVersion, tags }: SessionOptions): Promise<Session> {
  const created = await askJson(link, "create_session", Created, {
    body: { tags, user_metadata: { client: "umagraph" }, sdk_version: sdkVersion, type: "create_session" },
  });
  for (const message of [created.warning_message, created.error_message])
    if (message) link.warn(`the learner says: ${message}`);
  const id = created.session_id;
  const stopBeating = beat(link, id);
  return {
    id,
    async finish() {
      stopBeating();
      // tried once: a server that is gone has forgotten the session anyway
      const body = JSON.stringify({ reason: { type: "success" }, detail: null });
      await link
        .ask("POST", `sessions/${encodeURIComponent(id)}/finish`, {
          body,
          timeoutMs: Math.min(link.limits.requestMs, FINISH_MS),
        })
        .catch((thrown: unknown) =>
          link.warn(`the learner was not told that the session is over: ${messageOf(thrown)}`),
        );
    },
  };
}

const FINISH_MS = 5_000;

function beat(link: Link, id: string): () => void {
  let answered = performance.now();
  let warned = false;
  let under = false;
  const body = JSON.stringify({ session_id: id, type: "session_heartbeat" });
  const timer = setInterval(async () => {
    if (under) return;
    under = true;
    const status = await link
      .ask("POST", "session_heartbeat", { body, timeoutMs: link.limits.heartbeatMs })
      .then((reply) => reply.status)
      .catch(() => null);
    under = false;
    const now = performance.now();
    if (status !== null && status < 300) {
      answered = now;
      warned = false;
    } else if (status === 410) {
      clearInterval(timer);
      link.warn(`the learner at ${link.url} has ended the session, and its models with it`);
    } else if (now - answered >= link.limits.heartbeatWarnMs && !warned && !link.signal.aborted) {
      warned = true;
      link.warn(
        `the learner at ${link.url} has not answered a heartbeat for ${Math.round((now - answered) / 1000)} s; servers drop the models of a silent session`,
      );
    }
  }, link.limits.heartbeatMs);
  timer.unref();
  link.signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  return () => clearInterval(timer);
}
