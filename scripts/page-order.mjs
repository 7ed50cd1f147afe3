/**
 * A step of the page's build: the functions of a file stand beside those that are most like them, because compression finds what
 * is near, and says it shorter. Where a function is declared in a module makes no difference to what it does; everything else keeps its order.
 */
import { parseAst } from "rolldown/parseAst";

/** How many signs are compared at once, and how many functions before are near. */
const SIGNS = 5;
const NEAR = 20;
/** How much less each further function before counts. */
const FADING = 0.3;

/** A module with its functions in such an order, behind everything else. */
export function likeBesideLike(code) {
  const parts = parseAst(code, { lang: "js" }).body.map(({ type, start, end }) => ({
    isFunction: type === "FunctionDeclaration",
    text: code.slice(start, end),
  }));
  const functions = ordered(parts.filter(({ isFunction }) => isFunction).map(({ text }) => text));
  const others = parts.filter(({ isFunction }) => !isFunction).map(({ text }) => text);
  return [...others.map((text) => (/[;}]$/.test(text) ? text : `${text};`)), ...functions].join("");
}

function ordered(functions) {
  const left = functions.map((text) => ({ text, pieces: piecesOf(text) }));
  const counts = new Map();
  for (const { pieces } of left) for (const piece of pieces) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  const order = left.splice(0, 1);
  while (left.length > 0) {
    const near = nearPieces(order, counts);
    const likeness = left.map(
      ({ pieces }) => sum([...pieces].map((piece) => near.get(piece) ?? 0)) / Math.sqrt(pieces.size + 20),
    );
    const best = likeness.indexOf(Math.max(...likeness));
    order.push(...left.splice(best, 1));
  }
  return order.map(({ text }) => text);
}

function piecesOf(text) {
  return new Set(
    Array.from({ length: Math.max(0, text.length - SIGNS + 1) }, (_, at) => text.slice(at, at + SIGNS)),
  );
}

/** What the functions before have, and how much it counts: less when it is farther, or in many functions. */
function nearPieces(order, counts) {
  const near = new Map();
  for (const [distance, { pieces }] of order.slice(-NEAR).reverse().entries())
    for (const piece of pieces)
      if (!near.has(piece)) near.set(piece, 1 / (1 + distance * FADING) / counts.get(piece));
  return near;
}

const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);
