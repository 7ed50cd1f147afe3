/**
 * Writes docs/ref/kept.md, the settings that are only stored: those that the contract says it of (`keptOnly`), and of what has no
 * contract yet those whose description says "Stored only"; read from dist: `node scripts/docs/make-kept-doc.mjs`. With `--check`
 * nothing is written; status 1 when the page differs.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const PAGE = join(ROOT, "docs", "ref", "kept.md");
const KEPT = /(?:^|\. )Stored only(?:[:,] (?<why>[^.]*))?\./;

const HEADER = `# Settings that are only stored

These settings are checked, stored and given back as they were sent, and this version does nothing more with them: they
are there for programs that send and expect them. No function is claimed for them: [\`/configex\`](api.md#get-configex)
and the [models](api.md#get-configuredevicemanufacturers) say what this version does. Every other setting acts.

This page is made from \`src/contract\` by \`npm run docs\`; edit it there. What each right of a group guards is in
[rights](rights.md).

| Object | Member | Why |
|---|---|---|
`;

/** The page for the resources of the contract, by the names of their objects, and the OpenAPI document. */
export function keptPage(resources, keptOnlyOf, { components }) {
  const known = new Set(Object.values(resources));
  const rows = Object.entries(components.schemas).flatMap(([object, schema]) => {
    const members = resources[object];
    const kept = members === undefined ? keptMembers(schema, "") : keptOnlyOf(members, known);
    return kept.map(({ path, why }) => `| ${object} | \`${path}\` | ${why} |`);
  });
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
  const contract = await import(pathToFileURL(join(ROOT, "dist", "contract", "index.js")).href);
  const resources = {
    Camera: contract.camera,
    CameraConnection: contract.cameraConnection,
    CameraArchive: contract.cameraArchive,
    CameraAnalysis: contract.cameraAnalysis,
  };
  // As a client gets it: without what JSON leaves out.
  const document = JSON.parse(JSON.stringify(openApiDocument(ROUTES, { version: "" })));
  const page = keptPage(resources, contract.keptOnlyOf, document);
  if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
  else if (!existsSync(PAGE) || readFileSync(PAGE, "utf8") !== page) {
    console.error("docs/ref/kept.md differs from the contract: npm run docs");
    process.exitCode = 1;
  }
}
