/**
 * Writes docs/ref/kept.md, the settings that are only stored, from the OpenAPI document of the routes (read from dist):
 * `node scripts/make-kept-doc.mjs`. With `--check` nothing is written; status 1 when the page differs. A setting is on
 * it when its description says "Stored only", as a sentence or at the beginning of one.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PAGE = join(ROOT, "docs", "ref", "kept.md");
const KEPT = /(?:^|\. )Stored only(?:[:,] (?<why>[^.]*))?\./;

const HEADER = `# Settings that are only stored

These settings are checked, stored and given back as they were sent, and this version does nothing more with them: they
are there for programs that send and expect them. No function is claimed for them: [\`/configex\`](api.md#get-configex)
and the [models](api.md#get-configuredevicemanufacturers) say what this version does. Every other setting acts.

This page is made from the descriptions of the routes in \`src/compat\` and \`src/owner\` by \`npm run docs\`; edit them there. What each right
of a group guards is in [rights](rights.md).

| Object | Member | Why |
|---|---|---|
`;

/** The page for an OpenAPI document. */
export function keptPage({ components }) {
  const rows = Object.entries(components.schemas).flatMap(([object, schema]) =>
    keptMembers(schema, "").map(({ path, why }) => `| ${object} | \`${path}\` | ${why} |`),
  );
  return `${HEADER}${rows.join("\n")}\n`;
}

/** Members of objects with a name of their own are listed there. */
function keptMembers(schema, prefix) {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const kept = KEPT.exec(member.description ?? "");
    if (kept !== null) return [{ path, why: kept.groups.why ?? "" }];
    return keptMembers(member.items ?? member, `${path}.`);
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { openApiDocument } = await import(
    pathToFileURL(join(ROOT, "dist", "owner", "system", "openapi.js")).href
  );
  const { ROUTES } = await import(pathToFileURL(join(ROOT, "dist", "service", "api", "routes.js")).href);
  // As a client gets it: without what JSON leaves out.
  const page = keptPage(JSON.parse(JSON.stringify(openApiDocument(ROUTES, { version: "" }))));
  if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
  else if (!existsSync(PAGE) || readFileSync(PAGE, "utf8") !== page) {
    console.error("docs/ref/kept.md differs from the descriptions of the routes: npm run docs");
    process.exitCode = 1;
  }
}
