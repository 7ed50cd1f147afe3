/** A program that holds several of its mutants at once: which one it is, is asked where the mutation is. */
import { fileURLToPath } from "node:url";

const ASKED = fileURLToPath(new URL("active-mutant.mjs", import.meta.url));

/**
 * `code` with each of `mutations`, by its `number`. They may lie within each other: one at a time is active.
 * @param {string} code
 * @param {(ReturnType<typeof import("./mutations.mjs").mutationsOf>[number] & { number: number })[]} mutations
 */
export function switched(code, mutations) {
  const ordered = [...mutations].sort(
    (a, b) => a.whole.start - b.whole.start || b.whole.end - a.whole.end || a.number - b.number,
  );
  return `import { isMutant as $isMutant } from ${JSON.stringify(ASKED)}; ${written(code, 0, code.length, ordered)}`;
}

function written(code, start, end, mutations) {
  let text = "";
  let at = start;
  for (let next = 0; next < mutations.length; ) {
    const [first, ...rest] = mutations.slice(next);
    const { whole } = first;
    const outside = rest.findIndex((other) => other.whole.start >= whole.end);
    const inner = outside < 0 ? rest : rest.slice(0, outside);
    text += code.slice(at, whole.start) + either(code, first, written(code, whole.start, whole.end, inner));
    at = whole.end;
    next += 1 + inner.length;
  }
  return text + code.slice(at, end);
}

function either(code, { number, start, end, text, whole }, unchanged) {
  if (whole.isStatement) return `{ if (!$isMutant(${number})) { ${unchanged} } }`;
  const changed = code.slice(whole.start, start) + text + code.slice(end, whole.end);
  return `($isMutant(${number}) ? (${changed}) : (${unchanged}))`;
}
