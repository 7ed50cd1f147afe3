/**
 * A step of the page's build: texts of the Russian dictionaries are written with a byte a letter, which compresses better by a
 * tenth than two. A letter takes the place of a sign of ASCII, and that sign the letter's; `withLetters` of words/language.ts puts
 * each back where the text is: `${count} кадров` becomes withLetters`${count} kadrov`, so that what is put into it stays as it is.
 */
import { parseAst } from "rolldown/parseAst";

/** The signs for `а` to `я` and `ё`, and for `А` to `Я` and `Ё`; words/language.ts has them too. */
export const SIGNS = "abvgdejziyklmnoprstufhc#qw~x|@&_ABVGDEJZIYKLMNOPRSTUFHC<QW>X^=[]";
export const LETTERS = "абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ";

const OTHERS = new Map(
  [...LETTERS].flatMap((letter, place) => [
    [letter, SIGNS[place]],
    [SIGNS[place], letter],
  ]),
);

/** A text with letters as signs, and signs as letters. */
export function swapped(text) {
  return [...text].map((sign) => OTHERS.get(sign) ?? sign).join("");
}

/** A module of words with its texts swapped. */
export function oneByteTexts(code, file) {
  const changes = [];
  const visit = (node) => {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node)) {
      for (const one of node) visit(one);
      return;
    }
    const { type, start, end, value } = node;
    if (type === "ImportDeclaration" || type === "TSTypeReference") return;
    if (type === "Literal" && typeof value === "string")
      changes.push({ start, end, text: `withLetters\`${written(value)}\`` });
    if (type === "TemplateLiteral")
      changes.push({ start, end: start, text: "withLetters" }, ...partsOf(node, code));
    for (const [part, child] of Object.entries(node)) if (part !== "key") visit(child);
  };
  visit(parseAst(code, { lang: "ts" }, file).body);
  const text = changes
    .sort((one, other) => other.start - one.start || other.end - one.end)
    .reduce((text, { start, end, text: next }) => text.slice(0, start) + next + text.slice(end), code);
  return `import { withLetters } from "./language.js";\n${text}`;
}

function partsOf({ quasis }, code) {
  return quasis.map(({ start, value: { raw, cooked } }) => {
    // The parser counts the sign before a part of a template to it.
    const from = code.startsWith(raw, start) ? start : start + 1;
    return { start: from, end: from + raw.length, text: written(cooked) };
  });
}

const written = (text) => swapped(text).replace(/[\\`]|\$(?=\{)/g, "\\$&");
