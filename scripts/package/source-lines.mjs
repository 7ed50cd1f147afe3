/** Which source file and line each line of a bundle comes from: all that a stack trace needs of a source map, in a tenth of its bytes. */
import { posix } from "node:path";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CONTINUES = 32;
const NUMBER_BYTES = 4;
/** The number of no source. */
const NONE = 0xffffffff;

/**
 * The file that loader.cjs reads: the length of a list, the list as JSON (`{ name, sources, count }` for each file), and for each line of
 * each file the number of its source and the line there.
 * @param {{ name: string, map: { sources: string[], mappings: string } }[]} files
 * @returns {Buffer}
 */
export function sourceLines(files) {
  const lines = files.map(({ map }) => linesOf(map.mappings));
  const head = files.map(({ name, map }, at) => ({
    name,
    sources: map.sources.map((source) => readable(posix.join(posix.dirname(name), source))),
    count: lines[at].length,
  }));
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(NUMBER_BYTES);
  length.writeUInt32LE(text.length);
  const numbers = Buffer.from(Uint32Array.from(lines.flat(2)).buffer);
  return Buffer.concat([length, text, numbers]);
}

/** `src/…` or `node_modules/…`, wherever the bundle was made. */
function readable(source) {
  return source.replace(/^.*?(?=(?:src|dist|node_modules)\/)/, "");
}

/** For each line: `[source, line]` of its first place, counted from 0 and 1. */
function linesOf(mappings) {
  let source = 0;
  let line = 0;
  return mappings.split(";").map((text) => {
    let first;
    for (const segment of text.split(",")) {
      const [, sourceStep, lineStep] = numbersOf(segment);
      if (sourceStep === undefined) continue;
      source += sourceStep;
      line += lineStep;
      first ??= [source, line + 1];
    }
    return first ?? [NONE, 0];
  });
}

/** Numbers of variable length in base 64, as source maps have them. */
function numbersOf(segment) {
  const numbers = [];
  let value = 0;
  let shift = 0;
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit);
    value |= (bits & (CONTINUES - 1)) << shift;
    shift += 5;
    if ((bits & CONTINUES) !== 0) continue;
    numbers.push((value & 1) === 1 ? -(value >>> 1) : value >>> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}
