/**
 * Writes docs/ref/errors.md from the catalogue in src/base/value/errors.ts (read from dist): `node scripts/docs/make-errors-doc.mjs`.
 * With `--check` nothing is written; status 1 when the page differs.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const PAGE = join(ROOT, "docs", "ref", "errors.md");

const HEADER = `# Errors

Every error that leaves the service has a code of this table. Match on the code or the status, never on the text.
A request with the header \`Accept-Language: ru\`, and no other language in it, is refused in Russian; what is known in English alone
stands in brackets there.
This page is made from \`src/base/value/errors.ts\` by \`npm run docs\`; edit it there.

| Code | HTTP status | What to do |
|---|---|---|
`;

/** The page for a catalogue (code to status and hint). */
export function errorsPage(catalogue) {
  const rows = Object.entries(catalogue).map(
    ([code, { status, hint }]) => `| ${code} | ${status} | ${escapeCell(hint)} |`,
  );
  return `${HEADER}${rows.join("\n")}\n`;
}

function escapeCell(text) {
  return text.replaceAll("|", "\\|");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { ERRORS } = await import(pathToFileURL(join(ROOT, "dist", "base", "value", "errors.js")).href);
  const page = errorsPage(ERRORS);
  if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
  else if (readFileSync(PAGE, "utf8") !== page) {
    console.error("docs/ref/errors.md differs from src/base/value/errors.ts: npm run docs");
    process.exitCode = 1;
  }
}
