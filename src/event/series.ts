import { crc32 } from "node:zlib";
import { type Guid, guidFromBytes, guidToBytes } from "../base/index.js";
import type { EventCategory, EventInitiatorType, EventQuery } from "./types.js";

/** The searchable properties besides time. Events that agree in all of them form one series in the index. */
export interface Series {
  readonly typeId: Guid;
  readonly channelId: Guid;
  readonly category: EventCategory;
  readonly initiatorType: EventInitiatorType;
  readonly initiatorId: Guid;
}

export const SERIES_BYTES = 50;
const CATEGORIES: readonly EventCategory[] = [0, 1, 2];
const INITIATOR_TYPES: readonly EventInitiatorType[] = [0, 1, 2, 3, 4, 8];
const CATEGORY_AT = 48;
const INITIATOR_TYPE_AT = 49;
const EXTERNAL_MODULE: EventInitiatorType = 8;

/** Whether events of this series match a search. */
export function matches(series: Series, query: EventQuery): boolean {
  return (
    (query.typeIds?.has(series.typeId) ?? true) &&
    (query.channelIds?.has(series.channelId) ?? true) &&
    (query.categories?.has(series.category) ?? true) &&
    (query.initiatorTypes?.has(series.initiatorType) ?? true) &&
    isOfInitiator(series, query)
  );
}

function isOfInitiator({ initiatorId, initiatorType }: Series, query: EventQuery): boolean {
  if (query.initiatorIds === undefined || query.initiatorIds.has(initiatorId)) return true;
  return query.externalModules === true && initiatorType === EXTERNAL_MODULE;
}

/** Whether the query asks for anything but time. */
export function isSelective(query: EventQuery): boolean {
  const { typeIds, channelIds, categories, initiatorTypes, initiatorIds } = query;
  return [typeIds, channelIds, categories, initiatorTypes, initiatorIds].some((set) => set !== undefined);
}

/** Type, channel and initiator id (16 bytes each), category, initiator type (u8 each). */
export function packSeries(series: Series): Buffer {
  const bytes = Buffer.alloc(SERIES_BYTES);
  bytes.set(guidToBytes(series.typeId), 0);
  bytes.set(guidToBytes(series.channelId), 16);
  bytes.set(guidToBytes(series.initiatorId), 32);
  bytes[CATEGORY_AT] = series.category;
  bytes[INITIATOR_TYPE_AT] = series.initiatorType;
  return bytes;
}

/** Undefined if the bytes are not a series. */
export function unpackSeries(bytes: Buffer, offset = 0): Series | undefined {
  if (bytes.length < offset + SERIES_BYTES) return undefined;
  const category = CATEGORIES.find((known) => known === bytes[offset + CATEGORY_AT]);
  const initiatorType = INITIATOR_TYPES.find((known) => known === bytes[offset + INITIATOR_TYPE_AT]);
  if (category === undefined || initiatorType === undefined) return undefined;
  return {
    typeId: guidFromBytes(bytes, offset),
    channelId: guidFromBytes(bytes, offset + 16),
    initiatorId: guidFromBytes(bytes, offset + 32),
    category,
    initiatorType,
  };
}

const CRC_BYTES = 4;
/** CRC-32 of any bytes followed by their own CRC-32 in little-endian order. */
const CRC_RESIDUE = 0x2144df1c;

/** The stored form of a value: followed by its CRC-32, seeded with the key, so that a value under a wrong key is detected. */
export function sealValue(key: Buffer, value: Buffer): Buffer {
  const sealed = Buffer.allocUnsafe(value.length + CRC_BYTES);
  value.copy(sealed);
  sealed.writeUInt32LE(crc32(value, crc32(key)), value.length);
  return sealed;
}

/** Whether a sealed value is what was sealed under this key. */
export function isWhole(key: Buffer, sealed: Buffer): boolean {
  return sealed.length >= CRC_BYTES && crc32(sealed, crc32(key)) === CRC_RESIDUE;
}

/** The value without its checksum; undefined if the checksum is wrong. */
export function openValue(key: Buffer, sealed: Buffer): Buffer | undefined {
  return isWhole(key, sealed) ? sealed.subarray(0, sealed.length - CRC_BYTES) : undefined;
}
