import { Codec, type VideoFormat } from "../../live/index.js";
import type { Depacketizer, UnitSink } from "./depacketizer.js";
import type { FrameBuilder } from "./frame-builder.js";
import {
  buildJpegHeader,
  type JpegHeaderFields,
  QUANTIZATION_BYTES_MAX,
  quantizerBytes,
  scaledQuantizers,
} from "./jpeg-header.js";
import type { RtpPacket } from "./types.js";

const HEADER_BYTES = 8;
const RESTART_HEADER_BYTES = 4;
const TABLES_HEADER_BYTES = 4;
const RESTART_TYPE_FIRST = 64;
const IN_BAND_Q_FIRST = 128;
/** Tables of this Q may change with every frame and are always sent (RFC 2435, 4.2). */
const DYNAMIC_Q = 255;
const END_OF_IMAGE = 0xffd9;

interface Tables {
  readonly precision: number;
  readonly bytes: Buffer;
}

export interface MjpegDepacketizerOptions {
  readonly builder: FrameBuilder;
  readonly sink: UnitSink;
}

/**
 * JPEG over RTP (RFC 2435): types 0 and 1, with restart markers 64 and 65; quantization tables from Q or in-band. Each
 * frame becomes a JFIF file: a rebuilt header, the scan data, and EOI if the camera omitted it.
 */
export class MjpegDepacketizer implements Depacketizer {
  readonly #builder: FrameBuilder;
  readonly #sink: UnitSink;
  readonly #tablesByQ = new Map<number, Tables>();
  #active = false;
  #timestamp = 0;
  #expectedOffset = 0;
  #damaged = false;
  #lastBytes = 0;
  /** The header of the current frame; undefined until its first packet. */
  #header: Buffer | undefined;
  /** The last header built, and what it was built from. */
  #cachedHeader: Buffer | undefined;
  #headerKey = -1;
  #headerTables: Tables | undefined;
  #format: VideoFormat | undefined;
  #width = 0;
  #height = 0;

  constructor(options: MjpegDepacketizerOptions) {
    this.#builder = options.builder;
    this.#sink = options.sink;
  }

