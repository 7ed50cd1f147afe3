import { createHash } from "node:crypto";
import { NvrdError } from "../base/index.js";
import type { Site } from "./model.js";
import { consistencyProblems } from "./site-checks.js";
import { isSite, isTooDeep, shapeProblems } from "./site-schema.js";

/**
 * One revision of the configuration as text, the same in LMDB and in its JSON file:
 * `{ "nvrdConfiguration": 1, "sha256": "…", "site": { … } }`. The hash is of the compact JSON of `site`, so that a
 * file may be indented and a flipped bit is still seen.
 */

/** Rises when an older nvrd could no longer read what this one writes. */
export const CONFIGURATION_FORMAT = 1;

/** 256 cameras with every text at its bound stay below it. */
export const REVISION_BYTES_MAX = 16 * 1024 * 1024;

export type DecodedRevision =
  | { readonly kind: "whole"; readonly site: Site }
  | { readonly kind: "newer" }
  | { readonly kind: "damaged"; readonly reason: string };

/** @param indent Blanks a level; 0 for one line. */
export function encodeRevision(site: Site, indent: number): string {
  const sha256 = hashOf(site);
  return JSON.stringify({ nvrdConfiguration: CONFIGURATION_FORMAT, sha256, site }, undefined, indent);
}

/** Reads what `encodeRevision` wrote, or anything else that lies in its place. Never throws. */
export function decodeRevision(text: string): DecodedRevision {
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
  if (format !== CONFIGURATION_FORMAT) return damaged("unknown format");
  if (isTooDeep(data)) return damaged("nested too deep");
  if (!("site" in data) || !("sha256" in data) || data.sha256 !== hashOf(data.site)) {
    return damaged("the check sum does not match");
  }
  if (!isSite(data.site)) return damaged(shapeProblems(data.site).join("; "));
  const problems = consistencyProblems(data.site);
  return problems.length > 0 ? damaged(problems.join("; ")) : { kind: "whole", site: data.site };
}

/** The error for a document of a newer version. */
export function newerFormatError(where: string): NvrdError {
  return new NvrdError(
    "FORMAT_NEWER",
    `the configuration in ${where} is of a newer format than ${CONFIGURATION_FORMAT}, which this version reads`,
  );
}

function hashOf(site: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(site) ?? "")
    .digest("hex");
}

function damaged(reason: string): DecodedRevision {
  return { kind: "damaged", reason: reason.slice(0, 500) };
}
