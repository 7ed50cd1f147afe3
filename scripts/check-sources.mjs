/**
 * Facts about the files of the repository: `node scripts/check-sources.mjs [ROOT]`. The service's timers are those of a
 * clock, which catches what they throw, programs are started by a wrapper, and files of the data directory are opened by one. A test that only waits says what it saw, and none
 * has less time than the others. A function of native/ fits a
 * screen (biome.json holds those of src/ to the same), no file is larger than 3 MB, package-lock.json is complete and
 * names no download address (it would tie the build to one registry), and the versions in package.json are exact.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { missingEntries } from "./complete-lock.mjs";
import { bareWaits } from "./test/bare-waits.mjs";
import { shortLimits } from "./test/short-limits.mjs";

/** The same as `maxLines` in biome.json. */
const FUNCTION_LINES_MAX = 60;
/** The first line of a C or C++ function, by the project's indentation: not a statement, a type or a namespace. */
const FUNCTION_START =
  /^( *)(?!(?: |if|for|while|switch|else|do|try|namespace|class|struct|enum|extern|union)\b)(?! ).*[)\w] *\{$/;
/** A call of Node's timers that may throw, not the declaration of a clock's, nor that of the same name of "node:timers/promises". */
const BARE_TIMER = /(?<![.#\w] *|await )\bset(?:Timeout|Interval)\((?!run: |resolve, )/;
/** The clocks themselves, and programs that end with their timer. */
const BARE_TIMERS_IN = new Set(["src/base/time/clock.ts", "src/cli.ts", "src/kept/lmdb/walk.ts"]);
/** A call that starts a program or script, which Node returns without pipes where descriptors lack; not that of a regular expression. */
const BARE_START = /(?<![.#\w])(?:spawn|fork)\(/;
/** What wraps it, and programs of their own that may end with it. */
const BARE_STARTS_IN = new Set(["src/base/process/start-program.ts"]);
/** Node's calls that open a file, which wait for what lies in its place for ever, as imports. */
const BARE_OPEN =
  /^(?:open|openSync|readFile|readFileSync|appendFile|appendFileSync|writeFile|writeFileSync|createReadStream|createWriteStream)$/;
const FS_IMPORT = /import (?:type )?\{([^}]*)\} from "node:fs(?:\/promises)?"/g;
/** Who may: what opens files for the others; who reads the kernel, the package or what a user names; devices; a file under a new name. */
const BARE_OPENS_IN = new Set([
  "src/base/process/plain-file.ts",
  "src/away/restore.ts",
  "src/base/process/descriptor-limit.ts",
  "src/base/process/memory-limit.ts",
  "src/base/process/version.ts",
  "src/base/time/boot-id.ts",
  "src/base/time/clock-status.ts",
  "src/camera/device/model-catalogue.ts",
  "src/camera/device/neighbours.ts",
  "src/host/control/socket-address.ts",
  "src/demo/demo-cameras.ts",
  "src/health/disk/smartctl-processes.ts",
  "src/health/disk/system-files.ts",
  "src/health/history/machine-load.ts",
  "src/health/report/machine.ts",
  "src/http/kernel-connections.ts",
  "src/box/network/box-identity.ts",
  "src/owner/page/page-files.ts",
  "src/settings/settings.ts",
  "src/sight/detector/detector-child.ts",
  "src/sight/detector/detector-process.ts",
  "src/box/storage/disk-tools.ts",
  "src/box/storage/volume-mounts.ts",
  "src/host/systemd/credentials.ts",
  "src/box/update/inbox.ts",
]);
const FILE_BYTES_MAX = 3 * 1024 * 1024;
const EXACT_VERSION = /^(npm:.+@)?\d+\.\d+\.\d+$/;

/** Breaches among `files`, paths relative to `root`. */
export function checkSources(root, files) {
  const breaches = [];
  for (const file of files.filter((name) => existsSync(join(root, name)))) {
    const { size } = statSync(join(root, file));
    if (size > FILE_BYTES_MAX)
      breaches.push(`${file}: ${size} bytes; at most ${FILE_BYTES_MAX} belong into the repository`);
    if (/^native\/.*\.(c|cc|h)$/.test(file))
      breaches.push(...longFunctions(file, readFileSync(join(root, file), "utf8")));
    if (/^src\/(?!page\/).*\.ts$/.test(file))
      breaches.push(...bareCalls(file, readFileSync(join(root, file), "utf8")));
    if (/^src\/(?!page\/|command\/).*\.ts$/.test(file) && !BARE_OPENS_IN.has(file))
      breaches.push(...bareOpens(file, readFileSync(join(root, file), "utf8")));
    if (/^test\/.*\.test\.ts$/.test(file))
      breaches.push(...bareWaits(file, readFileSync(join(root, file), "utf8")));
    if (/^test\/(?!bench\/).*\.ts$/.test(file))
      breaches.push(...shortLimits(file, readFileSync(join(root, file), "utf8")));
  }
  return [...breaches, ...checkLock(root), ...checkVersions(root)];
}

/** What a bare timer's function throws, and what a bare start of a program tells of, ends the process. */
function bareCalls(file, text) {
  return text.split("\n").flatMap((line, at) => {
    const breaches = [];
    if (BARE_TIMER.test(line) && !BARE_TIMERS_IN.has(file))
      breaches.push("a timer of Node; take one of a Clock, whose faults end no process");
    if (BARE_START.test(line) && !BARE_STARTS_IN.has(file))
      breaches.push("a start by Node; take startProgram or startScript, which tell of every failure");
    return breaches.map((breach) => `${file}:${at + 1}: ${breach}`);
  });
}

/** What lies in a file's place may be a FIFO, which keeps who opens it waiting. */
function bareOpens(file, text) {
  return [...text.matchAll(FS_IMPORT)]
    .flatMap(([, names]) => names.split(",").map((name) => name.trim().split(" as ")[0]))
    .filter((name) => BARE_OPEN.test(name))
    .map(
      (name) =>
        `${file}: ${name} of Node; take readPlain, openPlain, replaceSmallFile or writeAfresh of base`,
    );
}

function longFunctions(file, text) {
  const lines = text.split("\n");
  return lines.flatMap((line, start) => {
    const indent = FUNCTION_START.exec(line)?.[1];
    if (indent === undefined) return [];
    const end = lines.findIndex((other, at) => at > start && other.startsWith(`${indent}}`));
    const length = end - start - 1;
    if (length <= FUNCTION_LINES_MAX) return [];
    return [`${file}:${start + 1}: a function of ${length} lines; split it (at most ${FUNCTION_LINES_MAX})`];
  });
}

function checkLock(root) {
  const text = readFileSync(join(root, "package-lock.json"), "utf8");
  const breaches = [];
  if (/"resolved": *"https?:/.test(text))
    breaches.push("package-lock.json: holds download addresses; run npm run lock");
  const missing = Object.keys(missingEntries(JSON.parse(text)));
  if (missing.length > 0) breaches.push(`package-lock.json: lacks ${missing.join(", ")}; run npm run lock`);
  return breaches;
}

function checkVersions(root) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([, version]) => !EXACT_VERSION.test(version))
    .map(([name, version]) => `package.json: ${name} ${version} is not an exact version`);
}

function filesOf(root) {
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
  });
  return list.toString("utf8").split("\0").filter(Boolean);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)));
  const breaches = checkSources(root, filesOf(root));
  for (const breach of breaches) console.error(breach);
  console.log(breaches.length === 0 ? "sources: in order" : `sources: ${breaches.length} breaches`);
  process.exitCode = breaches.length === 0 ? 0 : 1;
}
