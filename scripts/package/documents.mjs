/**
 * The guide and the reference as the package has them: for a machine without a checkout. Parts between
 * `<!-- checkout -->` and `<!-- /checkout -->` are left out, and what is called by a path in the checkout is called by its
 * name or place on the machine.
 */
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { BUILT_PAGES } from "../docs/generated-docs.mjs";
import { withoutCheckoutParts } from "../docs/markdown.mjs";

/** Folders of docs/ that the package brings; the two with files for other programs are examples. */
const FOLDERS = { guide: "guide", ref: "ref", grafana: "examples/grafana", zabbix: "examples/zabbix" };
const PLACE = "/usr/share/doc/nvrd";
/** In this order. */
const NAMES = [
  [/\bnode scripts\/video-parts\.mjs\b/g, "nvrd-video-parts"],
  [/\bscripts\/video-parts\.mjs\b/g, "nvrd-video-parts"],
  [/(?<![\w/])(?:\.\/)?bin\/nvrd\b/g, "nvrd"],
  [/\bdocs\/(grafana|zabbix)\//g, `${PLACE}/examples/$1/`],
  [/\bdocs\/(guide|ref)\//g, `${PLACE}/$1/`],
  [/ \(docs\/design\/[\w.-]+\)/g, ""],
  [/`src\/camera\/device\/models\.json`/g, "`/usr/lib/nvrd/src/camera/device/models.json`"],
  [/`\.\/data`/g, "`/var/lib/nvrd`"],
  [/\.\/data\b/g, "/var/lib/nvrd"],
];
/** Says how a page is made; of no use on an installed machine. */
const MADE_FROM = /^(?:<!-- Made by .*? -->\n\n?|This page is made from [^.]*?\.[\s\S]*?\n\n)/gm;
/** The reference of the tests is the developers', and the head of the API's page is in that page. */
const LEFT_OUT = new Set(["ref/compatibility.md", "ref/api-head.md"]);
/** What must not be in a package's page; the words name the breach. */
const OF_A_CHECKOUT =
  /\bnpm (?:run|test|start|ci|install)\b|\bgit clone\b|(?<![\w/-])scripts\/|(?<![\w/.])bin\/nvrd\b|\bnode scripts\b|(?<![\w/])(?:docs|src|test|build)\/[\w-]+|<!-- \/?checkout/;

/** A page's text for the machine: links to what the package lacks become plain words. */
export function machineText(text, page, isThere) {
  let result = withoutCheckoutParts(text).replace(MADE_FROM, "");
  result = result.replace(/\[([^\]]*)\]\(([^)\s]+)\)/g, (link, words, target) => {
    if (/^[a-z][a-z0-9+.-]*:|^#/i.test(target)) return link;
    const path = join(dirname(page), target.split("#", 1)[0]);
    return isThere(path) ? link : words;
  });
  for (const [pattern, name] of NAMES) result = result.replace(pattern, name);
  return result;
}

/** Lines of `text` that only a checkout's reader can follow. */
export function checkoutLines(text) {
  return text.split("\n").filter((line) => OF_A_CHECKOUT.test(line));
}

/** Copies the documents of `root` to `folder`. Throws when a page is not built, or a line of a checkout is left in one. */
export function copyMachineDocuments(root, folder) {
  for (const page of BUILT_PAGES)
    if (!existsSync(join(root, page))) throw new Error(`${page} is missing; build it first: npm run build`);
  for (const [from, to] of Object.entries(FOLDERS))
    cpSync(join(root, "docs", from), join(folder, to), { recursive: true });
  copyFileSync(join(root, "packaging/debian/README"), join(folder, "README.md"));
  const pages = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const kept = new Set(pages.filter((page) => !LEFT_OUT.has(page)));
  const isThere = (path) => !LEFT_OUT.has(path) && existsSync(join(folder, path));
  for (const page of pages) {
    const file = join(folder, page);
    if (!kept.has(page)) {
      rmSync(file);
      continue;
    }
    const text = machineText(readFileSync(file, "utf8"), page, isThere);
    const [line] = checkoutLines(text);
    if (line !== undefined)
      throw new Error(`${page}: for the package, put into "<!-- checkout -->": ${line.trim()}`);
    writeFileSync(file, text);
  }
}
