/**
 * Makes `build/http/`: the HTTP library's binaries (src/http/library.ts) with a better word for who does not speak HTTP/1.1.
 *
 * The library's parser answers such a request itself, with a text that lies in the binary and that no option changes. Here it
 * becomes one of the same length that says what helps. Nothing else of the binary differs.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** Of the library there are two packages, each with binaries for its Nodes: by Node's `process.versions.modules`. */
export const HTTP_PACKAGES = { 115: "uWebSockets.js", 127: "uWebSockets.js", 137: "uwebsockets-node24" };

const HEAD = "HTTP/1.1 505 HTTP Version Not Supported\r\nConnection: close\r\n\r\n";
const THEIRS =
  "<h1>HTTP Version Not Supported</h1><p>This server does not support HTTP/1.0.</p><hr><i>uWebSockets/20 Server</i>";
/** Blanks fill it up. */
const OURS =
  "nvrd speaks HTTP/1.1 alone. nginx before it needs the line: proxy_http_version 1.1; In a URL, a blank is %20.";

/** The binary with that text. Throws when it does not have the library's own text once, to its end. */
export function withOurWords(binary, name) {
  const theirs = Buffer.from(`${HEAD}${THEIRS}\0`, "latin1");
  const ours = Buffer.from(`${HEAD}${OURS.padEnd(THEIRS.length)}\0`, "latin1");
  if (theirs.length !== ours.length)
    throw new Error(`the text for the 505 has ${ours.length} bytes, not ${theirs.length}`);
  const at = binary.indexOf(theirs);
  if (at < 0 || binary.indexOf("HTTP/1.1 505 ", 0, "latin1") !== at || binary.indexOf(theirs, at + 1) >= 0)
    throw new Error(
      `${name} does not have the known text of its 505 once: look what it answers to HTTP/1.0, and mend ${import.meta.url}`,
    );
  const worded = Buffer.from(binary);
  ours.copy(worded, at);
  return worded;
}

/**
 * Puts those of `modules` (a node_modules) for one processor into `folder`; returns what was made of what. An optional package may
 * lack.
 * @param {string} modules
 * @param {string} folder
 * @param {string} cpu
 * @returns {{ file: string, source: string }[]}
 */
export function makeHttpLibraries(modules, folder, cpu = process.arch) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const made = [];
  for (const [abi, name] of Object.entries(HTTP_PACKAGES)) {
    const file = `uws_linux_${cpu}_${abi}.node`;
    const source = fileBelow(join(modules, name), file);
    if (source === undefined) continue;
    // Under another name first: half a binary would be loaded.
    const unfinished = join(folder, `.${file}`);
    writeFileSync(unfinished, withOurWords(readFileSync(source), source));
    renameSync(unfinished, join(folder, file));
    made.push({ file, source });
  }
  if (made.length === 0)
    throw new Error(`${modules} has no binary of the HTTP library for ${cpu}: run npm ci`);
  return made;
}

function fileBelow(folder, name) {
  if (!existsSync(folder)) return undefined;
  const found = readdirSync(folder, { recursive: true }).find((path) => path.split("/").at(-1) === name);
  return found === undefined ? undefined : join(folder, found);
}
