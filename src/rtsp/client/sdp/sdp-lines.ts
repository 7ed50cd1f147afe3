import { NvrdError } from "../../../base/index.js";

/** Limits of a session description, checked before it is parsed. */
export const SDP_BYTES_MAX = 128 * 1024;
/** Most lines that are read; those behind them are left out. */
export const SDP_LINES_MAX = 1000;
/** A longer line is left out. */
export const SDP_LINE_LENGTH_MAX = 16 * 1024;

/**
 * The lines of a session description as RFC 4566 writes them, whatever a camera made of them: other line ends, byte order
 * marks, NULs, blanks around marks, capitals in the names of attributes, a number of ports. Throws NvrdError BAD_REQUEST
 * if it is longer than SDP_BYTES_MAX.
 */
export function tidyDescription(body: Buffer): string {
  if (body.length > SDP_BYTES_MAX) {
    throw new NvrdError("BAD_REQUEST", `the session description is longer than ${SDP_BYTES_MAX} bytes`);
  }
  return body
    .toString("latin1")
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, "")
    .replaceAll("\0", "")
    .split(/\r\n|\n|\r/, SDP_LINES_MAX)
    .filter((line) => line.length <= SDP_LINE_LENGTH_MAX)
    .map(tidyLine)
    .filter((line) => line !== "")
    .join("\r\n");
}

function tidyLine(text: string): string {
  const line = text
    .replaceAll("\t", " ")
    .trim()
    .replace(/^([a-z]) *= */i, (_, type: string) => `${type.toLowerCase()}=`);
  if (line.startsWith("a=")) return tidyAttribute(line);
  // RFC 4566, 5.14: the port may be followed by a number of ports.
  const media = /^m=([a-z]+) +(\d+)(?:\/\d+)? +(\S+) *(.*)$/i.exec(line);
  if (media === null) return line;
  const [, kind = "", port = "", protocol = "", formats = ""] = media;
  return `m=${kind.toLowerCase()} ${port} ${protocol} ${formats}`.trim();
}

function tidyAttribute(line: string): string {
  return line
    .replace(/^a=[\w-]+/, (name) => name.toLowerCase())
    .replace(/^a=(rtpmap|fmtp|control|framesize|x-dimensions)\s*[:\s]\s*/, "a=$1:");
}
