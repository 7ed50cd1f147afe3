/** The lists of image/: a name a line, then why it is there. */
import { readFileSync } from "node:fs";

/** Names of a list; throws when one is listed twice or without a reason. */
export function readList(file) {
  const names = new Set();
  for (const [at, line] of readFileSync(file, "utf8").split("\n").entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, name, reason] = /^(\S+)\s+(\S.*)$/.exec(line) ?? [];
    if (name === undefined || reason === undefined)
      throw new Error(`${file}:${at + 1}: expected a name and its reason`);
    if (names.has(name)) throw new Error(`${file}:${at + 1}: ${name} is listed twice`);
    names.add(name);
  }
  return [...names];
}
