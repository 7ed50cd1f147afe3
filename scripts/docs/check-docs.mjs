/**
 * Holds the documentation to what is there: `node scripts/docs/check-docs.mjs [ROOT]`. Relative links and anchors in every
 * *.md resolve, `npm` and `nvrd` commands and repository paths named in code exist, blocks of JSON and of the shell can be read, the first
 * page leads to each page of the guide, and the pages made from code are up to date; every warning and error that the service logs is in docs/ref/log.md.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { BUILT_PAGES, runMakers } from "./generated-docs.mjs";
import { logMessages, unexplainedMessages } from "./log-messages.mjs";
import { anchorOf } from "./markdown.mjs";

const FENCE = /^(```|~~~)[\s\S]*?^\1[^\n]*$/gm;
const LINK = /\[[^\]]*\]\(\s*<?([^()\s<>]+(?:\([^()\s]*\))?)>?(?:\s+"[^"]*")?\s*\)/g;
const NPM_BUILT_IN = new Set(["ci", "install", "exec", "audit", "ls"]);
const PATH_IN_CODE =
  /^(?:\.\/)?((?:scripts|src|test|docs|native|bin|systemd|packaging|\.ci)\/[\w./-]+[\w/])$/;

/** Breaches in the given markdown files, paths relative to `root`. */
export function checkPages(root, pages) {
  return pages.flatMap((page) => {
    const text = readFileSync(join(root, page), "utf8");
    return [
      ...checkLinks(root, page, text),
      ...checkCommands(root, page, text),
      ...checkPaths(root, page, text),
      ...checkCurl(page, text),
      ...checkBlocks(page, text),
    ];
  });
}

function checkLinks(root, page, text) {
  const breaches = [];
  for (const [, target] of text
    .replace(FENCE, "")
    .replace(/`[^`\n]*`/g, "``")
    .matchAll(LINK)) {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) continue;
    const [path, anchor] = target.split("#", 2);
    const file = path === "" ? page : normalize(join(dirname(page), decodeURIComponent(path)));
    if (file.startsWith("..") || !existsSync(join(root, file)))
      breaches.push(`${page}: link to ${target}: no such file`);
    else if (
      anchor &&
      file.endsWith(".md") &&
      !anchorsOf(readFileSync(join(root, file), "utf8")).has(anchor)
    ) {
      breaches.push(`${page}: link to ${target}: no such heading`);
    }
  }
  return breaches;
}

/** Anchors of a page's headings as GitHub makes them. */
export function anchorsOf(text) {
  const anchors = new Set();
  const seen = new Map();
  for (const [, heading] of text.replace(FENCE, "").matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = anchorOf(heading);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

/** Code of a page: the lines of its fences, and its inline pieces. */
function codeOf(text) {
  const fences = [...text.matchAll(FENCE)].flatMap(([fence]) => fence.split("\n").slice(1, -1));
  return [...fences, ...[...text.replace(FENCE, "").matchAll(/`([^`\n]+)`/g)].map((match) => match[1])];
}

function checkCommands(root, page, text) {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const breaches = [];
  for (const code of codeOf(text)) {
    for (const [, run, name] of code.matchAll(/\bnpm (run )?([a-z][\w:-]*)/g)) {
      if (scripts?.[name] === undefined && (run !== undefined || !NPM_BUILT_IN.has(name))) {
        breaches.push(`${page}: npm ${run ?? ""}${name}: no such script in package.json`);
      }
    }
    for (const [, name] of code.matchAll(/(?:^|\s|\/)nvrd ([a-z]+)\b/g)) {
      if (!nvrdCommands(root).has(name))
        breaches.push(`${page}: nvrd ${name}: no such command (nvrd --help)`);
    }
  }
  return breaches;
}

let commands;
/** The commands that `nvrd --help` names. */
function nvrdCommands(root) {
  if (commands !== undefined) return commands;
  if (!existsSync(join(root, "bin", "nvrd"))) return new Set();
  const help = execFileSync(process.execPath, [join(root, "bin", "nvrd"), "--help"], { encoding: "utf8" });
  commands = new Set([...help.matchAll(/\bnvrd ([a-z]+)\b/g)].map((match) => match[1]));
  return commands;
}

function checkPaths(root, page, text) {
  return codeOf(text).flatMap((code) => {
    const path = PATH_IN_CODE.exec(code.trim())?.[1];
    if (path === undefined || existsSync(join(root, path))) return [];
    return [`${page}: ${path}: no such file`];
  });
}

