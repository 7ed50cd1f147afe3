import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { clearPlaceSync, type Guid, inTurns, openPlain, parseGuid, takePlace } from "../base/index.js";
import { FindingRows, ROW_BYTES, ROWS_MAX } from "./finding-rows.js";

/**
 * A file of the index: the rows of a day, a section for each file of findings on a volume. Magic, length and CRC of the head, the head
 * as JSON; then of each section its rows, which begin at a multiple of 8, and its words as JSON. It is written whole.
 */
const MAGIC = Buffer.from("NVRDFIN1");
const PREFIX_BYTES = MAGIC.length + 8;
const HEAD_BYTES_MAX = 4 * 1024 * 1024;
const SECTION_BYTES_MAX = 32 * 1024 * 1024;
const FILE_MODE = 0o600;
/** Bytes that are packed between two turns of the event loop: a few milliseconds. */
const TURN_BYTES = 1024 * 1024;

/** Which file of findings a section is of, and how far it was read. */
export interface SectionSource {
  readonly channelId: Guid;
  /** `NO_VOLUME`: its findings are on none yet. */
  readonly volumeId: string;
  /** Up to where what is whole of the file goes: the next line comes there. */
  readonly wholeBytes: number;
  /** Of the file, a torn end included. */
  readonly fileBytes: number;
}

export interface DaySection extends SectionSource {
  readonly rows: FindingRows;
}

export interface SectionHead extends SectionSource {
  readonly at: number;
  readonly rowCount: number;
  readonly wordBytes: number;
  readonly crc: number;
}

/** Writes the file of a day; what was there before is replaced at once. */
export async function writeDayFile(path: string, sections: readonly DaySection[]): Promise<SectionHead[]> {
  const unfinished = `${path}.new`;
  const packed = await inTurns(packedOf(sections));
  let at = 0;
  const relative = packed.map(({ bytes, ...head }) => {
    const placed = { ...head.source, rowCount: head.rowCount, wordBytes: head.wordBytes, crc: head.crc, at };
    at += bytes.length;
    return placed;
  });
  const head = Buffer.from(JSON.stringify(relative));
  const padded = Buffer.concat([head, Buffer.alloc(-(head.length + PREFIX_BYTES) & 7, " ")]);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  MAGIC.copy(prefix);
  prefix.writeUInt32LE(padded.length, MAGIC.length);
  prefix.writeUInt32LE(crc32(padded), MAGIC.length + 4);
  clearPlaceSync(unfinished);
  const file = await openPlain(
    unfinished,
    constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
    FILE_MODE,
  );
  try {
    await file.writev([prefix, padded, ...packed.map(({ bytes }) => bytes)]);
  } finally {
    await file.close();
  }
  await takePlace(unfinished, path);
  const begin = PREFIX_BYTES + padded.length;
  return relative.map((section) => ({ ...section, at: begin + section.at }));
}

function* packedOf(sections: readonly DaySection[]) {
  const packed = [];
  let bytesOfTurn = 0;
  for (const { rows, ...source } of sections) {
    const words = Buffer.from(JSON.stringify(rows.words));
    // A copy: findings go on while the file is written.
    const bytes = Buffer.concat([rows.packed(), words, Buffer.alloc(-words.length & 7)]);
    packed.push({ source, rowCount: rows.count, wordBytes: words.length, bytes, crc: crc32(bytes) });
    bytesOfTurn += bytes.length;
    if (bytesOfTurn < TURN_BYTES) continue;
    bytesOfTurn = 0;
    yield;
  }
  return packed;
}

/** The sections of a day's file; undefined: there is no whole one. */
export async function readDayHeads(file: FileHandle): Promise<SectionHead[] | undefined> {
  const prefix = await readAt(file, 0, PREFIX_BYTES);
  if (prefix === undefined || !prefix.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const bytes = prefix.readUInt32LE(MAGIC.length);
  const head = bytes > HEAD_BYTES_MAX ? undefined : await readAt(file, PREFIX_BYTES, bytes);
  if (head === undefined || crc32(head) !== prefix.readUInt32LE(MAGIC.length + 4)) return undefined;
  const sections = JSON.parse(head.toString("utf8")) as unknown[];
  const begin = PREFIX_BYTES + bytes;
  return sections.flatMap((said) => {
    const section = readHead(said);
    return section === undefined ? [] : [{ ...section, at: section.at + begin }];
  });
}

/** The rows of a section; undefined: they are damaged. */
export async function readSection(file: FileHandle, head: SectionHead): Promise<FindingRows | undefined> {
  const rowBytes = head.rowCount * ROW_BYTES;
  const used = rowBytes + head.wordBytes;
  const length = used + (-head.wordBytes & 7);
  const bytes = length > SECTION_BYTES_MAX ? undefined : await readAt(file, head.at, length);
  if (bytes === undefined || crc32(bytes) !== head.crc) return undefined;
  const words = JSON.parse(bytes.toString("utf8", rowBytes, used)) as string[];
  return FindingRows.of(head.channelId, { words, rows: head.rowCount }, bytes.subarray(0, rowBytes));
}

/** Exactly so many bytes, in memory of their own, which numbers may be read from; undefined: the file is shorter. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer | undefined> {
  const bytes = Buffer.from(new ArrayBuffer(length));
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) return undefined;
    filled += bytesRead;
  }
  return bytes;
}

function readHead(said: unknown): SectionHead | undefined {
  const { channelId, volumeId, ...numbers } = said as Record<keyof SectionHead, unknown>;
  const channel = typeof channelId === "string" ? parseGuid(channelId) : undefined;
  const { wholeBytes, fileBytes, at, rowCount, wordBytes, crc } = numbers;
  if (channel === undefined || typeof volumeId !== "string") return undefined;
  if (!isCount(wholeBytes) || !isCount(fileBytes) || !isCount(at) || !isCount(crc)) return undefined;
  if (!isCount(rowCount) || rowCount > ROWS_MAX || !isCount(wordBytes)) return undefined;
  return { channelId: channel, volumeId, wholeBytes, fileBytes, at, rowCount, wordBytes, crc };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
