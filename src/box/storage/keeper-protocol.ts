import * as v from "valibot";
import { errorOfLine, jsonOfLine, NvrdError } from "../../base/index.js";

/**
 * The protocol of the service and the disk keeper over a unix socket: one line of JSON each way, in UTF-8, then the
 * connection ends. `{ "version": 1, "action": "format", "device": "/dev/sdb", "serial": "…", "eraseFound": false }` is
 * answered with `{ "label": "nvrd-0a1b2c3d" }` or `{ "error": { "code": "…", "message": "…", "hint": "…" } }`.
 */
export const KEEPER_VERSION = 1;
/** Longest line either way. */
export const KEEPER_LINE_BYTES_MAX = 4096;
const TEXT_MAX = 256;

/** Label of the file systems that nvrd creates; also used as directory name. Part of the image format; must not change. */
export const VOLUME_LABEL = /^nvrd-[0-9a-f]{8}$/;

/** A disk to be formatted. */
export interface FormatOrder {
  /** `/dev/sdb`: a whole disk. */
  readonly device: string;
  /** As reported by the kernel; empty for a disk without one. */
  readonly serial: string;
  /** Whether existing data on the disk may be erased. */
  readonly eraseFound: boolean;
}

const shortText = v.pipe(v.string(), v.maxLength(TEXT_MAX));
const request = v.strictObject({
  version: v.literal(KEEPER_VERSION),
  action: v.literal("format"),
  device: shortText,
  serial: shortText,
  eraseFound: v.boolean(),
});
const answer = v.union([
  v.object({ label: v.pipe(v.string(), v.regex(VOLUME_LABEL)) }),
  v.object({
    error: v.object({ code: shortText, message: v.string(), hint: v.optional(v.string(), "") }),
  }),
]);

/** Parses an order. Throws NvrdError BAD_REQUEST. */
export function readFormatOrder(line: string): FormatOrder {
  const result = v.safeParse(request, jsonOfLine(line));
  if (!result.success)
    throw new NvrdError("BAD_REQUEST", "not a valid order for this version of the disk keeper", {
      hint: "service and disk keeper must have the same version",
    });
  const { device, serial, eraseFound } = result.output;
  return { device, serial, eraseFound };
}

export function formatOrderLine(order: FormatOrder): string {
  return JSON.stringify({ version: KEEPER_VERSION, action: "format", ...order });
}

/** Parses the keeper's answer: the label. Throws the keeper's NvrdError, or INTERNAL if the answer is invalid. */
export function readLabel(line: string): string {
  const result = v.safeParse(answer, jsonOfLine(line));
  if (!result.success) throw new NvrdError("INTERNAL", "the answer of the disk keeper is invalid");
  if ("label" in result.output) return result.output.label;
  throw errorOfLine(result.output.error);
}

export function labelLine(label: string): string {
  return `${JSON.stringify({ label })}\n`;
}
