import { createHash } from "node:crypto";
import { atOnce, NvrdError } from "../../base/index.js";
import type { Site } from "../model/model.js";
import { readSiteChange, type SiteChange } from "../model/site-change.js";
import { withDefaultParts } from "../model/site-defaults.js";
import { consistencyProblems } from "../schema/site-checks.js";
import { isSite, isTooDeep, shapeProblems } from "../schema/site-schema.js";

/**
 * One revision of the configuration as text, the same in LMDB and in its JSON file:
 * `{ "nvrdConfiguration": 11, "sha256": "…", "change": { "by": …, "summary": "…" }, "site": { … } }`. The hash is of
 * the compact JSON of `{ change, site }`: a file that was indented, as former versions wrote it, has the same.
 *
 * Format 1 had no `change`, its hash was of `site` alone, and the site lacked the parts of site-defaults.ts. It can still be
 * read; missing parts get their defaults.
 */

/** Incremented when an older nvrd can no longer read the format; which has what: docs/design/update.md. */
export const CONFIGURATION_FORMAT = 11;
const FORMAT_WITHOUT_CHANGE = 1;

/** Whether this version reads the format. */
export function isReadableFormat(format: unknown): format is number {
  return (
    typeof format === "number" && Number.isInteger(format) && format >= 1 && format <= CONFIGURATION_FORMAT
  );
}

/** Of a list, made into text at once. */
const PIECE_ITEMS = 32;
/** Shorter pieces are one. */
const PIECE_LENGTH_MIN = 256 * 1024;
/** Enough for 256 cameras with every text at its limit. */
export const REVISION_BYTES_MAX = 16 * 1024 * 1024;

/** A configuration, and the change that created it. */
export interface Revision {
  readonly site: Site;
  /** Null if it was written before changes were stored. */
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

/** The document's bytes. Throws NvrdError BAD_REQUEST when they would be too many to be read again. */
export function encodeRevision(revision: Revision): Buffer {
  return atOnce(encodingRevision(revision));
}

/** As `encodeRevision`; yields between pieces of a few milliseconds. */
export function* encodingRevision({ site, change }: Revision): Generator<undefined, Buffer> {
  // What is hashed and the rest of the document are the same text: a configuration of megabytes is made into text once.
  const hash = createHash("sha256");
  const pieces: Buffer[] = [];
  for (const text of textsOf(site, `{"change":${JSON.stringify(change)},"site":`)) {
    const piece = Buffer.from(text);
    hash.update(piece);
    pieces.push(piece);
    yield;
  }
  hash.update("}");
  const head = `{"nvrdConfiguration":${CONFIGURATION_FORMAT},"sha256":"${hash.digest("hex")}",`;
  const [first = Buffer.alloc(0), ...others] = pieces;
  const document = Buffer.concat([Buffer.from(head), first.subarray(1), ...others, Buffer.from("}")]);
  if (document.length > REVISION_BYTES_MAX) {
    throw new NvrdError("BAD_REQUEST", `the configuration would be longer than ${REVISION_BYTES_MAX} bytes`);
  }
  return document;
}

/** What JSON.stringify makes of the object, behind `before`, in pieces that end within its lists. */
function* textsOf(object: object, before: string): Generator<string> {
  let text = `${before}{`;
  let separator = "";
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    text += `${separator}${JSON.stringify(name)}:`;
    separator = ",";
    if (!Array.isArray(value)) {
      text += JSON.stringify(value);
      continue;
    }
    text += "[";
    for (let at = 0; at < value.length; at += PIECE_ITEMS) {
      // Without the brackets of the piece.
      text += `${at === 0 ? "" : ","}${JSON.stringify(value.slice(at, at + PIECE_ITEMS)).slice(1, -1)}`;
      if (text.length < PIECE_LENGTH_MIN) continue;
      yield text;
      text = "";
    }
    text += "]";
  }
  yield `${text}}`;
}

/** A document whose site is not checked yet. */
export type OpenedRevision =
  | { readonly kind: "whole"; readonly site: unknown; readonly change: SiteChange | null }
  | Exclude<DecodedRevision, { readonly kind: "whole" }>;

/** Decodes the output of `encodeRevision`, or any other text. Never throws. */
export function decodeRevision(text: string): DecodedRevision {
  const opened = openRevision(text);
  return opened.kind === "whole" ? readSite(withDefaultParts(opened.site), opened.change) : opened;
}

/** The same, but only up to the checksum: enough for a history of 100 documents, at a tenth of the cost. */
export function openRevision(text: string): OpenedRevision {
  if (text.length > REVISION_BYTES_MAX) return damaged(`longer than ${REVISION_BYTES_MAX} bytes`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    // The parser's message would quote the text, which contains passwords.
    return damaged("not JSON");
  }
  if (typeof data !== "object" || data === null || !("nvrdConfiguration" in data)) {
    return damaged("not a configuration");
  }
  const format = data.nvrdConfiguration;
  if (typeof format === "number" && format > CONFIGURATION_FORMAT) return { kind: "newer" };
  if (!isReadableFormat(format)) return damaged("unknown format");
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

/** The format of a valid document; undefined if the text has none. */
export function formatOf(text: string): number | undefined {
  // `encodeRevision` writes it first, so a large configuration need not be parsed again.
  const format = Number(/^\s*\{\s*"nvrdConfiguration":\s*(\d{1,6})\b/.exec(text)?.[1]);
  return Number.isSafeInteger(format) ? format : undefined;
}

/** The error for a document of a newer version. */
export function newerFormatError(where: string): NvrdError {
  return new NvrdError(
    "FORMAT_NEWER",
    `the configuration in ${where} has a newer format than ${CONFIGURATION_FORMAT}, the newest that this version can read`,
  );
}

function hashOf(hashed: unknown): string {
  return sha256Of(JSON.stringify(hashed) ?? "");
}

function sha256Of(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function damaged(reason: string): DamagedRevision {
  return { kind: "damaged", reason: reason.slice(0, 500) };
}
