import { wholeRecords } from "./record-crc.js";
import { isRecordHeader, isRecordWhole, RECORD_HEADER_BYTES, type SegmentFraming } from "./segment-format.js";
import type { ReadResult } from "./segment-reading.js";

/**
 * Walks the records in `bytes`. `end`: where the bytes wanted end, beyond these, with these, or the file ends
 * before; except for the first, a truncated record does not count.
 */
export function checkRecords(
  bytes: Buffer,
  framing: SegmentFraming,
  end: "beyond" | "reached" | "missing",
): ReadResult {
  const atEnd = end !== "beyond";
  // The loop says what is wrong with the first record that is not whole.
  let at = wholeRecords(bytes, framing.crcSeed);
  while (at + RECORD_HEADER_BYTES <= bytes.length) {
    if (!isRecordHeader(bytes, at, framing.crcSeed)) return { wholeBytes: at, damaged: true, neededBytes: 0 };
    const length = RECORD_HEADER_BYTES + bytes.readUInt32LE(at + 4);
    if (at + length > bytes.length) {
      return { wholeBytes: at, damaged: atEnd, neededBytes: at === 0 ? length : 0 };
    }
    if (!isRecordWhole(bytes, at, framing.crcSeed)) return { wholeBytes: at, damaged: true, neededBytes: 0 };
    at += length;
  }
  return { wholeBytes: at, damaged: end === "missing" || (atEnd && at < bytes.length), neededBytes: 0 };
}
