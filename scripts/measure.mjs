/**
 * What the tree weighs: `npm run measure [REVISION]`. Lines of code by room (neither empty nor of a comment alone), rooms, folders
 * with many files, and pairs of places in which the same lines stand. With a revision of git, its figures stand beside today's.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Files with code; what is data or generated does not count. */
const CODE = /\.(ts|tsx|js|mjs|cc|c|h|css|html)$/;
/** A folder with more files than this is more than a glance takes in. */
export const FOLDER_FILES_MAX = 30;
/** So many lines that are alike beside each other are a repetition. */
const ALIKE_LINES = 6;
/** A run that stands in more places than this is an idiom. */
const PLACES_MAX = 8;
/** A line of fewer signs says nothing of its own. */
const MEANINGFUL_SIGNS_MIN = 4;

/**
 * @param {readonly { path: string, text: string }[]} files Paths below the repository's root.
 */
export function measure(files) {
  const code = files.filter(({ path }) => CODE.test(path));
  const below = (folder) => code.filter(({ path }) => path.startsWith(`${folder}/`));
  const source = below("src");
  const rooms = new Map();
  for (const { path, text } of source) {
    const [, room, further] = path.split("/");
    if (further !== undefined) rooms.set(room, (rooms.get(room) ?? 0) + linesOfCode(text));
  }
  return {
    source: lines(source),
    native: lines(below("native")),
    scripts: lines(below("scripts")),
    test: lines(below("test")),
    rooms: new Map([...rooms].sort((one, other) => other[1] - one[1])),
    crowded: crowdedFolders(code),
    sourcePairs: pairsAlike(source).length,
    testPairs: pairsAlike(below("test")).length,
  };
}

const lines = (files) => files.reduce((sum, { text }) => sum + linesOfCode(text), 0);

/** Lines that are neither empty nor of a comment alone. */
export function linesOfCode(text) {
  let isComment = false;
  let count = 0;
  for (const line of text.split("\n").map((one) => one.trim())) {
    const starts = /^(\/\*|<!--)/.test(line);
    if (!(isComment || starts || line === "" || line.startsWith("//"))) count += 1;
    if (isComment || starts) isComment = !/(\*\/|-->)/.test(line);
  }
  return count;
}

function crowdedFolders(files) {
  const counts = new Map();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > FOLDER_FILES_MAX).sort((one, other) => other[1] - one[1]);
}

/**
 * Pairs of files that share a run of lines of the same shape: names, texts and numbers may differ. A pair counts once, however many
 * runs it shares; a file that repeats itself is a pair too.
 */
export function pairsAlike(files) {
  const places = new Map();
  for (const { path, text } of files)
    for (const { run, line } of runsOf(text)) {
      const found = places.get(run);
      if (found === undefined) places.set(run, [{ path, line }]);
      else found.push({ path, line });
    }
  const pairs = new Map();
  for (const found of places.values()) {
    if (found.length < 2 || found.length > PLACES_MAX) continue;
    for (const [at, one] of found.entries())
      for (const other of found.slice(at + 1)) {
        const overlaps = one.path === other.path && Math.abs(one.line - other.line) < ALIKE_LINES;
        const key = `${one.path} ${other.path}`;
        if (!overlaps && !pairs.has(key)) pairs.set(key, { one, other });
      }
  }
  return [...pairs.values()];
}

/** Each run of `ALIKE_LINES` lines of code as its shape, with the line that it starts at. */
function runsOf(text) {
  const shapes = withoutLists(text)
    .split("\n")
    .flatMap((line, at) => {
      const shape = shapeOf(line);
      return shape.length < MEANINGFUL_SIGNS_MIN || /^(import|\*|\/)/.test(line.trim())
        ? []
        : [{ shape, line: at + 1 }];
    });
  return shapes.slice(0, Math.max(0, shapes.length - ALIKE_LINES + 1)).map(({ line }, at) => ({
    run: shapes
      .slice(at, at + ALIKE_LINES)
      .map(({ shape }) => shape)
      .join("\n"),
    line,
  }));
}

/** The text without the lists of what is imported or handed on: they say what a file uses. Lines keep their numbers. */
function withoutLists(text) {
  return text.replace(/^(?:import|export) (?:type )?\{[^}]*\} from "[^"]*";$/gm, (list) =>
    list.replace(/[^\n]/g, ""),
  );
}

/** A line with its texts and numbers left out, but with its names: the same shape with other names is mostly another thought. */
function shapeOf(line) {
  return line
    .trim()
    .replace(/"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|'(?:[^'\\]|\\.)*'/g, '"')
    .replace(/\b\d[\d_.]*\b/g, "0");
}

/** The files that git knows below `root`: as they are, or as they were at a revision. */
function filesOf(root, revision) {
  const git = (...args) =>
    execFileSync("git", ["-C", root, ...args], { encoding: "utf8", maxBuffer: 512 * 1024 * 1024 });
  const isCounted = (path) => CODE.test(path) && /^(src|native|scripts|test)\//.test(path);
  if (revision === undefined)
    return git("ls-files", "-z")
      .split("\0")
      .filter(isCounted)
      .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  const entries = git("ls-tree", "-rz", revision)
    .split("\0")
    .map((line) => /^\d+ blob ([0-9a-f]+)\t(.+)$/s.exec(line))
    .filter((entry) => entry !== null && isCounted(entry[2]));
  return entries.map(([, blob, path]) => ({ path, text: git("cat-file", "blob", blob) }));
}

/** Rows of a name and a figure, with the earlier one before it where there is one. */
function table(now, before) {
  const row = (name, value, earlier) =>
    `${name.padEnd(34)}${before === undefined ? "" : String(earlier ?? "-").padStart(10)}${String(value ?? "-").padStart(10)}`;
  const names = { source: "src, lines of code", native: "native", scripts: "scripts", test: "test" };
  const totals = Object.entries(names).map(([key, name]) => row(name, now[key], before?.[key]));
  const all = [...new Set([...now.rooms.keys(), ...(before?.rooms.keys() ?? [])])];
  return [
    ...(before === undefined ? [] : [row("", "now", "before")]),
    ...totals,
    row("rooms", now.rooms.size, before?.rooms.size),
    row(`folders of over ${FOLDER_FILES_MAX} files`, now.crowded.length, before?.crowded.length),
    row(`pairs with ${ALIKE_LINES} lines alike, src`, now.sourcePairs, before?.sourcePairs),
    row(`pairs with ${ALIKE_LINES} lines alike, test`, now.testPairs, before?.testPairs),
    "",
    ...all.map((room) => row(`src/${room}`, now.rooms.get(room), before?.rooms.get(room))),
    "",
    ...now.crowded.map(([folder, count]) => `${folder}: ${count} files`),
  ].join("\n");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const root = join(dirname(fileURLToPath(import.meta.url)), "..");
  const revision = process.argv[2];
  const before = revision === undefined ? undefined : measure(filesOf(root, revision));
  console.log(table(measure(filesOf(root)), before));
}
