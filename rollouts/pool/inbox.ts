/** The records of one task as they arrive, delivered one after the other. */
import type { MessagePort } from "node:worker_threads";
import type { SessionRecord } from "../../nodes/session/record.ts";
import type { DeliverRecord } from "../session-engine.ts";

export interface Inbox {
  /** Resolves when so many have been delivered; a task's result may overtake them. Rejects when a delivery failed. */
  received(count: number): Promise<void>;
  /** Resolves when the sender is gone and everything that it posted has been delivered. */
  closed(): Promise<void>;
}

export function openInbox(port: MessagePort, deliver: DeliverRecord): Inbox {
  let arrived = 0;
  let delivered: Promise<void> = Promise.resolve();
  let look = () => {};
  const gone = new Promise<void>((resolve) => port.once("close", resolve));
  port.on("message", (record: SessionRecord) => {
    arrived++;
    delivered = delivered.then(() => deliver(record));
    delivered.catch(() => {});
    look();
  });
  return {
    async received(count) {
      await new Promise<void>((resolve) => {
        look = () => arrived >= count && resolve();
        look();
      });
      port.close();
      await delivered;
    },
    async closed() {
      await gone;
      await delivered;
    },
  };
}
