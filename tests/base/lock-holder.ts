/** Takes the lock that it is told to take, and holds it until it is killed. */
import { takeProcessLock } from "../../base/process-lock.ts";

process.on("message", (path: string) => {
  takeProcessLock(path, "reading of this test");
  process.send!("held");
});
