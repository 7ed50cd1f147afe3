/**
 * A step of the page's build: a dictionary names each word at most once, and the words of each further language are a module of
 * their own. `shared = dictionary({ en: { save: "Save", a: "Add" }, ru: { save: "Сохранить", a: "Добавить" } })` becomes
 * `packedDictionary({ save: "Save" }, ["Add"], { ru })`, where `ru` is `["Сохранить", "Добавить"]` of the module with `?ru` behind its
 * name: in the order of the first language, without names. Names that are counted (page-word-names.mjs) are in neither.
 * Words of one language beside each other are compressed better than by turns with those
 * of another. In the sources each language stays readable, and the compiler compares them.
 */
import { readFileSync } from "node:fs";
import { parseAst } from "rolldown/parseAst";
import { oneByteTexts } from "./page-letters.mjs";
import { countedName } from "./page-word-names.mjs";

const SOURCE = /\/src\/page\/.*\.(tsx?)$/;
const WORDS = /\/page\/words\/(?!language\.)\w+\.ts(?:\?(?<language>\w+))?$/;

/**
 * @param {(code: string, file: string) => string} shorten The names of words in a module of the page; default: none.
 * @param {(file: string) => boolean} isOneByte Whether the texts of a module with a further language are written a byte a letter.
 * @returns {import("rolldown").Plugin}
 */
export function packWords(shorten = (code) => code, isOneByte = () => false) {
  return {
    name: "words",
    resolveId: (id) => (WORDS.exec(id)?.groups.language === undefined ? undefined : id),
    load: (id) => {
      const match = WORDS.exec(id);
      if (match === null) return shortened(id, shorten);
      const { language } = match.groups;
      const file = language === undefined ? id : id.slice(0, -language.length - 1);
      const code = shorten(readFileSync(file, "utf8"), file);
      const list = language === undefined ? withNames(code, file) : listOf(code, file, language);
      return { code: isOneByte(id) ? oneByteTexts(list, file) : list, moduleType: "ts" };
    },
  };
}

function shortened(id, shorten) {
  const type = SOURCE.exec(id)?.[1];
  return type === undefined ? undefined : { code: shorten(readFileSync(id, "utf8"), id), moduleType: type };
}

/** The module with the words of its first language; the others it imports. */
function withNames(code, file) {
  const imports = [];
  const text = replaced(code, file, ({ name, first, others }) => {
    const lists = others.map(({ key }) => {
      imports.push(`import { ${name} as ${name}_${key.name} } from "${file}?${key.name}";`);
      return `${key.name}: ${name}_${key.name}`;
    });
    const { named, counted } = wordsOf(first.value);
    const texts = [
      `{ ${named.map((property) => textOf(property, code)).join(", ")} }`,
      `[${counted.map(({ value }) => textOf(value, code)).join(", ")}]`,
      `{ ${lists.join(", ")} }`,
    ];
    return `packedDictionary(${texts.join(", ")})`;
  });
  return [...imports, text.replace(/\bdictionary\b(?=[^;]*language\.js)/, "packedDictionary")].join("\n");
}

/** The module with the words of a further language alone. */
function listOf(code, file, language) {
  return replaced(code, file, ({ first, others }) => {
    const own = others.find(({ key }) => key.name === language);
    const { named, counted } = wordsOf(first.value);
    return listed({ ...first.value, properties: [...named, ...counted] }, own.value, code);
  });
}

/** The words of a dictionary whose names are to be written, and those whose names are counted. */
function wordsOf(language) {
  if (!isPlain(language)) throw new Error("the page: a dictionary has a name that is a number, or a spread");
  const named = new Map(language.properties.map((property) => [nameOf(property), property]));
  const counted = [];
  for (let name = countedName(0); named.has(name); name = countedName(counted.length)) {
    counted.push(named.get(name));
    named.delete(name);
  }
  return { named: [...named.values()], counted };
}

/** The module with `change` in place of each of its dictionaries. */
function replaced(code, file, change) {
  const declared = parseAst(code, { lang: "ts" }, file).body.flatMap(
    (node) => (node.declaration ?? node).declarations ?? [],
  );
  const written = (node) =>
    node.type === "Identifier" ? declared.find(({ id }) => id.name === node.name).init : node;
  const found = declared.filter(({ init }) => init?.callee?.name === "dictionary");
  if (found.length === 0) throw new Error(`the page: ${file} has no dictionary`);
  return found.toReversed().reduce((text, { id, init }) => {
    const [first, ...others] = init.arguments[0].properties.map(({ key, value }) => ({
      key,
      value: written(value),
    }));
    return text.slice(0, init.start) + change({ name: id.name, first, others }) + text.slice(init.end);
  }, code);
}

/** The words of `other` in the order in which `shape` has them; what is no plain object stays as it is. */
function listed(shape, other, code) {
  if (!isPlain(shape) || !isPlain(other)) return textOf(other, code);
  const values = new Map(other.properties.map((property) => [nameOf(property), property.value]));
  const list = shape.properties.map((property) => {
    const value = values.get(nameOf(property));
    if (value === undefined) throw new Error(`the page: a language has no word for ${nameOf(property)}`);
    return listed(property.value, value, code);
  });
  return `[${list.join(", ")}]`;
}

/** Whether its members stay in the order in which they are written: a number comes first, a spread hides its own. */
function isPlain(node) {
  if (node.type !== "ObjectExpression") return false;
  return node.properties.every((property) => property.type === "Property" && !/^\d/.test(nameOf(property)));
}

const nameOf = ({ key }) => key.name ?? String(key.value);
const textOf = ({ start, end }, code) => code.slice(start, end);
