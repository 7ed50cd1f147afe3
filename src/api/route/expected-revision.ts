import { NvrdError } from "../../base/index.js";
import { type Answer, type ApiRequest, shown } from "../../http/index.js";

/** A revision, bare or as an entity tag (RFC 9110, 8.8.3); weak ones too, because some programs make them so. */
const TAG_PATTERN = /^(?:(?:W\/)?"(\d{1,16})"|(\d{1,16}))$/;

/**
 * The revision that the client's change was made for: header `If-Match` or the query's `revision`. Undefined when
 * neither is given, or `If-Match: *`: then it is made on the current one. Throws NvrdError BAD_REQUEST when it cannot
 * be read, or when the two name different ones.
 */
export function readExpectedRevision(request: ApiRequest): number | undefined {
  const fromHeader = revisionOf(request.header("if-match"), "the header If-Match");
  const fromQuery = revisionOf(request.query.getFilled("revision"), "the parameter revision");
  if (fromHeader !== undefined && fromQuery !== undefined && fromHeader !== fromQuery) {
    throw new NvrdError("BAD_REQUEST", "If-Match and revision name different revisions: give one of them");
  }
  return fromHeader ?? fromQuery;
}

function revisionOf(text: string | undefined, where: string): number | undefined {
  const trimmed = text?.trim();
  if (trimmed === undefined || trimmed === "*") return undefined;
  const match = TAG_PATTERN.exec(trimmed);
  const revision = Number(match?.[1] ?? match?.[2] ?? Number.NaN);
  if (Number.isSafeInteger(revision)) return revision;
  throw new NvrdError("BAD_REQUEST", `${where}: a revision number is accepted, not ${shown(trimmed)}`);
}

/** The answer with the configuration's revision as its entity tag, for `If-Match` of a change. */
export function withRevision(answer: Answer, revision: number): Answer {
  return { ...answer, headers: [...answer.headers, ["ETag", `"${revision}"`]] };
}
