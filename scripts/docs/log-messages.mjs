/**
 * The messages of the service's warnings and errors as src/ has them, for docs/ref/log.md: each literal in
 * the message's place, with … for what is filled in. `node scripts/docs/log-messages.mjs [ROOT]` prints them by file.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const CALL = /\blog\??\.(?:warn|error|fatal)\(/gi;
const LITERAL = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\})*`/g;
/** A small file declares what is logged of it. */
const KEPT_MESSAGE = new RegExp(`^ {2}(?:damaged|unsaved):\\s+(${LITERAL.source}),$`, "gm");
/** Shorter ones are names of fields, not messages. */
const MESSAGE_LENGTH_MIN = 8;

/** Message to the files that log it. */
export function logMessages(root) {
  const messages = new Map();
  const src = join(root, "src");
  for (const file of readdirSync(src, { recursive: true }).filter((name) => name.endsWith(".ts")))
    for (const message of messagesOf(readFileSync(join(src, file), "utf8")))
      messages.set(message, [...(messages.get(message) ?? []), `src/${file}`]);
  return messages;
}

/** The messages of one source. */
export function messagesOf(source) {
  const messages = source.includes("keptKind(")
    ? [...source.matchAll(KEPT_MESSAGE)].map(([, literal]) => shape(literal))
    : [];
  for (const call of source.matchAll(CALL)) {
    const rest = argumentsAfter(source, call.index + call[0].length);
    // The message comes last; of a choice between two, both count.
    const literals = [...withoutMembers(rest).matchAll(LITERAL)].map(([literal]) => shape(literal));
    messages.push(...literals.filter((text) => text.replaceAll("…", "").trim().length >= MESSAGE_LENGTH_MIN));
  }
  return messages;
}

/** The call's arguments, to its closing parenthesis. */
function argumentsAfter(source, start) {
  let depth = 1;
  let at = start;
  while (depth > 0 && at < source.length) {
    const literal = /^["`]/.test(source[at]) ? stickyLiteral(source, at) : undefined;
    if (literal !== undefined) at += literal.length;
    else {
      if (source[at] === "(") depth += 1;
      if (source[at] === ")") depth -= 1;
      at += 1;
    }
  }
  return source.slice(start, at - 1);
}

function stickyLiteral(source, at) {
  const found = new RegExp(LITERAL.source, "y");
  found.lastIndex = at;
  return found.exec(source)?.[0];
}

/** Without the object of fields in front. */
function withoutMembers(text) {
  const start = text.search(/\S/);
  if (text[start] !== "{") return text;
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return text.slice(at + 1);
  }
  return text;
}

function shape(literal) {
  const text = literal.slice(1, -1).replaceAll(/\\(["`\\])/g, "$1");
  return literal.startsWith("`") ? text.replaceAll(/\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\}/g, "…") : text;
}

/** Messages that the page does not have. A page's own line breaks do not count. */
export function unexplainedMessages(messages, page) {
  const text = page.replaceAll(/\s+/g, " ");
  return [...messages].filter(([message]) => !text.includes(message.replaceAll(/\s+/g, " ")));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = process.argv[2] ?? dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  for (const [message, files] of logMessages(root)) console.log(`${files[0]}: ${message}`);
}
