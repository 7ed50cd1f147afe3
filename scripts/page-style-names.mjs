/**
 * A step of the page's build: names of classes and of properties that style sheets define (`edit-buttons`, `--text-soft`) become
 * short ones there and in the modules. Only a name of several words is shortened, and only where all modules use it as a class, in
 * an attribute `class` or in a selector (`.edit-buttons`). One that a string has in any other way stays as it is, so does one that a
 * module may put together (`ptz-${icon}`).
 */
import { extname } from "node:path";
import { parseAst } from "rolldown/parseAst";

/** Tests find these, which have no role. */
const KEPT = ["event-picture", "event-scroll", "playback-tools", "region-box", "wall-bar", "zone-picture"];
const CLASS = /\.([a-z][a-z0-9]*(?:-[a-z0-9]+)+)/g;
const PROPERTY = /--[a-z][\w-]*/g;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/**
 * @param {string} sheet All style sheets.
 * @param {readonly (readonly [string, string])[]} modules The file name and source of each module.
 * @returns {{ sheet: string, code: (code: string, file: string) => string }} The sheet with short names, and what makes them so in a module.
 */
export function shortStyleNames(sheet, modules) {
  const strings = modules.flatMap(([file, code]) => stringsIn(code, file));
  const isClass = (name) => !KEPT.includes(name) && strings.every((string) => knowsAsClass(string, name));
  const isOwn = (name) => !strings.some(({ text }) => text.includes(name));
  const taken = new Set(sheet.match(/(?<=\.)[a-z]+\b/g));
  const classes = shortNames(found(sheet, CLASS, 1).filter(isClass), "", taken);
  const properties = shortNames(found(sheet, PROPERTY, 0).filter(isOwn), "--", new Set());
  const shortened = (text) => text.replace(/(?<![\w-])[a-z][\w-]*/g, (name) => classes.get(name) ?? name);
  return {
    sheet: sheet
      .replace(CLASS, (_, name) => `.${classes.get(name) ?? name}`)
      .replace(PROPERTY, (name) => properties.get(name) ?? name),
    code: (code, file) =>
      stringsIn(code, file)
        .sort((one, other) => other.start - one.start)
        .reduce(
          (text, { start, end }) =>
            text.slice(0, start) + shortened(text.slice(start, end)) + text.slice(end),
          code,
        ),
  };
}

/** Those names that are used most become the shortest. */
function shortNames(names, before, taken) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const short = new Map();
  let number = 0;
  for (const [name] of [...counts].sort(([, one], [, other]) => other - one)) {
    let next = nameOf(number++);
    while (taken.has(next)) next = nameOf(number++);
    short.set(name, before + next);
  }
  return short;
}

function nameOf(number) {
  const last = LETTERS[number % LETTERS.length];
  return number < LETTERS.length ? last : nameOf(Math.floor(number / LETTERS.length) - 1) + last;
}

const found = (text, pattern, group) => [...text.matchAll(pattern)].map((match) => match[group]);

/** Whether a string has a name as a class, or not at all. */
function knowsAsClass({ text, isClass, isCutBefore, isCutAfter }, name) {
  if (isClass && isCutAfter && name.startsWith(/[\w-]*$/.exec(text)[0] || " ")) return false;
  if (isClass && isCutBefore && name.endsWith(/^[\w-]*/.exec(text)[0] || " ")) return false;
  const uses = [...text.matchAll(new RegExp(`(.?)(?<![\\w-])${name}(?![\\w-])`, "g"))];
  return isClass || uses.every(([, before]) => before === ".");
}

/** The strings of a module with their places, and whether they are within an attribute `class`. */
function stringsIn(code, file) {
  const strings = [];
  const visit = (node, isWithin) => {
    let isClass = isWithin;
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node)) {
      for (const one of node) visit(one, isClass);
      return;
    }
    const { type, start, end, value } = node;
    if (type === "Literal" && typeof value === "string") strings.push({ text: value, start, end, isClass });
    if (type === "TemplateLiteral") {
      const last = node.quasis.length - 1;
      for (const [place, { start, end, value }] of node.quasis.entries()) {
        const cut = { isCutBefore: place > 0, isCutAfter: place < last };
        strings.push({ text: value.cooked, start, end, isClass, ...cut });
      }
      visit(node.expressions, isClass);
      return;
    }
    // What is compared or handed to a function is none of the classes of the attribute.
    if (type === "BinaryExpression" || type === "CallExpression") isClass = false;
    const own = type === "JSXAttribute" && node.name.type === "JSXIdentifier" && node.name.name === "class";
    for (const [part, child] of Object.entries(node)) if (part !== "type") visit(child, isClass || own);
  };
  visit(parseAst(code, { lang: extname(file).slice(1) }, file).body, false);
  return strings;
}
