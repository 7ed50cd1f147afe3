import type { Language } from "../base/index.js";
import { SYSTEM_INITIATOR, seriesOf } from "./event-input.js";
import type { EventPosition } from "./event-key.js";
import { eventNameIn, isEventName } from "./event-names.js";
import { packSeries, SERIES_BYTES, type Series, unpackSeries } from "./series.js";
import { MIXED_SERIES } from "./series-table.js";
import type { EventRecord } from "./types.js";

/**
 * The stored form of an event: series number (u32), flags (u8), with `OWN_SERIES` the series (50 bytes), then texts, each
 * after its length (u16; the members' u32): channel name, initiator's name, comment, description, members as JSON.
 */
const FLAGS_AT = 4;
const TEXTS_AT = 5;
const TYPES_DESCRIPTION = 1;
const HAS_FIELDS = 2;
const OWN_SERIES = 4;
const SYSTEM_NAME = 8;

/** The series number of a packed event. */
export function seriesNumberOf(value: Buffer): number | undefined {
  return value.length < TEXTS_AT ? undefined : value.readUInt32BE(0);
}

export function packEvent(record: EventRecord, series: number): Buffer {
  const head = Buffer.alloc(TEXTS_AT);
  const parts: Buffer[] = [head];
  let flags = 0;
  if (series === MIXED_SERIES) {
    flags |= OWN_SERIES;
    parts.push(packSeries(seriesOf(record)));
  }
  parts.push(packText(record.channelName));
  if (record.initiator.name === SYSTEM_INITIATOR.name) flags |= SYSTEM_NAME;
  else parts.push(packText(record.initiator.name));
  parts.push(packText(record.comment));
  if (isEventName(record.typeId, record.description)) flags |= TYPES_DESCRIPTION;
  else parts.push(packText(record.description));
  if (record.fields !== undefined) {
    flags |= HAS_FIELDS;
    const json = Buffer.from(JSON.stringify(record.fields));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(json.length);
    parts.push(length, json);
  }
  head.writeUInt32BE(series, 0);
  head[FLAGS_AT] = flags;
  return Buffer.concat(parts);
}

export interface UnpackOptions {
  readonly seriesOfNumber: (number: number) => Series | undefined;
  /** Descriptions that are the name of the type are read in this language, whichever they were written in. */
  readonly language: Language;
}

/** The event of a packed value; undefined when it holds none. */
export function unpackEvent(
  value: Buffer,
  position: EventPosition,
  { seriesOfNumber, language }: UnpackOptions,
): EventRecord | undefined {
  const flags = value[FLAGS_AT];
  if (flags === undefined) return undefined;
  const ownSeries = (flags & OWN_SERIES) !== 0;
  const series = ownSeries ? unpackSeries(value, TEXTS_AT) : seriesOfNumber(value.readUInt32BE(0));
  if (series === undefined) return undefined;
  const reader = new TextReader(value, TEXTS_AT + (ownSeries ? SERIES_BYTES : 0));
  const channelName = reader.text();
  const initiatorName = (flags & SYSTEM_NAME) !== 0 ? SYSTEM_INITIATOR.name : reader.text();
  const comment = reader.text();
  const description =
    (flags & TYPES_DESCRIPTION) !== 0 ? eventNameIn(series.typeId, language) : reader.text();
  const fields = (flags & HAS_FIELDS) !== 0 ? reader.fields() : undefined;
  if (reader.failed) return undefined;
  // Written out, because spreading the position takes longer than everything else.
  return {
    sequence: position.sequence,
    typeId: series.typeId,
    timeUs: position.timeUs,
    channelId: series.channelId,
    channelName,
    comment,
    description,
    category: series.category,
    initiator: { type: series.initiatorType, id: series.initiatorId, name: initiatorName },
    fields,
  };
}

function packText(text: string): Buffer {
  const bytes = Buffer.byteLength(text);
  const packed = Buffer.allocUnsafe(2 + bytes);
  packed.writeUInt16BE(bytes);
  packed.write(text, 2);
  return packed;
}

/** Reads texts one after another; `failed` is set if there are fewer bytes than a length says. */
class TextReader {
  failed = false;
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  text(): string {
    return this.#take(2);
  }

  fields(): EventRecord["fields"] {
    const json = this.#take(4);
    if (this.failed) return undefined;
    try {
      // The record's checksum held, so this is what packEvent wrote.
      return JSON.parse(json) as EventRecord["fields"];
    } catch {
      // Not written by packEvent: the caller counts the record as damaged.
      this.failed = true;
      return undefined;
    }
  }

  #take(lengthBytes: number): string {
    const from = this.#at + lengthBytes;
    if (from > this.#bytes.length) return this.#fail();
    const to = from + this.#bytes.readUIntBE(this.#at, lengthBytes);
    if (to > this.#bytes.length) return this.#fail();
    this.#at = to;
    return this.#bytes.toString("utf8", from, to);
  }

  #fail(): string {
    this.failed = true;
    return "";
  }
}
