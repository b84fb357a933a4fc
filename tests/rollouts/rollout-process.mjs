// `node rollout-process.mjs`: a process of its own, for tests that kill it; goes on with the run that its input names.
import "@langchain/core/messages";
import "@langchain/openai";
import "@langchain/langgraph";
// after the packages, which need no loader and are read faster without
import { register } from "tsx/esm/api";

register();
const { openaiPolicy } = await import("../../policies/openai.ts");
const { resumeWords } = await import("../evals/run-words.ts");
let given = "";
for await (const piece of process.stdin) given += piece;
const { folder, spec } = JSON.parse(given);
const { policy: _, ...options } = spec;
const result = await resumeWords(folder, { policy: openaiPolicy(options, {}), giveUpAfter: 0 });
process.stdout.write(JSON.stringify(result));
