// `npm run demo` and `npm test` on a fresh machine: installs what is missing, says so, then runs. Node built-ins only.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureEnvironment, ensureTestTools, serviceFolder } from "./learner/environment.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const stamp = join(root, "node_modules", ".umagraph-installed");

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) fail(`umagraph needs Node 20.19 or newer; this is ${process.version}`);

// Ctrl-C goes to what runs below as well, which knows how to end; nothing is begun after it
let interrupted = false;
process.on("SIGINT", () => {
  interrupted = true;
});

const [task, ...rest] = process.argv.slice(2);
if (task === "demo") {
  await install();
  process.exit(await run(process.execPath, [join(root, "cli", "umagraph.mjs"), "demo", ...rest]));
} else if (task === "test") process.exit(await test(rest));
else if (task === "install") await Promise.all([install(), learnerPython()]);
else fail(`bootstrap: expected "demo", "test" or "install", got "${task ?? ""}"`);

/** Node modules, once per lock file and Node ABI: the native ones do not load under another. */
async function install() {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .update(process.versions.modules)
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  if (installedByNpm()) {
    writeFileSync(stamp, lock);
    return;
  }
  console.error("umagraph: installing node modules (two native ones are compiled; this takes 2 to 4 minutes, once)");
  const started = Date.now();
  const ticking = process.stderr.isTTY ? [] : ["--no-progress"];
  // npm prints nothing for minutes while a native module compiles
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const done = await run(
    npm,
    ["ci", "--no-audit", "--no-fund", "--foreground-scripts", "--loglevel=warn", ...ticking],
    {
      stdio: ["ignore", 2, 2],
    },
  );
  if (done !== 0)
    fail(
      "npm ci failed; its messages are above. A C++ compiler and make are needed for better-sqlite3 and hnswlib-node",
      done,
    );
  writeFileSync(stamp, lock);
  console.error(`umagraph: installed in ${Math.round((Date.now() - started) / 1000)} s`);
}

/** A plain `npm ci` or `npm install` has done it already: npm's own record is not older than the lock file, and the natives load. */
function installedByNpm() {
  const record = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record) || statSync(record).mtimeMs < statSync(join(root, "package-lock.json")).mtimeMs) return false;
  const load = "require('better-sqlite3')(':memory:').close(); require('hnswlib-node')";
  return spawnSync(process.execPath, ["-e", load], { cwd: root, stdio: "ignore" }).status === 0;
}

/**
 * Types, lint and format, then every test of both languages (the architecture test is one of them). Arguments go to vitest,
 * and leave the rest out.
 */
async function test(args) {
  const vitest = [join(root, "node_modules", "vitest", "vitest.mjs"), "run", "--root", root, ...args];
  if (args.length > 0) {
    await install();
    return run(process.execPath, vitest);
  }
  const [python] = await Promise.all([learnerPython(), install()]);
  if (interrupted) return 130;
  for (const [name, bin, ...given] of [
    ["types", "typescript/bin/tsc", "--noEmit", "-p", root],
    ["lint and format", "@biomejs/biome/bin/biome", "check", root],
  ]) {
    console.error(`umagraph: ${name}`);
    const status = await run(process.execPath, [join(root, "node_modules", bin), ...given]);
    if (status !== 0) fail(`${name}: failed`, status);
  }
  console.error("umagraph: tests");
  const typescript = await run(process.execPath, vitest);
  if (interrupted) return 130;
  if (python === null) return typescript;
  console.error("umagraph: tests of the learner service");
  const results = process.env.UMAGRAPH_PYTEST_RESULTS;
  const pytest = ["-m", "pytest", "-q", ...(results ? [`--junitxml=${results}`] : [])];
  const env = { ...process.env, OMP_NUM_THREADS: "1", PYTHONPATH: serviceFolder };
  return (await run(python, pytest, { cwd: serviceFolder, env })) || typescript;
}

/** Null where there is no Python that fits: the service's tests are then left out, and it is said. */
async function learnerPython() {
  const say = (line) => console.error(`umagraph: ${line}`);
  try {
    const python = await ensureEnvironment({ say });
    await ensureTestTools(python, { say });
    return python;
  } catch (thrown) {
    say(`the learner service and what needs it are not tested: ${thrown.message}`);
    return null;
  }
}

/** Its exit status; 1 when a signal ended it. */
function run(command, args, options = {}) {
  return new Promise((resolve) => {
    spawn(command, args, { cwd: root, stdio: "inherit", ...options })
      .on("error", ({ message }) => fail(`${command}: ${message}`))
      .on("close", (status) => resolve(status ?? 1));
  });
}

function fail(message, status = 1) {
  console.error(`umagraph: ${message}`);
  process.exit(status);
}
