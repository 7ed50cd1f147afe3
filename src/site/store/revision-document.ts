import { createHash } from "node:crypto";
import { NvrdError } from "../../base/index.js";
import type { Site } from "../model/model.js";
import { readSiteChange, type SiteChange } from "../model/site-change.js";
import { withDefaultParts } from "../model/site-defaults.js";
import { consistencyProblems } from "../schema/site-checks.js";
import { isSite, isTooDeep, shapeProblems } from "../schema/site-schema.js";

/**
 * One revision of the configuration as text, the same in LMDB and in its JSON file:
 * `{ "nvrdConfiguration": 4, "sha256": "…", "change": { "by": …, "summary": "…" }, "site": { … } }`. The hash is of
 * the compact JSON of `{ change, site }`, so that a file may be indented and a flipped bit is still seen.
 *
 * Format 1 had no `change`, its hash was of `site` alone, and the site lacked the parts of site-defaults.ts. It is
 * still read; a part that any document lacks has its default.
 */

/** Rises when an older nvrd could no longer read what this one writes. */
export const CONFIGURATION_FORMAT = 4;
const FORMAT_WITHOUT_CHANGE = 1;
const FORMAT_WITHOUT_SCHEDULES = 2;
const FORMAT_WITHOUT_ALARMS = 3;
const READABLE_FORMATS: readonly unknown[] = [
  FORMAT_WITHOUT_CHANGE,
  FORMAT_WITHOUT_SCHEDULES,
  FORMAT_WITHOUT_ALARMS,
  CONFIGURATION_FORMAT,
];

/** 256 cameras with every text at its bound stay below it. */
export const REVISION_BYTES_MAX = 16 * 1024 * 1024;

/** A configuration, and who made it of the one before. */
export interface Revision {
  readonly site: Site;
  /** Null when it was written before this was kept. */
  readonly change: SiteChange | null;
}

export interface DamagedRevision {
  readonly kind: "damaged";
  readonly reason: string;
}

export type DecodedRevision =
  | ({ readonly kind: "whole" } & Revision)
  | { readonly kind: "newer" }
  | DamagedRevision;

/**
 * @param indent Blanks a level; 0 for one line.
 * Throws NvrdError BAD_REQUEST when the text would be too long to be read again.
 */
export function encodeRevision({ site, change }: Revision, indent: number): string {
  const sha256 = hashOf({ change, site });
  const document = { nvrdConfiguration: CONFIGURATION_FORMAT, sha256, change, site };
  const text = JSON.stringify(document, undefined, indent);
  if (Buffer.byteLength(text) > REVISION_BYTES_MAX) {
    throw new NvrdError("BAD_REQUEST", `the configuration would be longer than ${REVISION_BYTES_MAX} bytes`);
  }
  return text;
}

/** What a document says before its site is checked. */
export type OpenedRevision =
  | { readonly kind: "whole"; readonly site: unknown; readonly change: SiteChange | null }
  | Exclude<DecodedRevision, { readonly kind: "whole" }>;

/** Reads what `encodeRevision` wrote, or anything else that lies in its place. Never throws. */
export function decodeRevision(text: string): DecodedRevision {
  const opened = openRevision(text);
  return opened.kind === "whole" ? readSite(withDefaultParts(opened.site), opened.change) : opened;
}

/** The same up to the check sum: what a history needs of 100 documents, at a tenth of the work. */
export function openRevision(text: string): OpenedRevision {
  if (text.length > REVISION_BYTES_MAX) return damaged(`longer than ${REVISION_BYTES_MAX} bytes`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    // The parser's message would quote the text, which holds passwords; the answer says all that may be said.
    return damaged("not JSON");
  }
  if (typeof data !== "object" || data === null || !("nvrdConfiguration" in data)) {
    return damaged("not a configuration");
  }
  const format = data.nvrdConfiguration;
  if (typeof format === "number" && format > CONFIGURATION_FORMAT) return { kind: "newer" };
  if (!READABLE_FORMATS.includes(format)) return damaged("unknown format");
  if (isTooDeep(data)) return damaged("nested too deep");
  const site: unknown = "site" in data ? data.site : undefined;
  const change: unknown = "change" in data ? data.change : null;
  const hashed = format === FORMAT_WITHOUT_CHANGE ? site : { change, site };
  if (!("sha256" in data) || data.sha256 !== hashOf(hashed)) return damaged("the check sum does not match");
  return { kind: "whole", site, change: format === FORMAT_WITHOUT_CHANGE ? null : readSiteChange(change) };
}

function readSite(site: unknown, change: SiteChange | null): DecodedRevision {
  if (!isSite(site)) return damaged(shapeProblems(site).join("; "));
  const problems = consistencyProblems(site);
  return problems.length > 0 ? damaged(problems.join("; ")) : { kind: "whole", site, change };
}

/** The format of a document that was decoded as whole; undefined when the text names none. */
export function formatOf(text: string): number | undefined {
  // It stands at the front, as `encodeRevision` writes it: a configuration of megabytes is not parsed once more for it.
  const format = Number(/^\s*\{\s*"nvrdConfiguration":\s*(\d{1,6})\b/.exec(text)?.[1]);
  return Number.isSafeInteger(format) ? format : undefined;
}

/** The error for a document of a newer version. */
export function newerFormatError(where: string): NvrdError {
  return new NvrdError(
    "FORMAT_NEWER",
    `the configuration in ${where} is of a newer format than ${CONFIGURATION_FORMAT}, the newest that this version reads`,
  );
}

function hashOf(hashed: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(hashed) ?? "")
    .digest("hex");
}

function damaged(reason: string): DamagedRevision {
  return { kind: "damaged", reason: reason.slice(0, 500) };
}
