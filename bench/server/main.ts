/** `node --import tsx bench/server/main.ts [--latency ms] [--failure-rate p] [--hang-rate p] [--port n]`: says its URL, and serves. */
import { parseArgs } from "node:util";
import { standInServer } from "./stand-in-server.ts";

const { values } = parseArgs({
  options: {
    latency: { type: "string", default: "0" },
    "failure-rate": { type: "string", default: "0" },
    "hang-rate": { type: "string", default: "0" },
    seed: { type: "string", default: "0" },
    port: { type: "string", default: "0" },
    "outage-at": { type: "string" },
    "outage-ms": { type: "string", default: "5000" },
  },
});
const server = await standInServer({
  latency: Number(values.latency),
  failureRate: Number(values["failure-rate"]),
  hangRate: Number(values["hang-rate"]),
  seed: Number(values.seed),
  port: Number(values.port),
  outage:
    values["outage-at"] === undefined
      ? null
      : { request: Number(values["outage-at"]), ms: Number(values["outage-ms"]) },
});
process.stdout.write(`${server.url}\n`);
// the end of whoever started it is its own
process.stdin.on("end", () => process.exit(0)).resume();
