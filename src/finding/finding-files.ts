import { SIDE_FILE_SHORT, type SideFiles, VolumeError } from "../archive/index.js";
import { type Guid, NvrdError, parseGuid } from "../base/index.js";
import type { Finding } from "./finding.js";
import type { OpenSection } from "./finding-index.js";
import { findingLine, LINE_BYTES_MAX, readFindingLine } from "./finding-line.js";
import { FindingRows } from "./finding-rows.js";

/** Where files of findings are read: a volume, or what others sent. */
export type FindingFiles = Pick<SideFiles, "id" | "listSideFiles" | "readSideFile">;

/** `findings/<channel>/<day>.findings` on each volume, lines as `finding-line.ts` has them. */
export const FINDINGS_DIRECTORY = "findings";
/** Of one file; what comes then on that day is left out. */
export const FILE_BYTES_MAX = 32 * 1024 * 1024;
/** So little is read at a time that its lines hold the main thread for some milliseconds only. */
const PIECE_BYTES = 64 * 1024;
const FILE_NAME = /^findings\/([^/]+)\/(\d{4}-\d{2}-\d{2})\.findings$/;
const NEWLINE = 10;

export function findingFile(channelId: Guid, day: string): string {
  return `${FINDINGS_DIRECTORY}/${channelId}/${day}.findings`;
}

/** Which channel and day a file is of; undefined: it is none of ours. */
export function readFindingFile(
  path: string,
): { readonly channelId: Guid; readonly day: string } | undefined {
  const [, channel = "", day = ""] = FILE_NAME.exec(path) ?? [];
  const channelId = parseGuid(channel);
  return channelId === undefined ? undefined : { channelId, day };
}

/** Whether a volume did not answer in time. */
export function isSilence(error: unknown): boolean {
  return error instanceof NvrdError && error.code === "NOT_AVAILABLE";
}

/** Whether a volume's file has lost some of what was written to it. */
export function isShort(error: unknown): boolean {
  return error instanceof VolumeError && error.code === SIDE_FILE_SHORT;
}

/** Whether a file takes so many findings more. */
export function hasRoom({ wholeBytes }: OpenSection, count: number): boolean {
  return wholeBytes + count * LINE_BYTES_MAX <= FILE_BYTES_MAX;
}

/**
 * Appends findings to a section's file and enters where they lie, as `latest` has them then: they go on meanwhile. Rejects where the
 * disk does: then nothing is entered.
 */
export async function appendFindings(
  volume: SideFiles,
  path: string,
  section: OpenSection,
  {
    findings,
    latest,
  }: { readonly findings: readonly Finding[]; readonly latest: (finding: Finding) => Finding },
): Promise<void> {
  const lines = findings.map(findingLine);
  const bytes = Buffer.concat(lines);
  const position = section.wholeBytes;
  await volume.appendToSideFile(path, position, bytes);
  let offset = position;
  for (const [at, finding] of findings.entries()) {
    const { length } = lines[at] ?? bytes;
    section.rows.put(latest(finding), { offset, bytes: length });
    offset += length;
  }
  section.wholeBytes = offset;
  section.fileBytes = offset;
}

/** All of a file, as a section. A torn end is left out, and so are lines that are damaged. */
export async function readFindings(
  volume: FindingFiles,
  path: string,
  channelId: Guid,
): Promise<OpenSection & { readonly damaged: number }> {
  const rows = new FindingRows(channelId);
  const memory = new SharedArrayBuffer(PIECE_BYTES);
  let [position, wholeBytes, fileBytes, damaged] = [0, 0, 0, 0];
  let rest = Buffer.alloc(0);
  for (;;) {
    const piece = await volume.readSideFile(path, position, memory);
    fileBytes = Math.min(piece.fileBytes, FILE_BYTES_MAX);
    if (piece.bytes === 0 || position >= FILE_BYTES_MAX) break;
    const bytes = Buffer.concat([rest, Buffer.from(new Uint8Array(memory, 0, piece.bytes))]);
    const begin = position - rest.length;
    position += piece.bytes;
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      const finding = readFindingLine(channelId, bytes.subarray(from, end));
      const place = { offset: begin + from, bytes: end + 1 - from };
      if (finding === undefined || !rows.put(finding, place)) damaged += 1;
      from = end + 1;
    }
    if (from > 0) wholeBytes = begin + from;
    // What is longer than a line is none: its end is looked for, and nothing of it kept.
    rest = bytes.length - from > LINE_BYTES_MAX ? Buffer.alloc(0) : Buffer.from(bytes.subarray(from));
  }
  return { channelId, volumeId: volume.id, wholeBytes, fileBytes, rows, damaged };
}

/** The whole lines of a file, at most so many bytes. */
export async function readLines(volume: SideFiles, path: string, bytesMax: number): Promise<Uint8Array> {
  const memory = new SharedArrayBuffer(PIECE_BYTES);
  const pieces: Uint8Array[] = [];
  for (let position = 0; position < bytesMax; ) {
    const { bytes } = await volume.readSideFile(path, position, memory);
    if (bytes === 0) break;
    pieces.push(new Uint8Array(memory).slice(0, bytes));
    position += bytes;
  }
  const all = Buffer.concat(pieces).subarray(0, bytesMax);
  return all.subarray(0, all.lastIndexOf(NEWLINE) + 1);
}

/** The whole of a finding, from its line; undefined: it is not there any more. */
export async function readFinding(
  volume: FindingFiles,
  path: string,
  channelId: Guid,
  place: { readonly offset: number; readonly bytes: number },
): Promise<Finding | undefined> {
  if (place.bytes === 0 || place.bytes > LINE_BYTES_MAX) return undefined;
  const memory = new SharedArrayBuffer(place.bytes);
  const { bytes } = await volume.readSideFile(path, place.offset, memory);
  if (bytes !== place.bytes) return undefined;
  return readFindingLine(channelId, Buffer.from(new Uint8Array(memory).slice(0, bytes - 1)));
}
