/**
 * Writes the tables of docs/ref/live-socket.md from the contract's messages (read from dist): `node
 * scripts/docs/make-live-socket-doc.mjs`. With `--check` nothing is written; status 1 when the page differs.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { schemaText } from "./api-doc-schemas.mjs";
import { table } from "./markdown.mjs";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const PAGE = join(ROOT, "docs", "ref", "live-socket.md");
const END = "<!-- End of what is made -->";

/** The page with `text` where `name` is made; everything else stays. */
export function withMade(page, name, text) {
  const begin = `<!-- Made by the contract: ${name} -->`;
  const [before, rest] = page.split(begin);
  const after = rest?.slice(rest.indexOf(END));
  if (after === undefined) throw new Error(`docs/ref/live-socket.md has no place for ${name}`);
  return `${before}${begin}\n\n${text}\n\n${after}`;
}

/** A row for each message, and one for each of its members. `schema`: of a member's kind. */
export function messagesTable(messages, schema) {
  const rows = Object.entries(messages).flatMap(([type, message]) => [
    [`**\`${type}\`**`, "", message.meaning],
    ...Object.entries(message.members).map(([name, member]) => memberRow(name, member, schema)),
  ]);
  return table(["Message and members", "Kind", "What"], rows);
}

function memberRow(name, member, schema) {
  const left = member.isOptional === true ? ", may be left out" : "";
  return [`\`${name}\``, `${kindText(member, schema)}${left}`, member.meaning];
}

function kindText(kind, schema) {
  if (kind.kind === "group") {
    const members = Object.entries(kind.members).map(([name, member]) => [name, kindText(member, schema)]);
    const kinds = new Set(members.map(([, text]) => text));
    const names = members.map(([name]) => `\`${name}\``).join(", ");
    return kinds.size === 1 ? `object: ${names}, each ${[...kinds][0]}` : `object: ${names}`;
  }
  if (kind.kind === "list")
    return `list${Number.isFinite(kind.max) ? ` (at most ${kind.max})` : ""} of ${kindText(kind.item, schema)}`;
  if (kind.kind === "one of") return kind.of.map((each) => kindText(each, schema)).join(", or ");
  if (kind.min !== undefined && kind.min === kind.max) return `\`${kind.min}\``;
  return schemaText(schema({ ...kind, meaning: undefined }));
}

const reasonsTable = (texts) =>
  table(
    ["`reason`", "What"],
    Object.entries(texts).map(([reason, text]) => [`\`${reason}\``, text]),
  );

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const load = (path) => import(pathToFileURL(join(ROOT, "dist", path)).href);
  const { liveNotices, liveOrders, PROBLEM_REASON_TEXTS, STREAM_REASON_TEXTS } = await load(
    "contract/answer/live-socket.js",
  );
  const { schemaOf } = await load("route/body/contract-schema.js");
  const page = readFileSync(PAGE, "utf8");
  const parts = [
    ["messages of a client", messagesTable(liveOrders, schemaOf)],
    ["messages of the service", messagesTable(liveNotices, schemaOf)],
    ["reasons of a stream", reasonsTable(STREAM_REASON_TEXTS)],
    ["reasons of a problem", reasonsTable(PROBLEM_REASON_TEXTS)],
  ];
  const made = parts.reduce((text, [name, part]) => withMade(text, name, part), page);
  if (!process.argv.includes("--check")) writeFileSync(PAGE, made);
  else if (page !== made) {
    console.error("docs/ref/live-socket.md differs from the contract: npm run docs");
    process.exitCode = 1;
  }
}
