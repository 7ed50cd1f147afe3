import { Codec, type VideoFormat } from "../../../live/index.js";
import type { PictureSize, RtpPacket } from "../../rtp/types.js";
import { CUT_BYTES_MIN, type Depacketizer, type UnitSink } from "../depacketizer.js";
import type { FrameBuilder } from "../frame-builder.js";
import {
  buildJpegHeader,
  type JpegHeaderFields,
  QUANTIZATION_BYTES_MAX,
  quantizerBytes,
  scaledQuantizers,
} from "./jpeg-header.js";
import { type JpegSegments, jpegExtension, readJpegSegments, startsJpeg } from "./jpeg-segments.js";

const HEADER_BYTES = 8;
const RESTART_HEADER_BYTES = 4;
const TABLES_HEADER_BYTES = 4;
const RESTART_TYPE_FIRST = 64;
const IN_BAND_Q_FIRST = 128;
/** Largest width or height of RFC 2435, 3.1.5, and what larger ones are sent modulo by cameras that ignore that. */
const SIDE_MAX = 2040;
const SIDE_MODULUS = 2048;
const END_OF_IMAGE = 0xffd9;

interface Tables {
  readonly precision: number;
  readonly bytes: Buffer;
}

/** Those of the header extension are used. */
const SENT_TABLES: Tables = { precision: 0, bytes: Buffer.alloc(0) };
/** A header that the picture itself has. */
const OWN_HEADER = Buffer.alloc(0);

export interface MjpegDepacketizerOptions {
  /** The pictures' size in the session description, for those beyond 2040 pixels. */
  readonly size?: PictureSize | undefined;
  readonly builder: FrameBuilder;
  readonly sink: UnitSink;
}

