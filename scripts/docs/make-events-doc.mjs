/**
 * Writes docs/ref/events.md from the catalogue in src/event/catalogue.ts (read from dist):
 * `node scripts/docs/make-events-doc.mjs`. With `--check` nothing is written; status 1 when the page differs.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const PAGE = join(ROOT, "docs", "ref", "events.md");
const CATEGORIES = ["0 information", "1 alarm", "2 error"];

const HEADER = `# Events

Every type of event there is. The id is what \`EventId\` holds and what filters take; ids never change. The category is the
one that events of the type have unless their source says otherwise. How events are kept stands in
[design/events.md](../design/events.md).

This page is made from \`src/event/catalogue.ts\` by \`npm run docs\`; edit it there.

An event carries the wall clock's time of its moment, as the recorder's clock had it: one raised before the clock of the
machine was set stays at the wrong time. Analytics may date an event back; it is found at its own time. Within one
microsecond, events stand in the order in which they came.

The type *Connection is alive* is only sent on \`/event\`, when nothing else was; it is never kept.

The setting \`language\` says in which of the two languages types are named.

| Id | Name | Russian name | Category | Name in code |
|---|---|---|---|---|
`;

/** The page for a catalogue (name in code to type) and its names in Russian. */
export function eventsPage(catalogue, russianNames) {
  const rows = Object.entries(catalogue).map(
    ([key, { id, name, category }]) =>
      `| \`${id}\` | ${name} | ${russianNames[key]} | ${CATEGORIES[category]} | ${key} |`,
  );
  return `${HEADER}${rows.join("\n")}\n`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { EVENT_TYPES } = await import(pathToFileURL(join(ROOT, "dist", "event", "catalogue.js")).href);
  const names = await import(pathToFileURL(join(ROOT, "dist", "event", "event-names.js")).href);
  const page = eventsPage(EVENT_TYPES, names.RUSSIAN_EVENT_NAMES);
  if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
  else if (!existsSync(PAGE) || readFileSync(PAGE, "utf8") !== page) {
    console.error("docs/ref/events.md differs from src/event/catalogue.ts: npm run docs");
    process.exitCode = 1;
  }
}
