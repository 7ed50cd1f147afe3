/**
 * A step of the page's build: words are read by a name that is counted (`wallWords().protectedList` becomes `wallWords().b2`), and a
 * dictionary has its words in that order, without their names, which the page counts too (`countedName` of words/language.ts). Names
 * are a tenth of the page otherwise.
 *
 * A dictionary is found by the name of its function. Where a source does anything with what it returns but read words by their
 * names, or take it apart by them, names that may be meant stay as they are: those that other objects have or a string has, where a
 * word is read by a computed name; all, where the whole dictionary is handed on.
 */
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { bindingsOf, declaredIn } from "./page-scopes.mjs";

/** The parts of a node that are types; what a type names is compiled away. */
const TYPES = new Set(["type", "typeAnnotation", "typeArguments", "typeParameters", "returnType"]);
const DICTIONARIES = /\/words\/(?!language\.)\w+\.ts$/;

/**
 * The name of a dictionary's word number 0, 1, 2 and so on: `a` to `z`, `a1` to `z1`, `a2`. The page counts likewise.
 * @param {number} number
 */
export function countedName(number) {
  return String.fromCharCode(97 + (number % 26)) + (Math.floor(number / 26) || "");
}

/**
 * @param {readonly string[]} folders With all sources that know the words.
 * @returns {(code: string, file: string) => string} Shortens the names in a module.
 */
export function shortWordNames(folders) {
  const all = folders.flatMap(sourcesIn).map((file) => usesIn(readFileSync(file, "utf8"), file));
  const otherNames = new Set(all.flatMap(({ others }) => others));
  const computed = new Set(all.flatMap((uses) => uses.computed));
  const handedOn = new Set(all.flatMap((uses) => uses.handedOn));
  const short = new Map();
  for (const [dictionary, names] of all.flatMap(({ dictionaries }) => dictionaries)) {
    if (short.has(dictionary)) throw new Error(`the page: there are two dictionaries ${dictionary}`);
    const stays = (name) => handedOn.has(dictionary) || (computed.has(dictionary) && otherNames.has(name));
    short.set(dictionary, counted(names, stays));
  }
  return (code, file) => {
    const changes = usesIn(code, file).words.flatMap(({ dictionary, name, start, end, isShorthand }) => {
      const next = short.get(dictionary)?.get(name);
      if (next === undefined) return [];
      return [{ start, end, text: isShorthand ? `${next}: ${name}` : next }];
    });
    return changes
      .sort((one, other) => other.start - one.start)
      .reduce((text, { start, end, text: next }) => text.slice(0, start) + next + text.slice(end), code);
  };
}

/** The counted names of those that do not stay. */
function counted(names, stays) {
  const kept = new Set(names.filter(stays));
  const short = new Map();
  let number = 0;
  for (const name of names.filter((one) => !kept.has(one))) {
    let next = countedName(number++);
    while (kept.has(next)) next = countedName(number++);
    short.set(name, next);
  }
  return short;
}

function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

/**
 * What a module does with words: the names by which it reads or defines them, with their places; the dictionaries it reads by
 * computed names, or hands on; those it defines; and all its other names and strings.
 */
function usesIn(code, file) {
  const program = parseAst(code, { lang: extname(file).slice(1) }, file);
  const uses = { words: [], computed: [], handedOn: [], dictionaries: [], others: [] };
  if (DICTIONARIES.test(file)) findDictionaries(program, uses);
  const own = new Set(uses.words.map(({ start }) => start));
  visit(program, [], { uses, own, functions: importedFunctions(program) });
  return uses;
}

function visit(node, scopes, found) {
  if (node === null || typeof node !== "object" || /^TS(?:Interface|TypeAlias)/.test(node.type)) return;
  if (Array.isArray(node)) {
    for (const one of node) visit(one, scopes, found);
    return;
  }
  const declared = declaredIn(node);
  const inner =
    declared === undefined ? scopes : [...scopes, new Map(declared.map((name) => [name, undefined]))];
  if (node.type === "VariableDeclarator" && node.init !== null) {
    bind(node.id, node.init, inner, found);
    return;
  }
  if (node.type === "MemberExpression" && readsWord(node, inner, found)) return;
  noteOthers(node, found);
  if (node.type === "CallExpression" && /^use[A-Z]/.test(node.callee.name)) {
    for (const one of node.arguments)
      visit(one.type === "ArrayExpression" ? othersOf(one, inner, found) : one, inner, found);
    return;
  }
  const whole = dictionaryOf(node, inner, found);
  if (whole !== undefined) {
    found.uses.handedOn.push(whole);
    return;
  }
  for (const [part, value] of Object.entries(node)) if (!isName(node, part)) visit(value, inner, found);
}

