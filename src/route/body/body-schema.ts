import * as v from "valibot";
import { NvrdError } from "../../base/index.js";
import { given, maybeGuidText } from "../../contract/reading/index.js";

export { given, guidText, members, nameText } from "../../contract/reading/index.js";

import { Faults } from "./body-reader.js";
import { parseJsonBody } from "./json-body.js";

/** Schemas for bodies of the configuration API: the kinds of their members, and the texts of faults. */

/** Of a larger body only the first fault is answered: a list of thousands of wrong items has as many. */
const ALL_FAULTS_BYTES_MAX = 64 * 1024;
/** Keys are truncated in paths to keep messages short. */
const KEY_LENGTH_MAX = 40;

/** Checks a body. Throws NvrdError BAD_REQUEST that lists all faults by path, without values. */
export function readBody<T>(schema: v.GenericSchema<unknown, T>, body: Uint8Array): T {
  const data = parseJsonBody(body);
  const result = v.safeParse(schema, data, { abortEarly: body.length > ALL_FAULTS_BYTES_MAX });
  if (result.success) return result.output;
  const faults = new Faults();
  for (const issue of result.issues) faults.add(pathText(issue.path), faultText(issue));
  faults.throwIfAny();
  throw new NvrdError("BAD_REQUEST", "the body does not match the schema");
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

/** A GUID; an empty text or all zeros means none and gives null. */
export const guidOrNone = given(maybeGuidText);
