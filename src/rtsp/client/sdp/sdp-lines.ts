import { NvrdError } from "../../../base/index.js";

/** Limits of a session description, checked before it is parsed. */
export const SDP_BYTES_MAX = 128 * 1024;
/** Most lines that are read; those behind them are left out. */
export const SDP_LINES_MAX = 1000;
/** A longer line is left out. */
export const SDP_LINE_LENGTH_MAX = 16 * 1024;
const CONTROL = "a=control:";
const CONTROL_OF_WHOLE = "a=control:*";

/**
 * The lines of a session description as RFC 4566 writes them, whatever a camera made of them: other line ends, byte order
 * marks, NULs, blanks around marks, capitals in the names of attributes, a number of ports. Throws NvrdError BAD_REQUEST
 * if it is longer than SDP_BYTES_MAX.
 */
export function tidyDescription(body: Buffer): string {
  if (body.length > SDP_BYTES_MAX) {
    throw new NvrdError("BAD_REQUEST", `the session description is longer than ${SDP_BYTES_MAX} bytes`);
  }
  const lines = body
    .toString("latin1")
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, "")
    .replaceAll("\0", "")
    .split(/\r\n|\n|\r/, SDP_LINES_MAX)
    .filter((line) => line.length <= SDP_LINE_LENGTH_MAX)
    .map(tidyLine)
    .filter((line) => line !== "");
  return withoutControlsOfWhole(lines).join("\r\n");
}

/** Of several controls of one media those of the whole session are left out: one is the media's own. */
function withoutControlsOfWhole(lines: readonly string[]): readonly string[] {
  let section = 0;
  const sections = lines.map((line) => (line.startsWith("m=") ? ++section : section));
  const hasOwn = new Set(
    sections.filter((_, at) => lines[at]?.startsWith(CONTROL) && lines[at] !== CONTROL_OF_WHOLE),
  );
  const isKept = (line: string, at: number): boolean => {
    const ofMedia = sections[at] ?? 0;
    return line !== CONTROL_OF_WHOLE || ofMedia === 0 || !hasOwn.has(ofMedia);
  };
  return lines.filter(isKept);
}

function tidyLine(text: string): string {
  const line = text
    .replaceAll("\t", " ")
    .trim()
    .replace(/^([a-z]) *= */i, (_, type: string) => `${type.toLowerCase()}=`);
  if (line.startsWith("a=")) return tidyAttribute(line);
  // RFC 4566, 5.14: the port may be followed by a number of ports. A negative one is none.
  const media = /^m=([a-z]+) +(-?)(\d+)(?:\/\d+)? +(\S+) *(.*)$/i.exec(line);
  if (media === null) return line;
  const [, kind = "", sign = "", port = "", protocol = "", formats = ""] = media;
  return `m=${kind.toLowerCase()} ${sign === "" ? port : 0} ${protocol} ${formats}`.trim();
}

function tidyAttribute(line: string): string {
  return line
    .replace(/^a=[\w-]+/, (name) => name.toLowerCase())
    .replace(/^a=(rtpmap|fmtp|control|framesize|x-dimensions)\s*[:\s]\s*/, "a=$1:");
}
