// A thread's first file where the code is TypeScript: the loader that its process was started with does not reach a
// thread's dynamic imports, so it is registered here again. Compiled code starts at worker.js.
import "@langchain/core/messages";
import "@langchain/langgraph";
// after the packages: a loader that looks at each of their hundreds of files makes every thread start a second later
import { register } from "tsx/esm/api";

register();
export default (await import("./worker.ts")).default;
