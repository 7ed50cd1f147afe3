import { isDeepStrictEqual } from "node:util";
import { shown } from "../../http/index.js";
import type { Faults } from "./body-reader.js";

export interface MemberNamesOptions {
  /** The proper names of the members. */
  readonly names: readonly string[];
  /** Other names of members, in lower case. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Whether members with other names are faults; otherwise they are dropped. */
  readonly only?: boolean;
  /** The path of the object in the body. */
  readonly path: string;
  readonly faults: Faults;
}

/**
 * The members of an object in a body with their proper names, matched ignoring case. A member sent twice with different values
 * is a fault. A value that is not an object is returned unchanged; the reader of the object reports it.
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
