/** Bytes `[from, to)` of a file. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** The Range headers of a request. */
export interface RangeHeaders {
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

const ONE_RANGE = /^bytes=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i;

/**
 * The single requested range (RFC 9110, 14.2), limited to the file. Undefined means the whole file; this also holds for several
 * ranges, another unit, a malformed header, and an If-Range for another version. "unsatisfiable": no byte of the range is in
 * the file.
 */
export function readByteRange(
  headers: RangeHeaders,
  file: { readonly bytes: number; readonly etag: string },
): ByteRange | "unsatisfiable" | undefined {
  const match = ONE_RANGE.exec(headers.range ?? "");
  if (match === null || (headers.ifRange !== undefined && headers.ifRange.trim() !== file.etag))
    return undefined;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const suffix = Number(last);
    return suffix === 0 ? "unsatisfiable" : { from: Math.max(0, file.bytes - suffix), to: file.bytes };
  }
  const from = Number(first);
  const to = last === "" ? file.bytes : Math.min(file.bytes, Number(last) + 1);
  if (last !== "" && Number(last) < from) return undefined;
  return from >= file.bytes ? "unsatisfiable" : { from, to };
}

/** Whether a list of entity tags contains this one, or is `*` (RFC 9110, 13.1). `weak`: weak comparison, W/ is ignored. */
export function namesEtag(
  list: string | undefined,
  etag: string,
  { weak }: { readonly weak: boolean },
): boolean {
  if (list === undefined) return false;
  return list
    .split(",")
    .map((item) => item.trim())
    .some((item) => item === "*" || item === etag || (weak && item === `W/${etag}`));
}
