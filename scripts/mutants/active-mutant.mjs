/** Asked by a program that `switched.mjs` wrote, in the process of a test, its threads and its children. */
import { appendFileSync } from "node:fs";
import process from "node:process";

const { NVRD_MUTANT: active, NVRD_MUTANTS_REACHED: list } = process.env;
const number = active === undefined ? undefined : Number(active);
const reached = new Set();

/** Whether the program is this mutant. With NVRD_MUTANTS_REACHED, a file, it notes which places were reached, and is none. */
export function isMutant(asked) {
  if (list !== undefined && !reached.has(asked)) {
    reached.add(asked);
    appendFileSync(list, `${asked}\n`);
  }
  return asked === number;
}
