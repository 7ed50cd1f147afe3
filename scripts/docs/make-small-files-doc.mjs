/**
 * Writes the table of docs/design/small-files.md from the files that src/ declares (read from dist): `node
 * scripts/docs/make-small-files-doc.mjs`. With `--check` nothing is written; status 1 when the page differs.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { keptKinds } from "./kept-kinds.mjs";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const PAGE = join(ROOT, "docs", "design", "small-files.md");
const BEGIN = "<!-- Made from the declarations by npm run docs -->\n";
const END = "<!-- End of what is made -->\n";
const HEAD = "| File | Says | Copies | Format | Damaged | The log says then |\n|---|---|---|---|---|---|\n";
const POLICIES = { rebuild: "rebuilt", forget: "forgotten", refuse: "refused" };

/** The page with the table of these kinds. */
export function smallFilesPage(page, kinds) {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error("docs/design/small-files.md has no place for the table");
  return `${before}${BEGIN}\n${HEAD}${kinds.map(rowOf).join("\n")}\n\n${END}${after}`;
}

function rowOf(kind) {
  const { says, copies = 1, policy, damaged, stopsIfNewer } = kind.options;
  const format = stopsIfNewer === true ? `${kind.version}; a newer one stops the start` : kind.version;
  return `| ${kind.label} | ${says} | ${copies} | ${format} | ${POLICIES[policy]} | \`${damaged}\` |`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const load = (file) => import(pathToFileURL(join(ROOT, "dist", file.replace(/\.ts$/, ".js"))).href);
  const page = readFileSync(PAGE, "utf8");
  const made = smallFilesPage(page, await keptKinds(ROOT, load));
  if (!process.argv.includes("--check")) writeFileSync(PAGE, made);
  else if (page !== made) {
    console.error("docs/design/small-files.md differs from the declared files: npm run docs");
    process.exitCode = 1;
  }
}
