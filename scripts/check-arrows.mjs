/**
 * Holds all of src/ to the drawing in scripts/arrows.mjs: `node scripts/check-arrows.mjs [ROOT]` prints each breach and
 * exits with 1 when there is one. Type imports count: a room that only knows another's types still knows it.
 * dependency-cruiser cannot do this: it has no reader for TypeScript 7.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

import { ARROWS, OPEN_PARTS, PART_DOORS, PARTS, ROOT_FILES, WRAPPED_PACKAGES } from "./arrows.mjs";

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
  for (const room of foldersIn(src)) breaches.push(...checkRoom(src, room));
  for (const file of readdirSync(src, { recursive: true }).filter(
    (name) => /\.tsx?$/.test(name) && !/\.d\.ts$/.test(name),
  )) {
    const place = placeOf(file);
    if (place.room === undefined && ROOT_FILES[file] === undefined)
      breaches.push(`src/${file}: only ${Object.keys(ROOT_FILES).join(" and ")} stand beside the rooms`);
    const targets = [];
    for (const specifier of importsOf(readFileSync(join(src, file), "utf8"))) {
      if (!specifier.startsWith(".")) breaches.push(...checkPackage(file, specifier));
      else {
        const target = sourceOf(src, normalize(join(dirname(file), specifier)));
        targets.push(target);
        breaches.push(...checkImport(place, placeOf(target)));
      }
    }
    graph.set(file, targets);
  }
  return [...breaches, ...cyclesOf(graph)];
}

/** The source of an imported module: TypeScript names what it will be compiled to. */
function sourceOf(src, module) {
  const source = module.replace(/\.js$/, ".ts");
  return existsSync(join(src, source)) || !existsSync(join(src, `${source}x`)) ? source : `${source}x`;
}

/** Where a file stands: `room` is undefined beside the rooms, `part` where the file lies beside the room's parts. */
function placeOf(file) {
  const [room, part] = file.split("/").slice(0, -1);
  return { file, room, part };
}

function foldersIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

function checkRoom(src, room) {
  if (ARROWS[room] === undefined) return [`src/${room}: a room without arrows; add it to scripts/arrows.mjs`];
  const breaches = checkDoor(src, room);
  for (const part of foldersIn(join(src, room))) {
    if (!holdsCode(join(src, room, part))) continue;
    if (!(PARTS[room] ?? []).includes(part))
      breaches.push(`src/${room}/${part}: a part without a place in the order; add it to scripts/arrows.mjs`);
    else if (PART_DOORS.has(`${room}/${part}`)) breaches.push(...checkDoor(src, `${room}/${part}`));
  }
  return breaches;
}

function holdsCode(folder) {
  return readdirSync(folder).some((name) => /\.tsx?$/.test(name));
}

/** A door says what belongs behind it and what does not, names its parts, and names what leaves it one by one. */
function checkDoor(src, place) {
  const door = join(src, place, "index.ts");
  if (!existsSync(door)) return [`src/${place}: no index.ts`];
  const text = readFileSync(door, "utf8");
  const header = /^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? "";
  const parts = (PARTS[place] ?? []).map((part) => `\`${part}/\``);
  const lacking = ["Belongs here:", "Does not belong here:", ...parts].filter(
    (words) => !header.includes(words),
  );
  const breaches = lacking.map((words) => `src/${place}/index.ts: the header does not say "${words}"`);
  if (/^export \* from/m.test(text.replace(COMMENT, "$1")))
    breaches.push(`src/${place}/index.ts: "export *": name what leaves the room`);
  return [...breaches, ...checkRoomsNamed(src, place, header)];
}

/** What does not belong behind a door has another place: `(`event`)`, a room, a part (of this room or of its own), or a folder of the project. */
function checkRoomsNamed(src, place, header) {
  const others = /Does not belong here:([\s\S]*?)(\n \*\n|$)/.exec(header)?.[1] ?? "";
  const named = [...others.matchAll(/\(([^()]*)\)/g)].flatMap(([, words]) => [
    ...words.matchAll(/`([^`]+)`/g),
  ]);
  return named
    .map(([, name]) => name)
    .filter(
      (name) =>
        ![src, join(src, place), join(src, place, ".."), join(src, "..")].some((folder) =>
          existsSync(join(folder, name)),
        ),
    )
    .map((name) => `src/${place}/index.ts: the header names \`${name}\`, which is no room`);
}

function checkPackage(file, specifier) {
  const allowed = WRAPPED_PACKAGES.get(specifier);
  if (allowed === undefined || allowed.test(file)) return [];
  return [`src/${file}: imports ${specifier}, which only its wrapper may (${allowed.source})`];
}

function checkImport(from, to) {
  if (from.room === undefined || to.room === undefined) return checkRootImport(from, to);
  if (from.room !== to.room) {
    if (!(ARROWS[from.room] ?? []).includes(to.room))
      return [`src/${from.file}: ${from.room} may not import ${to.room} (${to.file})`];
    return checkRoomDoor(from, to);
  }
  if (from.part === to.part) return [];
  return checkPart(from, to);
}

/** Beside the rooms stand files that import rooms, and one another downwards; no room imports them. */
function checkRootImport(from, to) {
  if (from.room !== undefined)
    return [`src/${from.file}: a room may not import ${to.file}, which stands above it`];
  if (!(ROOT_FILES[from.file] ?? []).includes(to.room ?? to.file))
    return [`src/${from.file}: ${from.file} may not import ${to.room ?? to.file} (${to.file})`];
  return to.room === undefined ? [] : checkRoomDoor(from, to);
}

function checkRoomDoor(from, to) {
  const part = `${to.room}/${to.part}`;
  if (to.file === `${to.room}/index.ts`) return [];
  if (OPEN_PARTS.has(part) && to.file === `${part}/index.ts`) return [];
  return [`src/${from.file}: imports ${to.file} past the room's door; import ${to.room}/index.js`];
}

/** Within a room: a part imports those before it in the order, through their doors where they have one. */
function checkPart(from, to) {
  const order = PARTS[from.room] ?? [];
  if (to.part === undefined)
    return [`src/${from.file}: the part ${from.part} may not import ${to.file}, which stands above it`];
  if (from.part !== undefined && order.indexOf(to.part) > order.indexOf(from.part))
    return [`src/${from.file}: the part ${from.part} may not import ${to.part} (${to.file})`];
  const door = `${to.room}/${to.part}`;
  if (!PART_DOORS.has(door) || to.file === `${door}/index.ts`) return [];
  return [`src/${from.file}: imports ${to.file} past the part's door; import ${door}/index.js`];
}

/** Import cycles between files; a cycle is reported once, from its alphabetically first file. */
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