/** curl at a command's place in a shell's line, with its first options. */
const CURL = /(?:^|[|;&(])\s*curl((?: +-\S+)*) /g;

/** Without -f, curl passes an error's text on as if it were the answer. */
function checkCurl(page, text) {
  return codeOf(text).flatMap((code) =>
    [...code.matchAll(CURL)]
      .filter(([, options]) => !/ -[a-zA-Z]*f/.test(options))
      .map(([found]) => `${page}: ${found.trim()} needs -f: ${code.trim().slice(0, 80)}`),
  );
}

/** A block of code with its language and its text; `indent` is that of the list that it stands in. */
const BLOCK = /^( *)```(\w+)\n([\s\S]*?)^ *```$/gm;

/** A block of JSON is one value, and a shell reads a block of its language. */
function checkBlocks(page, text) {
  return [...text.matchAll(BLOCK)].flatMap(([, indent, language, code]) => {
    const problem = problemOf(language, code.replaceAll(new RegExp(`^${indent}`, "gm"), ""));
    return problem === undefined ? [] : [`${page}: ${problem}: ${code.trim().slice(0, 60)}`];
  });
}

function problemOf(language, code) {
  if (language === "json") return isJson(code) ? undefined : "a block that is no JSON";
  if (language !== "sh" && language !== "bash") return undefined;
  const { status, stderr } = spawnSync("bash", ["-n"], { input: code, encoding: "utf8" });
  return status === 0 ? undefined : `a block that no shell reads (${stderr.trim()})`;
}

function isJson(code) {
  try {
    JSON.parse(code);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Pages of `folder` that no link on the first page leads to: a reader does not find them. */
export function checkFirstPage(root, folder) {
  const first = readFileSync(join(root, "README.md"), "utf8");
  const linked = new Set([...first.matchAll(LINK)].map(([, target]) => target.split("#", 1)[0]));
  return readdirSync(join(root, folder))
    .map((name) => `${folder}/${name}`)
    .filter((page) => page.endsWith(".md") && !linked.has(page))
    .map((page) => `README.md: no link to ${page}`);
}

const GLOSSARY = "docs/design/glossary.md";

/** Terms that the glossary defines more than once. */
export function checkGlossary(root) {
  if (!existsSync(join(root, GLOSSARY))) return [];
  const terms = [...readFileSync(join(root, GLOSSARY), "utf8").matchAll(/^\*\*([^*]+)\.\*\*/gm)].map(
    ([, term]) => term,
  );
  const twice = terms.filter((term, index) => terms.indexOf(term) < index);
  return twice.map((term) => `${GLOSSARY}: "${term}" is defined twice`);
}

const LOG_PAGE = "docs/ref/log.md";

/** Warnings and errors of the service's log that the page of the log does not explain. */
export function checkLogMessages(root) {
  if (!existsSync(join(root, LOG_PAGE))) return [];
  const unexplained = unexplainedMessages(logMessages(root), readFileSync(join(root, LOG_PAGE), "utf8"));
  return unexplained.map(([message, files]) => `${LOG_PAGE}: does not explain "${message}" (${files[0]})`);
}

function gitFiles(root, ...options) {
  const list = execFileSync("git", ["ls-files", "-z", ...options], { cwd: root, encoding: "utf8" });
  return list.split("\0").filter(Boolean);
}

/** Pages of the build that git has all the same: an edit of such a file would be lost. */
export function checkBuiltPages(root) {
  return gitFiles(root, "--cached", ...BUILT_PAGES).map(
    (page) => `${page}: is made by the build and does not belong in git: git rm --cached ${page}`,
  );
}

function pagesOf(root) {
  const names = new Set([
    ...gitFiles(root, "--cached", "--others", "--exclude-standard", "*.md"),
    ...BUILT_PAGES,
  ]);
  return [...names].filter((name) => existsSync(join(root, name)) && statSync(join(root, name)).isFile());
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = process.argv[2] ?? dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  const breaches = [
    ...checkBuiltPages(root),
    ...checkPages(root, pagesOf(root)),
    ...checkFirstPage(root, "docs/guide"),
    ...checkGlossary(root),
    ...checkLogMessages(root),
  ];
  for (const breach of breaches) console.error(breach);
  const current = runMakers(["--check"]);
  console.log(breaches.length === 0 && current ? "docs: in order" : `docs: ${breaches.length} breaches`);
  process.exitCode = breaches.length === 0 && current ? 0 : 1;
}
