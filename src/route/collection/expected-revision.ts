import { NvrdError } from "../../base/index.js";
import { changeQuery } from "../../contract/query/index.js";
import { type Answer, type ApiRequest, shown } from "../../http/index.js";

import { sentText } from "../endpoint/query-parameters.js";

/** A revision, bare or as an entity tag (RFC 9110, 8.8.3); also weak ones, because some programs send them. */
const TAG_PATTERN = /^(?:(?:W\/)?"(\d{1,16})"|(\d{1,16}))$/;

/**
 * The revision that the client's change is based on: the header `If-Match` or the query's `revision`. Undefined if neither is
 * given, or for `If-Match: *`: then the current one is used. Throws NvrdError BAD_REQUEST if it is invalid, CONFLICT if the two
 * differ: a change cannot be based on both.
 */
export function readExpectedRevision(request: ApiRequest): number | undefined {
  const fromHeader = revisionOf(request.header("if-match"), "the header If-Match");
  const fromQuery = revisionOf(sentText(request.query, changeQuery, "revision"), "the parameter revision");
  if (fromHeader !== undefined && fromQuery !== undefined && fromHeader !== fromQuery) {
    throw new NvrdError("CONFLICT", "If-Match and revision differ: at most one of them can be current");
  }
  return fromHeader ?? fromQuery;
}

function revisionOf(text: string | undefined, where: string): number | undefined {
  const trimmed = text?.trim();
  if (trimmed === undefined || trimmed === "*") return undefined;
  const match = TAG_PATTERN.exec(trimmed);
  const revision = Number(match?.[1] ?? match?.[2] ?? Number.NaN);
  if (Number.isSafeInteger(revision)) return revision;
  throw new NvrdError("BAD_REQUEST", `${where} must be a revision number, not ${shown(trimmed)}`);
}

/** The answer with the configuration's revision as its entity tag, for `If-Match` of a change. */
export function withRevision(answer: Answer, revision: number): Answer {
  return { ...answer, headers: [...answer.headers, ["ETag", `"${revision}"`]] };
}
