/** The lists of image/: a name a line, then why it is there. */
import { readFileSync } from "node:fs";

/** Names of a list; throws when one stands there twice or without a reason. */
export function readList(file) {
  const names = new Set();
  for (const [at, line] of readFileSync(file, "utf8").split("\n").entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, name, reason] = /^(\S+)\s+(\S.*)$/.exec(line) ?? [];
    if (name === undefined || reason === undefined)
      throw new Error(`${file}:${at + 1}: a name and its reason are wanted`);
    if (names.has(name)) throw new Error(`${file}:${at + 1}: ${name} stands there twice`);
    names.add(name);
  }
  return [...names];
}
