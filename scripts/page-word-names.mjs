/**
 * A step of the page's build: the names of words become short ones (`words.protectedList` becomes `words.aB`), which is a
 * tenth of the page. Only a name that all sources use in one way is shortened: as a member of a dictionary's first level, and read
 * from something called `words` or `…Words()`. A name that is met in any other way, a string with it included, stays as it is.
 */
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { parseAst } from "rolldown/parseAst";

const DICTIONARIES = /\/words\/(?!language\.)\w+\.ts$/;
const READ_FROM = /^(?:words|\w+Words)$/;
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/**
 * @param {readonly string[]} folders With all sources that know the words.
 * @returns {(code: string, file: string) => string} Shortens the names in a module.
 */
export function shortWordNames(folders) {
  const all = folders.flatMap(sourcesIn).map((file) => namesIn(readFileSync(file, "utf8"), file));
  const others = new Set(all.flatMap((names) => names.others));
  const defined = new Set(all.flatMap((names) => names.defined));
  const taken = new Set([...others, ...defined]);
  const short = new Map();
  let number = 0;
  for (const name of [...defined].filter((name) => !others.has(name)).sort()) {
    let next = shortName(number++);
    while (taken.has(next)) next = shortName(number++);
    short.set(name, next);
  }
  return (code, file) => {
    const found = namesIn(code, file).words.filter(({ name }) => short.has(name));
    return found
      .sort((one, other) => other.start - one.start)
      .reduce((text, { name, start, end }) => text.slice(0, start) + short.get(name) + text.slice(end), code);
  };
}

function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

function shortName(number) {
  const first = LETTERS[number % LETTERS.length];
  return number < LETTERS.length ? first : shortName(Math.floor(number / LETTERS.length) - 1) + first;
}

/** The names of a module: of words, with their places, and all others. */
function namesIn(code, file) {
  const program = parseAst(code, { lang: extname(file).slice(1) }, file);
  const members = DICTIONARIES.test(file) ? wordsOf(program) : new Set();
  const words = [];
  const others = [];
  const defined = [];
  const visit = (node, parent) => {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node)) {
      for (const one of node) visit(one, parent);
      return;
    }
    if (node.type === "Property" && node.key?.type === "Identifier" && !node.computed) {
      const { name, start, end } = node.key;
      if (members.has(node) && !node.shorthand) {
        words.push({ name, start, end });
        defined.push(name);
      } else others.push(name);
      visit(node.value, node);
      return;
    }
    if (node.type === "MemberExpression" && !node.computed && node.property.type === "Identifier") {
      const { name, start, end } = node.property;
      if (isWords(node.object)) words.push({ name, start, end });
      else others.push(name);
      visit(node.object, node);
      return;
    }
    if (node.type === "Literal" && typeof node.value === "string") others.push(node.value);
    if (node.type === "TemplateElement") others.push(node.value.cooked);
    if (node.type === "JSXAttribute" && node.name.type === "JSXIdentifier") others.push(node.name.name);
    for (const [key, value] of Object.entries(node)) if (key !== "type") visit(value, node);
  };
  visit(program.body, undefined);
  return { words, others, defined };
}

function isWords(node) {
  const named = node.type === "CallExpression" ? node.callee : node;
  return named.type === "Identifier" && READ_FROM.test(named.name);
}

/** The members of the first level of a module's dictionaries, in each language. */
function wordsOf({ body }) {
  const declared = body.flatMap((node) => (node.declaration ?? node).declarations ?? []);
  const written = (node) =>
    node.type === "Identifier" ? declared.find(({ id }) => id.name === node.name)?.init : node;
  const languages = declared
    .filter(({ init }) => init?.callee?.name === "dictionary")
    .flatMap(({ init }) => init.arguments[0].properties.map(({ value }) => written(value)));
  return new Set(languages.flatMap((language) => language?.properties ?? []));
}
