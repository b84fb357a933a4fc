// A thread's first file where the code is TypeScript: the loader that its process was started with does not reach a
// thread's dynamic imports, so it is registered here again. Compiled code starts at worker.js.
import { register } from "tsx/esm/api";

register();
export default (await import("./worker.ts")).default;