/** What a hook depends on, without dictionaries: these it compares, and reads nothing of them. */
function othersOf({ elements }, scopes, found) {
  return elements.filter((one) => dictionaryOf(one, scopes, found) === undefined);
}

/** Whether a part of a node is no expression: the name of a member, or a type. */
function isName({ computed }, part) {
  return TYPES.has(part) || (computed === false && (part === "key" || part === "property"));
}

/** A member of a dictionary by its name, or by a computed one. */
function readsWord({ object, property, computed }, scopes, found) {
  const dictionary = dictionaryOf(object, scopes, found);
  if (dictionary === undefined) return false;
  if (computed) {
    found.uses.computed.push(dictionary);
    visit(property, scopes, found);
  } else found.uses.words.push({ dictionary, name: property.name, start: property.start, end: property.end });
  return true;
}

/** `const words = wallWords()`, `const { play, pause } = wallWords()`, and both of several in brackets. */
function bind(id, init, scopes, found) {
  const dictionary = dictionaryOf(init, scopes, found);
  const isList = id.type === "ArrayPattern" && init.type === "ArrayExpression";
  if (isList && id.elements.length === init.elements.length)
    for (const [place, one] of id.elements.entries()) bind(one, init.elements[place], scopes, found);
  else if (dictionary !== undefined && id.type === "Identifier") scopes.at(-1).set(id.name, dictionary);
  else if (dictionary !== undefined && isTakenApart(id)) {
    for (const { key, shorthand } of id.properties) {
      const { name, start, end } = key;
      found.uses.words.push({ dictionary, name, start, end, isShorthand: shorthand });
    }
  } else {
    visit(id, scopes, found);
    visit(init, scopes, found);
  }
}

function isTakenApart({ type, properties }) {
  return (
    type === "ObjectPattern" &&
    properties.every(
      ({ type, computed, value }) => type === "Property" && !computed && value.type === "Identifier",
    )
  );
}

/** The dictionary whose words an expression is; undefined for any other. */
function dictionaryOf(node, scopes, { functions }) {
  if (node.type === "CallExpression" && node.callee.type === "Identifier" && functions.has(node.callee.name))
    return node.callee.name;
  if (node.type !== "Identifier") return undefined;
  return scopes.findLast((scope) => scope.has(node.name))?.get(node.name);
}

/** The functions that a module imports from modules of words, by their own names. */
function importedFunctions({ body }) {
  const imports = body.filter(
    ({ type, source }) =>
      type === "ImportDeclaration" && /\/words\/(?!language\.)\w+\.js$/.test(source.value),
  );
  return new Set(imports.flatMap(({ specifiers }) => specifiers.map(({ imported }) => imported.name)));
}

function noteOthers(node, { uses, own }) {
  const { others } = uses;
  if (node.type === "Property" && node.key?.type === "Identifier" && !own.has(node.key.start))
    others.push(node.key.name);
  if (node.type === "MemberExpression" && node.property.type === "Identifier")
    others.push(node.property.name);
  if (node.type === "Literal" && typeof node.value === "string") others.push(node.value);
  if (node.type === "TemplateElement") others.push(node.value.cooked);
  if (node.type === "JSXAttribute" && node.name.type === "JSXIdentifier") others.push(node.name.name);
}

/** The dictionaries of a module of words, with the names of their first level and the places of these in each language. */
function findDictionaries({ body }, { dictionaries, words }) {
  const declared = bindingsOf(body);
  const written = (node) =>
    node.type === "Identifier" ? declared.find(({ id }) => id.name === node.name)?.init : node;
  for (const { id, init } of declared.filter(({ init }) => init?.callee?.name === "dictionary")) {
    const languages = init.arguments[0].properties.map(({ value }) => written(value)?.properties ?? []);
    for (const properties of languages)
      for (const { key, shorthand } of properties) {
        const { name, start, end } = key;
        words.push({ dictionary: id.name, name, start, end, isShorthand: shorthand });
      }
    dictionaries.push([id.name, languages[0].map(({ key }) => key.name)]);
  }
}
