import { BOX_HEADER_BYTES, box } from "./box.js";
import { VIDEO_TRACK } from "./fragment-tracks.js";

/** Where a track has its number: in `tkhd` of version 1 or 0, and in `trex` (ISO/IEC 14496-12, 8.3.2, 8.8.3). */
const TKHD_ID_AT = { version1: 28, version0: 20 } as const;
const TREX_ID_AT = 12;

interface ReadBox {
  readonly type: string;
  readonly whole: Buffer;
  readonly content: Buffer;
}

/** The init segment of fragments with the pictures' track alone. Throws RangeError where it is none. */
export function videoTrackAlone(init: Buffer): Buffer {
  return Buffer.concat(
    boxesIn(init).map(({ type, whole, content }) =>
      type === "moov" ? box("moov", ...boxesIn(content).flatMap(ofVideo)) : whole,
    ),
  );
}

function ofVideo({ type, whole, content }: ReadBox): Buffer[] {
  if (type === "trak") {
    const tkhd = boxesIn(content).find((each) => each.type === "tkhd")?.whole;
    const isLong = tkhd?.[BOX_HEADER_BYTES] === 1;
    return numberAt(tkhd, isLong ? TKHD_ID_AT.version1 : TKHD_ID_AT.version0) === VIDEO_TRACK ? [whole] : [];
  }
  if (type === "mvhd") {
    // It ends with the number that the next track would have.
    const header = Buffer.from(whole);
    header.writeUInt32BE(VIDEO_TRACK + 1, header.length - 4);
    return [header];
  }
  if (type !== "mvex") return [whole];
  const kept = boxesIn(content).filter(
    (each) => each.type !== "trex" || numberAt(each.whole, TREX_ID_AT) === VIDEO_TRACK,
  );
  return [box("mvex", ...kept.map((each) => each.whole))];
}

function numberAt(bytes: Buffer | undefined, at: number): number {
  if (bytes === undefined || bytes.length < at + 4) throw new RangeError("a track has no number");
  return bytes.readUInt32BE(at);
}

function boxesIn(bytes: Buffer): ReadBox[] {
  const boxes: ReadBox[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.length - at < BOX_HEADER_BYTES ? 0 : bytes.readUInt32BE(at);
    if (length < BOX_HEADER_BYTES || at + length > bytes.length)
      throw new RangeError("it is no init segment");
    const whole = bytes.subarray(at, at + length);
    const type = whole.toString("latin1", 4, BOX_HEADER_BYTES);
    boxes.push({ type, whole, content: whole.subarray(BOX_HEADER_BYTES) });
    at += length;
  }
  return boxes;
}