  receive(packet: RtpPacket): void {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    if (this.#active && packet.timestamp !== this.#timestamp) this.#finish(packet.lost === 0);
    if (end - start < HEADER_BYTES) {
      this.#damaged = true;
      return;
    }
    const offset = buffer.readUIntBE(start + 1, 3);
    if (this.#active && offset === 0 && this.#expectedOffset > 0) this.#finish(packet.lost === 0);
    if (!this.#active) this.#begin(packet.timestamp);
    this.#builder.open(buffer, start);
    const dataStart = this.#readHeaders(buffer, start, end, offset);
    if (dataStart === undefined || offset !== this.#expectedOffset) this.#damaged = true;
    else this.#append(buffer, dataStart, end);
    if (packet.marker) this.#finish(true);
  }

  flush(): void {
    if (this.#active) this.#finish(true);
  }

  finishSilent(): void {
    if (this.#active && this.#lastBytes === END_OF_IMAGE) this.#finish(true);
  }

  reset(): void {
    this.#active = false;
    this.#builder.discard();
  }

  #begin(timestamp: number): void {
    this.#active = true;
    this.#timestamp = timestamp;
    this.#expectedOffset = 0;
    this.#damaged = false;
    this.#lastBytes = 0;
    this.#header = undefined;
  }

  #append(buffer: Buffer, start: number, end: number): void {
    this.#builder.append(buffer, start, end);
    this.#expectedOffset += end - start;
    if (end - start >= 2) this.#lastBytes = buffer.readUInt16BE(end - 2);
    else if (end > start) this.#lastBytes = ((this.#lastBytes & 0xff) << 8) | (buffer[end - 1] ?? 0);
  }

  /** `whole`: no packet is missing at its end. */
  #finish(whole: boolean): void {
    this.#active = false;
    const header = this.#header;
    const format = this.#format;
    if (header === undefined || format === undefined) {
      this.#builder.discard();
      return;
    }
    if (this.#lastBytes !== END_OF_IMAGE) {
      this.#builder.byte(END_OF_IMAGE >> 8);
      this.#builder.byte(END_OF_IMAGE & 0xff);
    }
    this.#builder.prepend(header);
    const damaged = this.#damaged || !whole || this.#builder.failure !== undefined;
    const keys = { key: !damaged, damaged, keyLost: damaged };
    this.#sink.onUnit({ format, rtpTimestamp: this.#timestamp, ...keys, reorderDepth: 0 });
  }

  /** Reads the headers and returns the start of the scan data; undefined if they are malformed. */
  #readHeaders(buffer: Buffer, start: number, end: number, offset: number): number | undefined {
    const type = buffer[start + 4] ?? 0;
    const q = buffer[start + 5] ?? 0;
    const width = (buffer[start + 6] ?? 0) * 8;
    const height = (buffer[start + 7] ?? 0) * 8;
    let at = start + HEADER_BYTES;
    let restartInterval = 0;
    if (type >= RESTART_TYPE_FIRST && type < 2 * RESTART_TYPE_FIRST) {
      if (at + RESTART_HEADER_BYTES > end) return undefined;
      restartInterval = buffer.readUInt16BE(at);
      at += RESTART_HEADER_BYTES;
    }
    if (offset > 0) return at;
    const sampling = type & (RESTART_TYPE_FIRST - 1);
    if (sampling > 1 || type >= 2 * RESTART_TYPE_FIRST || width === 0 || height === 0 || q === 0)
      return undefined;
    if (q >= IN_BAND_Q_FIRST) {
      const tablesEnd = this.#readTables(buffer, at, end, q);
      if (tablesEnd === undefined) return undefined;
      at = tablesEnd;
    }
    const tables = q < IN_BAND_Q_FIRST ? this.#computedTables(q) : this.#tablesByQ.get(q);
    if (tables === undefined) return undefined;
    const fields = { sampling: sampling === 0 ? 0 : 1, width, height, restartInterval } as const;
    this.#header = this.#headerFor(fields, tables);
    return this.#header === undefined ? undefined : at;
  }

  #headerFor(fields: Omit<JpegHeaderFields, "tables" | "precision">, tables: Tables): Buffer | undefined {
    const { sampling, width, height, restartInterval } = fields;
    const key = ((sampling * 4096 + width) * 4096 + height) * 65_536 + restartInterval;
    if (key !== this.#headerKey || tables !== this.#headerTables) {
      this.#cachedHeader = buildJpegHeader({ ...fields, tables: tables.bytes, precision: tables.precision });
      this.#headerKey = key;
      this.#headerTables = tables;
      this.#setSize(width, height);
    }
    return this.#cachedHeader;
  }

  #setSize(width: number, height: number): void {
    if (this.#format !== undefined && width === this.#width && height === this.#height) return;
    this.#width = width;
    this.#height = height;
    this.#format = { codec: Codec.MJPEG, width, height, initialization: Buffer.alloc(0) };
  }

  #computedTables(q: number): Tables {
    let tables = this.#tablesByQ.get(q);
    if (tables === undefined) {
      tables = { precision: 0, bytes: scaledQuantizers(q) };
      this.#tablesByQ.set(q, tables);
    }
    return tables;
  }

  /** Quantization tables in the packet (RFC 2435, 3.1.8); if absent, those seen before with this Q apply. */
  #readTables(buffer: Buffer, start: number, end: number, q: number): number | undefined {
    if (start + TABLES_HEADER_BYTES > end) return undefined;
    const precision = buffer[start + 1] ?? 0;
    const length = buffer.readUInt16BE(start + 2);
    const from = start + TABLES_HEADER_BYTES;
    if (length > end - from || length > QUANTIZATION_BYTES_MAX) return undefined;
    if (length === 0) {
      return q === DYNAMIC_Q || !this.#tablesByQ.has(q) ? undefined : from;
    }
    if (length < quantizerBytes(precision, 0)) return undefined;
    const known = this.#tablesByQ.get(q);
    const same = known?.precision === precision && known.bytes.compare(buffer, from, from + length) === 0;
    if (!same)
      this.#tablesByQ.set(q, { precision, bytes: Buffer.from(buffer.subarray(from, from + length)) });
    return from + length;
  }
}