/**
 * JPEG over RTP (RFC 2435): types 0 and 1, with restart markers 64 and 65; quantization tables from Q or in-band. Each
 * frame becomes a JFIF file: a rebuilt header, the scan data, and EOI if the camera omitted it. The size of pictures beyond 2040
 * pixels is that of the header extension (ONVIF Streaming, 5.1.3), else of the session description. A whole JPEG behind the
 * RTP/JPEG header, or instead of it, is taken as it is.
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
  #headerSegments: JpegSegments | undefined;
  /** What the header extension of this frame says. */
  #segments: JpegSegments | undefined;
  /** The newest header extension, and what it says. */
  #extension: Buffer | undefined;
  #extensionSegments: JpegSegments | undefined;
  /** Of the picture in progress. */
  #lastPacketBytes = 0;
  /** A later packet had the offset that it should have. */
  #areOffsetsTrusted = false;
  /** The payloads of this frame are pieces of a JPEG, without headers of RFC 2435. */
  #isBare = false;
  /** The newest packet of the picture in progress has the marker; what markers have proved to be. */
  #markerLast = false;
  #markerTrusted = false;
  #markerFalse = false;
  /** The picture before had EOI: a marker without one is none. */
  #endsWithEoi = false;
  /** What ended the picture before the next packet came: its marker, or that nothing came for a while. */
  #endedBy: "marker" | "silence" | undefined;
  /** A picture went on after silence, which ends none any more. */
  #silenceFalse = false;
  readonly #size: PictureSize | undefined;
  #format: VideoFormat | undefined;
  #width = 0;
  #height = 0;

  constructor(options: MjpegDepacketizerOptions) {
    this.#builder = options.builder;
    this.#sink = options.sink;
    this.#size = options.size;
  }

  receive(packet: RtpPacket): void {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    if (this.#active) this.#place(packet);
    else if (this.#endedBy !== undefined) this.#doubtEnd(packet, this.#endedBy);
    if (startsJpeg(buffer, start, end) || (this.#active && this.#isBare)) this.#receiveBare(packet);
    else if (end - start >= HEADER_BYTES) this.#receivePart(packet);
    // Some cameras send packets without bytes in between.
    else this.#damaged ||= end > start || packet.lost > 0;
    if (packet.marker && this.#active) this.#endMarked();
  }

  flush(): void {
    if (this.#active) this.#finish(true);
  }

  finishSilent(): void {
    const awaitsMarker = this.#markerTrusted && !this.#markerFalse && !this.#markerLast;
    const isEnd = this.#lastBytes === END_OF_IMAGE || (!awaitsMarker && !this.#silenceFalse);
    if (!this.#active || !isEnd) return;
    this.#finish(true);
    this.#endedBy = "silence";
  }

  reset(): void {
    this.#active = false;
    this.#areOffsetsTrusted = false;
    this.#markerTrusted = false;
    this.#markerFalse = false;
    this.#endsWithEoi = false;
    this.#endedBy = undefined;
    this.#silenceFalse = false;
    this.#builder.discard();
  }

  #begin(timestamp: number): void {
    this.#active = true;
    this.#timestamp = timestamp;
    this.#expectedOffset = 0;
    this.#lastPacketBytes = 0;
    this.#damaged = false;
    this.#lastBytes = 0;
    this.#header = undefined;
    this.#segments = undefined;
    this.#isBare = false;
    this.#markerLast = false;
  }

  /**
   * Ends the picture in progress, unless the packet goes on with it. What a packet holds is certain; timestamps and markers are
   * hints: some cameras stamp each packet anew, or set the marker on each.
   */
  #place({ buffer, payloadStart: start, payloadEnd: end, timestamp, lost }: RtpPacket): void {
    const offset = end - start >= HEADER_BYTES ? buffer.readUIntBE(start + 1, 3) : this.#expectedOffset;
    // A picture whose beginning was lost has nothing that could go on.
    const hasBegun = this.#expectedOffset > 0 || this.#damaged;
    const mayGoOnAnyhow = timestamp === this.#timestamp && this.#lacksOffset;
    const begins = this.#isBare ? startsJpeg(buffer, start, end) : offset === 0 && hasBegun && !mayGoOnAnyhow;
    const goesOn =
      lost === 0 && !begins && (this.#isBare || offset === this.#expectedOffset || mayGoOnAnyhow);
    if (goesOn) {
      this.#markerFalse ||= this.#markerLast && end > start;
      this.#markerLast = false;
    } else if (begins || timestamp !== this.#timestamp) {
      this.#markerTrusted ||= this.#markerLast && !this.#markerFalse;
      this.#finish(lost === 0 || this.#markerLast);
    }
  }

  /** Whether a packet may go on with the picture whatever its offset says: no offset of the track was ever right. */
  get #lacksOffset(): boolean {
    if (this.#areOffsetsTrusted || this.#markerLast) return false;
    return this.#lastPacketBytes >= CUT_BYTES_MIN && this.#lastBytes !== END_OF_IMAGE;
  }

  /** Whether the packet goes on with the picture that has ended: then what ended it says nothing. */
  #doubtEnd(packet: RtpPacket, endedBy: "marker" | "silence"): void {
    const { buffer, payloadStart: start, payloadEnd: end, lost } = packet;
    this.#endedBy = undefined;
    const offset = end - start >= HEADER_BYTES ? buffer.readUIntBE(start + 1, 3) : 0;
    const goesOn = this.#isBare ? !startsJpeg(buffer, start, end) : offset === this.#expectedOffset;
    if (lost > 0 || offset === 0 || !goesOn) return;
    if (endedBy === "silence") this.#silenceFalse = true;
    else this.#markerFalse = true;
  }

  /** The first picture waits for the packet behind its marker: as long as no marker was right, it may be false. */
  #endMarked(): void {
    this.#markerLast = true;
    const isWhole = !this.#endsWithEoi || this.#lastBytes === END_OF_IMAGE;
    if (!this.#markerTrusted || this.#markerFalse || !isWhole) return;
    this.#finish(true);
    this.#endedBy = "marker";
  }

  /** A piece of a JPEG behind a header of RFC 2435. */
  #receivePart(packet: RtpPacket): void {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    const written = buffer.readUIntBE(start + 1, 3);
    if (!this.#active) this.#begin(packet.timestamp);
    this.#areOffsetsTrusted ||= written > 0 && written === this.#expectedOffset;
    const offset = packet.lost === 0 && this.#lacksOffset ? this.#expectedOffset : written;
    // Where offsets say nothing, numbers alone say that something is missing.
    const isMissing = packet.lost > 0 && this.#lacksOffset;
    this.#readExtension(packet);
    this.#builder.open(buffer, start);
    const dataStart = this.#readHeaders(buffer, start, end, offset);
    if (dataStart === undefined || offset !== this.#expectedOffset || isMissing) this.#damaged = true;
    else this.#append(buffer, dataStart, end);
  }

  /** A piece of a JPEG that has no header of RFC 2435. */
  #receiveBare(packet: RtpPacket): void {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    if (!this.#active) {
      this.#begin(packet.timestamp);
      this.#isBare = true;
      this.#takeOwnHeader(buffer, start, end, { width: 0, height: 0 });
    } else if (packet.lost > 0) this.#damaged = true;
    this.#builder.open(buffer, start);
    this.#append(buffer, start, end);
  }

  /** The picture has its own header, with its own size; `stated`: if that is not in its first packet. */
  #takeOwnHeader(buffer: Buffer, at: number, end: number, stated: PictureSize): void {
    const { frame } = readJpegSegments(buffer.subarray(at, end));
    this.#header = OWN_HEADER;
    this.#setSize(frame?.width ?? stated.width, frame?.height ?? stated.height);
  }

  /** Read again only when it has changed. */
  #readExtension(packet: RtpPacket): void {
    if (packet.extensionStart < 0) return;
    const bytes = jpegExtension(packet.buffer, packet.extensionStart);
    if (bytes === undefined) return;
    if (this.#extension === undefined || !bytes.equals(this.#extension)) {
      this.#extension = Buffer.from(bytes);
      this.#extensionSegments = readJpegSegments(this.#extension);
    }
    this.#segments = this.#extensionSegments;
  }

  #append(buffer: Buffer, start: number, end: number): void {
    this.#expectedOffset += end - start;
    this.#lastPacketBytes = end - start;
    const imageEnd = endOfImage(buffer, start, end);
    this.#builder.append(buffer, start, imageEnd);
    if (imageEnd - start >= 2) this.#lastBytes = buffer.readUInt16BE(imageEnd - 2);
    else if (imageEnd > start)
      this.#lastBytes = ((this.#lastBytes & 0xff) << 8) | (buffer[imageEnd - 1] ?? 0);
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
    this.#endsWithEoi = this.#lastBytes === END_OF_IMAGE;
    if (!this.#endsWithEoi) {
      this.#builder.byte(END_OF_IMAGE >> 8);
      this.#builder.byte(END_OF_IMAGE & 0xff);
    }
    if (header !== OWN_HEADER) this.#builder.prepend(header);
    const damaged = this.#damaged || !whole || this.#builder.failure !== undefined;
    const keys = { key: !damaged, damaged, keyLost: damaged };
    this.#sink.onUnit({ format, rtpTimestamp: this.#timestamp, ...keys, reorderDepth: 0 });
  }

  /** Reads the headers and returns the start of the scan data; undefined if they are malformed. */
  #readHeaders(buffer: Buffer, start: number, end: number, offset: number): number | undefined {
    const type = buffer[start + 4] ?? 0;
    const q = buffer[start + 5] ?? 0;
    const width = this.#sideOf((buffer[start + 6] ?? 0) * 8, "width");
    const height = this.#sideOf((buffer[start + 7] ?? 0) * 8, "height");
    let at = start + HEADER_BYTES;
    let restartInterval = 0;
    if (type >= RESTART_TYPE_FIRST && type < 2 * RESTART_TYPE_FIRST) {
      if (at + RESTART_HEADER_BYTES > end) return undefined;
      restartInterval = buffer.readUInt16BE(at);
      at += RESTART_HEADER_BYTES;
    }
    if (offset > 0) return at;
    if (startsJpeg(buffer, at, end)) {
      this.#takeOwnHeader(buffer, at, end, { width, height });
      return at;
    }
    const sampling = type & (RESTART_TYPE_FIRST - 1);
    const isKnown = this.#segments?.frame !== undefined || (sampling <= 1 && type < 2 * RESTART_TYPE_FIRST);
    if (!isKnown || width === 0 || height === 0 || q === 0) return undefined;
    if (q >= IN_BAND_Q_FIRST) {
      const tablesEnd = this.#readTables(buffer, at, end, q);
      if (tablesEnd === undefined) return undefined;
      at = tablesEnd;
    }
    const known = q < IN_BAND_Q_FIRST ? this.#computedTables(q) : this.#tablesByQ.get(q);
    const tables = known ?? (this.#segments?.quantizers === undefined ? undefined : SENT_TABLES);
    if (tables === undefined) return undefined;
    const fields = { sampling: sampling === 0 ? 0 : 1, width, height, restartInterval } as const;
    this.#header = this.#headerFor(fields, tables);
    return this.#header === undefined ? undefined : at;
  }

  /** Width or height: of the header extension, else of the packet, unless the description's is one that it cannot hold. */
  #sideOf(stated: number, side: keyof PictureSize): number {
    const sent = this.#segments?.frame?.[side];
    if (sent !== undefined) return sent;
    const described = this.#size?.[side] ?? 0;
    if (stated === 0) return described;
    if (described <= SIDE_MAX) return stated;
    const blocks = [Math.floor(described / 8), Math.ceil(described / 8)];
    return blocks.some((count) => (8 * count) % SIDE_MODULUS === stated) ? described : stated;
  }

  #headerFor(fields: Omit<JpegHeaderFields, "tables" | "precision">, tables: Tables): Buffer | undefined {
    const { sampling, width, height, restartInterval } = fields;
    const key = ((sampling * 65_536 + width) * 65_536 + height) * 65_536 + restartInterval;
    const sent = this.#segments;
    if (key !== this.#headerKey || tables !== this.#headerTables || sent !== this.#headerSegments) {
      const { bytes, precision } = tables;
      this.#cachedHeader = buildJpegHeader({ ...fields, tables: bytes, precision, sent });
      this.#headerKey = key;
      this.#headerTables = tables;
      this.#headerSegments = sent;
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
      return this.#tablesByQ.has(q) || this.#segments?.quantizers !== undefined ? from : undefined;
    }
    if (length < quantizerBytes(precision, 0)) return undefined;
    const known = this.#tablesByQ.get(q);
    const same = known?.precision === precision && known.bytes.compare(buffer, from, from + length) === 0;
    if (!same)
      this.#tablesByQ.set(q, { precision, bytes: Buffer.from(buffer.subarray(from, from + length)) });
    return from + length;
  }
}

/** Without the zeros behind EOI that some cameras fill their pictures up with. */
function endOfImage(buffer: Buffer, start: number, end: number): number {
  let at = end;
  while (at > start && buffer[at - 1] === 0) at -= 1;
  return at - start >= 2 && buffer.readUInt16BE(at - 2) === END_OF_IMAGE ? at : end;
}
