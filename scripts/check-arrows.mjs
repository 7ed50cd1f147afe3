/**
 * Holds the arrows between the rooms of src/ (docs/design/index.md): `node scripts/check-arrows.mjs [ROOT]` prints
 * each breach and exits with 1 when there is one. Type imports count: a room that only knows another's types still
 * knows it. dependency-cruiser cannot do this: it has no reader for TypeScript 7.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const FRAME_ROOMS = ["rtsp", "archive", "picture", "event", "mp4"];
const SERVICE_ROOMS = ["camera", "recording", "health", "alarm", "update"];
const BELOW_API = ["base", "live", "site", "access", ...FRAME_ROOMS, ...SERVICE_ROOMS, "hls", "storage"];

/** What each room may import besides itself. Files beside the rooms (main, cli, settings, demo) may import all. */
export const ARROWS = {
  base: [],
  live: ["base"],
  lmdb: ["base"],
  site: ["base", "lmdb"],
  access: ["base", "site"],
  control: ["base"],
  systemd: ["base"],
  ...Object.fromEntries(FRAME_ROOMS.map((room) => [room, ["base", "live"]])),
  archive: ["base", "live", "lmdb"],
  event: ["base", "live", "lmdb"],
  ...Object.fromEntries(
    SERVICE_ROOMS.map((room) => [room, ["base", "live", "site", "access", ...FRAME_ROOMS]]),
  ),
  hls: ["base", "live", "archive", "picture", "mp4"],
  storage: ["base", "archive", "health"],
  demo: ["base", "live", "rtsp"],
  api: BELOW_API,
};

/** Doors of a room beside its index.ts. */
const SUB_DOORS = new Set(["rtsp/server/index.ts"]);
/** Packages that only the named files may import: each is wrapped once. */
const WRAPPED_PACKAGES = new Map([
  ["uWebSockets.js", /^api\/(http-server|library-request|request-body|response|stream-response)\.ts$/],
  ["lmdb", /^(lmdb\/environment|site\/configuration-database)\.ts$/],
  ["ldapts", /^access\/ldap-(connection|library)\.ts$/],
  ["node-onvif", /^camera\//],
  ["sharp", /^picture\//],
  ["nodemailer", /^alarm\/mail-sender\.ts$/],
  ["systeminformation", /^health\/disk-names-child\.ts$/],
  ["rtsp-stream", /^rtsp\//],
]);
const IMPORT =
  /\b(?:import|export)\b(?:\s+type\b)?[\s\w{},*$]*?\bfrom\s*["']([^"']+)["']|\bimport\s*\(?\s*["']([^"']+)["']|\bnew\s+URL\(\s*["'](\.[^"']+\.js)["']/g;
const COMMENT = /(^|[\s;{}(),])(?:\/\*[\s\S]*?\*\/|\/\/[^\n]*)/g;

/** Specifiers that a TypeScript source imports, types, re-exports, dynamic imports and worker URLs included. */
export function importsOf(source) {
  return [...source.replace(COMMENT, "$1").matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3]);
}

/** Every breach of the arrows below `root`/src, as sentences. */
export function checkArrows(root) {
  const src = join(root, "src");
  const breaches = [];
  const graph = new Map();
  for (const room of readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    breaches.push(...checkDoor(src, room.name));
  }
  for (const file of readdirSync(src, { recursive: true }).filter(
    (name) => /\.ts$/.test(name) && !/\.d\.ts$/.test(name),
  )) {
    const targets = [];
    for (const specifier of importsOf(readFileSync(join(src, file), "utf8"))) {
      if (!specifier.startsWith(".")) breaches.push(...checkPackage(file, specifier));
      else {
        const target = normalize(join(dirname(file), specifier)).replace(/\.js$/, ".ts");
        targets.push(target);
        breaches.push(...checkImport(file, target));
      }
    }
    graph.set(file, targets);
  }
  return [...breaches, ...cyclesOf(graph)];
}

function checkDoor(src, room) {
  if (ARROWS[room] === undefined)
    return [`src/${room}: a room without arrows; add it to scripts/check-arrows.mjs`];
  const door = join(src, room, "index.ts");
  if (!existsSync(door)) return [`src/${room}: no index.ts`];
  const header = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(door, "utf8"))?.[1] ?? "";
  const lacking = ["Belongs here:", "Does not belong here:"].filter((text) => !header.includes(text));
  return lacking.map((text) => `src/${room}/index.ts: the header does not say "${text}"`);
}

function checkPackage(file, specifier) {
  const allowed = WRAPPED_PACKAGES.get(specifier);
  if (allowed === undefined || allowed.test(file)) return [];
  return [`src/${file}: imports ${specifier}, which only its wrapper may (${allowed.source})`];
}

function checkImport(file, target) {
  const from = roomOf(file);
  const to = roomOf(target);
  if (to === from) return [];
  if (to === undefined) return [`src/${file}: a room may not import ${target}, which stands above it`];
  if (from !== undefined && !(ARROWS[from] ?? []).includes(to)) {
    return [`src/${file}: ${from} may not import ${to} (${target})`];
  }
  if (target === `${to}/index.ts` || SUB_DOORS.has(target)) return [];
  return [`src/${file}: imports ${target} past the room's door; import ${to}/index.js`];
}

function roomOf(file) {
  const slash = file.indexOf("/");
  return slash < 0 ? undefined : file.slice(0, slash);
}

/** Import cycles between files; a cycle is told once, from its first file in the alphabet. */
function cyclesOf(graph) {
  const done = new Set();
  const found = new Set();
  const visit = (file, path) => {
    const seen = path.indexOf(file);
    if (seen >= 0) {
      const cycle = path.slice(seen);
      const first = cycle.indexOf([...cycle].sort()[0]);
      found.add(
        `import cycle: ${[...cycle.slice(first), ...cycle.slice(0, first), cycle[first]].join(" -> ")}`,
      );
      return;
    }
    if (done.has(file)) return;
    for (const target of graph.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of [...graph.keys()].sort()) visit(file, []);
  return [...found];
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)));
  const breaches = checkArrows(root);
  for (const breach of breaches) console.error(breach);
  console.log(breaches.length === 0 ? "arrows: hold" : `arrows: ${breaches.length} broken`);
  process.exitCode = breaches.length === 0 ? 0 : 1;
}
