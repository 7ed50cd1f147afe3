/** Bytes `[from, to)` of a file. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** What the headers of a request say of which bytes are wanted. */
export interface RangeHeaders {
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

const ONE_RANGE = /^bytes=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i;

/**
 * The one range that is asked for (RFC 9110, 14.2), cut to the file; undefined: the whole file, which is also the answer
 * to several ranges, to another unit, to what is malformed, and to an If-Range that names another version.
 * "unsatisfiable": none of it is in the file.
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

/** Whether a list of entity tags names this one, or is `*` (RFC 9110, 13.1). `weak`: W/ does not matter. */
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
