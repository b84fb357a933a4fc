// The learner's Python environment: found, made on first use, and known to be the one that the lock file asks for.
// Node built-ins only, since `npm test` makes it before anything else may be there.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** The folder that holds learner/service: of a clone, or of the installed package. */
export const packageRoot = [join(here, "..", ".."), join(here, "..", "..", "..")].find((folder) =>
  existsSync(join(folder, "learner", "service", "pyproject.toml")),
);

export const serviceFolder = packageRoot === undefined ? undefined : join(packageRoot, "learner", "service");

/** UMAGRAPH_LEARNER_VENV, or below a clone, or in the user's cache for an installed package. */
export function environmentFolder() {
  if (process.env.UMAGRAPH_LEARNER_VENV) return process.env.UMAGRAPH_LEARNER_VENV;
  if (packageRoot !== undefined && !packageRoot.split(sep).includes("node_modules"))
    return join(packageRoot, ".umagraph", "learner-venv");
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "umagraph", "learner-venv");
}

const pythonIn = (folder) =>
  process.platform === "win32" ? join(folder, "Scripts", "python.exe") : join(folder, "bin", "python");

/** The Python that runs the service, when the environment is there and up to date; null otherwise. */
export function environmentPython() {
  if (process.env.UMAGRAPH_PYTHON) return process.env.UMAGRAPH_PYTHON;
  const folder = environmentFolder();
  const stamp = join(folder, ".umagraph-installed");
  const python = pythonIn(folder);
  return existsSync(python) && existsSync(stamp) && readFileSync(stamp, "utf8") === lockHash() ? python : null;
}

function lockHash() {
  const lock = readFileSync(join(serviceFolder, "requirements.lock"));
  return createHash("sha256").update(lock).digest("hex");
}

/** A Python of at least 3.11 on the path, or null. */
export function findPython() {
  const names = process.env.UMAGRAPH_BASE_PYTHON
    ? [process.env.UMAGRAPH_BASE_PYTHON]
    : ["python3", "python3.13", "python3.12", "python3.11", "python"];
  return names.find((name) => {
    const test = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
    return spawnSync(name, ["-c", test], { stdio: "ignore" }).status === 0;
  });
}

/** What the service's own tests need besides, once per environment. */
export async function ensureTestTools(python, { say = () => {} } = {}) {
  const project = readFileSync(join(serviceFolder, "pyproject.toml"), "utf8");
  const tools = [...(project.match(/^dev = \[(.*)\]$/m)?.[1] ?? "").matchAll(/"([^"]+)"/g)].map(([, tool]) => tool);
  const wanted = tools.join(" ");
  const stamp = join(environmentFolder(), ".umagraph-test-tools");
  if (process.env.UMAGRAPH_PYTHON || (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted)) return;
  const log = `${environmentFolder()}.log`;
  await runStep([...installer(python), ...tools], { log, say });
  writeFileSync(stamp, wanted);
}

const hasUv = () => spawnSync("uv", ["--version"], { stdio: "ignore" }).status === 0;

const installer = (python) =>
  hasUv()
    ? ["uv", "pip", "install", "--python", python]
    : [python, "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off"];

/**
 * Makes the environment when it is not there. `say` gets a line now and then. Returns its Python; throws an Error whose
 * message says what to do. UMAGRAPH_TORCH_INDEX names a package index to take torch from, such as one of CPU-only wheels.
 */
export async function ensureEnvironment({ say = () => {}, signal } = {}) {
  const ready = environmentPython();
  if (ready !== null) return ready;
  if (serviceFolder === undefined) throw new Error("this installation lacks learner/service");
  const folder = environmentFolder();
  const python = pythonIn(folder);
  const log = `${folder}.log`;
  mkdirSync(dirname(folder), { recursive: true });
  const uv = hasUv();
  const base = findPython();
  if (base === undefined && !uv) {
    throw new Error(
      "the learner needs Python 3.11 or newer, and none was found; install one (with venv), or name it in UMAGRAPH_BASE_PYTHON",
    );
  }
  say(`learner: making its Python environment in ${folder} (some gigabytes with torch; a few minutes, once)`);
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(log, "");
  const lock = join(serviceFolder, "requirements.lock");
  const index = process.env.UMAGRAPH_TORCH_INDEX;
  const pip = installer(python);
  const torch = readFileSync(lock, "utf8").match(/^torch==\S+/m)?.[0];
  const steps = [
    uv ? ["uv", "venv", "--python", base ?? ">=3.11", folder] : [base, "-m", "venv", folder],
    ...(index && torch ? [[...pip, "--index-url", index, torch]] : []),
    [...pip, "-r", lock],
  ];
  for (const step of steps) await runStep(step, { log, say, signal });
  writeFileSync(join(folder, ".umagraph-installed"), lockHash());
  say("learner: environment ready");
  return python;
}

function runStep([command, ...args], { log, say, signal }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], signal });
    let said = Date.now();
    let last = "";
    const hear = (bytes) => {
      appendFileSync(log, bytes);
      last = bytes.toString("utf8").trim().split("\n").at(-1) || last;
      if (Date.now() - said < 5_000) return;
      said = Date.now();
      say(`learner: ${last.slice(0, 110)}`);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("error", (cause) => reject(new Error(`${command} does not start: ${cause.message}`)));
    child.on("close", (code) =>
      code === 0
        ? resolve()
        : reject(
            new Error(`${[command, ...args.slice(0, 3)].join(" ")} failed (${code}): ${last}; the whole log: ${log}`),
          ),
    );
  });
}
