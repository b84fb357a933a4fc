/**
 * Makes the embedded policy: `node --import tsx trainers/sft/build-policy.ts --folder runs/policy --learner http://127.0.0.1:8700`.
 *
 * Without --learner only the sessions and the initial model are made; start a learner that serves FOLDER/initial, then run it
 * again. It can be stopped at any time and goes on from its last checkpoint.
 */
import { parseArgs } from "node:util";
import { preparePolicy } from "./prepare-policy.ts";
import { embeddedPolicy } from "./recipe.ts";
import { trainPolicy } from "./train-policy.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string", default: "runs/policy" },
    learner: { type: "string" },
    steps: { type: "string" },
  },
});
const say = (line: string) => process.stderr.write(`${line}\n`);
const recipe = { ...embeddedPolicy, ...(values.steps !== undefined && { steps: Number(values.steps) }) };
await preparePolicy(values.folder, recipe, say);
if (values.learner !== undefined) {
  const published = await trainPolicy({
    folder: values.folder,
    recipe,
    learner: values.learner,
    onReport: (report) => say(JSON.stringify(report)),
  });
  say(`published as ${published}`);
}
