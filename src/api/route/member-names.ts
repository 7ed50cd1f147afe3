import { isDeepStrictEqual } from "node:util";
import { shown } from "../../http/index.js";
import type { Faults } from "./body-reader.js";

export interface MemberNamesOptions {
  /** The spelling each member gets. */
  readonly names: readonly string[];
  /** Other names of members, in lower case. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Whether members of other names are faults; they are left out otherwise. */
  readonly only?: boolean;
  /** Where the object lies in the body. */
  readonly path: string;
  readonly faults: Faults;
}

/**
 * The members of a body's object under their proper names, whatever case they were sent in. One sent twice with
 * different values is a fault. What is no object stays as it is: the reader of the object says so.
 */
export function properlyNamed(value: unknown, options: MemberNamesOptions): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { names, aliases, only, path, faults } = options;
  const byLowerCase = new Map(names.map((name) => [name.toLowerCase(), name]));
  const members: Record<string, unknown> = {};
  for (const [sent, member] of Object.entries(value)) {
    const lower = sent.toLowerCase();
    const name = byLowerCase.get(lower) ?? aliases?.get(lower);
    const at = (text: string): string => (path === "" ? text : `${path}.${text}`);
    if (name === undefined) {
      if (only === true) faults.add(at(shown(sent)), "there is no such member");
    } else if (Object.hasOwn(members, name) && !isDeepStrictEqual(members[name], member)) {
      faults.add(at(name), "was sent twice with different values");
    } else members[name] = member;
  }
  return members;
}
