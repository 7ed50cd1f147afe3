/** CRC-32 of records by the native addon, which takes a third of the time of Node's; without it by Node's. */
import { crc32 as nodeCrc32 } from "node:zlib";
import { loadNativeAddon } from "../../base/index.js";

type Crc32 = (bytes: Uint8Array, crc: number) => number;
type SealRecordHeader = (bytes: Buffer, at: number, crcSeed: number) => number;
type WholeRecords = (bytes: Uint8Array, crcSeed: number) => number;

const CRC_BYTES = 4;
/** Of the record's CRC in its header: what is before is covered by both. */
const CRC_STARTS_AT = 24;

const { functions } = loadNativeAddon();

/** The CRC-32 of `bytes` after those that gave `crc`. The memory may be shared. */
export const payloadCrc: Crc32 =
  typeof functions.crc32 === "function" ? (functions.crc32 as Crc32) : nodeCrc32;

/**
 * Fills in the CRC of the record header at `at` and returns the CRC to continue with over the payload; its end goes to
 * `writeRecordCrc`. The addon's for each picture that is recorded: Node's wants two views of the memory. Throws RangeError
 * where no whole header lies at `at`.
 */
export const sealRecordHeader: SealRecordHeader =
  typeof functions.sealRecordHeader === "function"
    ? (functions.sealRecordHeader as SealRecordHeader)
    : sealInScript;

function sealInScript(bytes: Buffer, at: number, crcSeed: number): number {
  if (at + CRC_STARTS_AT + CRC_BYTES > bytes.length) throw new RangeError(`no record header at ${at}`);
  bytes.writeUInt32LE(nodeCrc32(bytes.subarray(at + CRC_BYTES, at + CRC_STARTS_AT), crcSeed), at);
  return nodeCrc32(bytes.subarray(at, at + CRC_STARTS_AT), crcSeed);
}

/** How many bytes at the start of `bytes` are known to be whole records: fewer than there are where the addon is missing. */
export const wholeRecords: WholeRecords =
  typeof functions.wholeRecords === "function" ? (functions.wholeRecords as WholeRecords) : () => 0;
