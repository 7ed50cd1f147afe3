/** CRC-32 of records by the native addon, which takes a third of the time of Node's; without it by Node's. */
import { crc32 as nodeCrc32 } from "node:zlib";
import { loadNativeAddon } from "../../base/index.js";

type Crc32 = (bytes: Uint8Array, crc: number) => number;
type WholeRecords = (bytes: Uint8Array, crcSeed: number) => number;

const { functions } = loadNativeAddon();

/** The CRC-32 of `bytes` after those that gave `crc`. The memory may be shared. */
export const payloadCrc: Crc32 =
  typeof functions.crc32 === "function" ? (functions.crc32 as Crc32) : nodeCrc32;

/** How many bytes at the start of `bytes` are known to be whole records: fewer than there are where the addon is missing. */
export const wholeRecords: WholeRecords =
  typeof functions.wholeRecords === "function" ? (functions.wholeRecords as WholeRecords) : () => 0;
