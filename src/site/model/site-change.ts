import * as v from "valibot";
import { EMPTY_GUID, type Guid } from "../../base/index.js";
import { SITE_LIMITS } from "./site-limits.js";

/** The author and a one-line summary of a change; stored with the revision, and passed to followers. */
export interface SiteChange {
  /** Null: the service itself. */
  readonly by: ChangeAuthor | null;
  /** A sentence without secrets, in one line. */
  readonly summary: string;
}

export interface ChangeAuthor {
  /** The all-zero GUID if it is not a configured user (the command line). */
  readonly userId: Guid;
  readonly name: string;
}

const schema: v.GenericSchema<SiteChange> = v.strictObject({
  by: v.nullable(
    v.strictObject({
      userId: v.pipe(v.string(), v.maxLength(EMPTY_GUID.length)),
      name: v.pipe(v.string(), v.maxLength(SITE_LIMITS.authorNameLengthMax)),
    }),
  ),
  summary: v.pipe(v.string(), v.maxLength(SITE_LIMITS.changeSummaryLengthMax)),
});

/** Reads the change in a revision's document; null if invalid, which only affects one line of the history. */
export function readSiteChange(data: unknown): SiteChange | null {
  const result = v.safeParse(schema, data);
  return result.success ? result.output : null;
}

/** A change with its texts truncated to their limits and on one line. */
export function siteChange(by: ChangeAuthor | null, summary: string): SiteChange {
  const author =
    by === null ? null : { userId: by.userId, name: oneLine(by.name, SITE_LIMITS.authorNameLengthMax) };
  return { by: author, summary: oneLine(summary, SITE_LIMITS.changeSummaryLengthMax) };
}

function oneLine(text: string, lengthMax: number): string {
  const line = text.replace(/[\p{Cc}\p{Cs}]+/gu, " ");
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax - 1)}…`;
}
