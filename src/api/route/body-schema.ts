import * as v from "valibot";
import { EMPTY_GUID, NvrdError, parseGuid } from "../../base/index.js";
import { SITE_LIMITS, siteValues } from "../../site/index.js";
import { Faults, parseJsonBody } from "./body-reader.js";

/** Bodies of the configuration API that have a schema: the kinds of their members, and what is said of a fault. */

/** Keys from outside are cut in paths, so that a message stays short. */
const KEY_LENGTH_MAX = 40;

/** Checks a body. Throws NvrdError BAD_REQUEST that names every fault by its path, without the value. */
export function readBody<T>(schema: v.GenericSchema<unknown, T>, body: Uint8Array): T {
  const data = parseJsonBody(body);
  const result = v.safeParse(schema, data);
  if (result.success) return result.output;
  const faults = new Faults();
  for (const issue of result.issues) faults.add(pathText(issue.path), faultText(issue));
  faults.throwIfAny();
  throw new NvrdError("BAD_REQUEST", "the body is not of the accepted shape");
}

/** `[1].Rights.CanPTZ` */
function pathText(path: readonly { readonly key?: unknown }[] | undefined): string {
  const keys = (path ?? []).map(({ key }) =>
    typeof key === "number" ? `[${key}]` : `.${String(key).slice(0, KEY_LENGTH_MAX)}`,
  );
  return keys.join("").replace(/^\./, "") || "the body";
}

const ACCEPTED = /^accepted: /;

function faultText(issue: v.BaseIssue<unknown>): string {
  if (issue.kind === "schema" && issue.expected === "never") return "unknown member";
  if (issue.received === "undefined") return "is required";
  return ACCEPTED.test(issue.message) ? issue.message.replace(ACCEPTED, "") : "not of the accepted type";
}

/**
 * An object whose members match in any case; those nobody knows are dropped. A member written exactly counts before
 * one that differs in case.
 */
export function members<const T extends v.ObjectEntries>(entries: T) {
  return v.pipe(v.unknown(), v.transform(namesOf(entries)), v.object(entries, "accepted: an object"));
}

function namesOf(entries: v.ObjectEntries): (data: unknown) => unknown {
  const known = new Map(Object.keys(entries).map((name) => [name.toLowerCase(), name]));
  return (data) => {
    // The schema takes a list for an object without members.
    if (Array.isArray(data)) return null;
    if (typeof data !== "object" || data === null) return data;
    const renamed = new Map<string, unknown>();
    for (const [key, value] of Object.entries(data)) {
      const name = known.get(key.toLowerCase()) ?? key;
      if (name === key || !Object.hasOwn(data, name)) renamed.set(name, value);
    }
    return Object.fromEntries(renamed);
  };
}

/** A member that may be left out; null counts as left out. */
export const given = <T extends v.GenericSchema>(schema: T) => v.nullish(schema);

/** A GUID as clients write it: any case, with or without braces. */
export const guidText = v.pipe(
  v.string("accepted: a GUID"),
  v.check((text) => parseGuid(text) !== undefined, "accepted: a GUID"),
  v.transform((text) => parseGuid(text) ?? EMPTY_GUID),
);

/** A GUID where none may also be written as an empty text or all zeros: then null. */
export const guidOrNone = v.nullish(
  v.pipe(
    v.string("accepted: a GUID"),
    v.check((text) => text === "" || parseGuid(text) !== undefined, "accepted: a GUID"),
    v.transform((text) => {
      const id = parseGuid(text);
      return id === undefined || id === EMPTY_GUID ? null : id;
    }),
  ),
);

/** A name, without the blanks around it. */
export const nameText = v.pipe(siteValues.name, v.trim());

export const guids = (countMax: number, noun: string) => siteValues.list(guidText, countMax, noun);
export const channelIds = guids(SITE_LIMITS.camerasMax, "channels");
