import { Codec, parseMpeg4VolSize, type VideoFormat } from "../../live/index.js";
import type { RtpPacket } from "../rtp/types.js";
import { AccessUnit, type AccessUnitEnd, type AccessUnitOwner } from "./access-unit.js";
import { findStartCode, START_CODE_BYTES } from "./annex-b.js";
import type { Depacketizer, UnitSink } from "./depacketizer.js";
import { ANY_PICTURE, CLEAN_ENTRY, type EntryPolicy } from "./entry-policy.js";
import type { FrameBuilder } from "./frame-builder.js";
import { KeyLoss } from "./key-loss.js";

/** Longest configuration kept: visual object sequence, visual object, video object layer, with their user data. */
export const MPEG4_CONFIG_BYTES_MAX = 4096;

/** Start code values (ISO/IEC 14496-2, table 6-3). */
const VOL_FIRST = 0x20;
const VOL_LAST = 0x2f;
const GROUP_OF_VOP = 0xb3;
const VOP = 0xb6;
const VOP_TYPE_I = 0;

export interface Mpeg4DepacketizerOptions {
  readonly fmtp: ReadonlyMap<string, string>;
  readonly builder: FrameBuilder;
  readonly sink: UnitSink;
  readonly entries: EntryPolicy;
}

/** MPEG-4 Part 2 elementary streams over RTP (RFC 6416, 5). */
export class Mpeg4Depacketizer implements Depacketizer, AccessUnitOwner {
  readonly #builder: FrameBuilder;
  readonly #sink: UnitSink;
  readonly #entries: EntryPolicy;
  readonly #unit: AccessUnit;
  readonly #keyLoss = new KeyLoss();
  #format: VideoFormat | undefined;
  #vopSeen = false;
  #key = false;
  #configSeen = false;

  constructor(options: Mpeg4DepacketizerOptions) {
    this.#builder = options.builder;
    this.#sink = options.sink;
    this.#entries = options.entries;
    this.#unit = new AccessUnit(this);
    const config = options.fmtp.get("config")?.trim() ?? "";
    if (config.length <= 2 * MPEG4_CONFIG_BYTES_MAX && /^([0-9a-f]{2})+$/i.test(config)) {
      this.#learn(Buffer.from(config, "hex"));
    }
  }

  receive(packet: RtpPacket): void {
    const { buffer, payloadStart: start, payloadEnd: end } = packet;
    const startsWithCode = findStartCode(buffer, start, Math.min(end, start + START_CODE_BYTES)) === start;
    const header = start + START_CODE_BYTES < end && startsWithCode;
    this.#unit.begin(packet, header ? "starts" : "continues");
    this.#builder.open(buffer, start);
    if (!this.#vopSeen) this.#readHeaders(buffer, start, end);
    if (!header && !this.#vopSeen && this.#builder.byteLength === 0) this.#unit.unusable();
    else this.#builder.append(buffer, start, end);
    this.#unit.end(packet);
  }

  flush(): void {
    this.#unit.finish();
  }

  finishSilent(): void {
    this.#unit.finishSilent();
  }

  reset(): void {
    this.#builder.discard();
    this.#unit.reset();
    this.#begin();
  }

  readonly isInFragment = false;
  readonly mayHaveFields = false;

  endFragment(): void {
    // MPEG-4 has no fragment headers: a VOP is divided anywhere, and a lost part damages all of it.
  }

  endUnit(end: AccessUnitEnd): void {
    const format = this.#format;
    const dropped = this.#builder.failure !== undefined;
    const isWhole = !end.damaged && !dropped;
    const isClean = this.#key && isWhole;
    const keySign = this.#key || this.#configSeen;
    const costsKey = this.#keyLoss.costsKeyFrame(end, { key: isClean, keySign, dropped });
    if (format === undefined) {
      this.#builder.discard();
      this.#sink.onLoss("no-parameter-sets");
    } else {
      const key = isWhole && this.#entries.takes(this.#key ? CLEAN_ENTRY : ANY_PICTURE);
      if (key && !this.#configSeen) this.#builder.prepend(format.initialization);
      const damaged = end.damaged || dropped || (end.afterLoss && !key);
      const keyLost = costsKey && !key && this.#entries.isClean;
      const { rtpTimestamp } = end;
      const isUnclean = key && !isClean;
      this.#sink.onUnit({ format, rtpTimestamp, key, isUnclean, damaged, keyLost, reorderDepth: 0 });
    }
    this.#begin();
  }

  #begin(): void {
    this.#vopSeen = false;
    this.#key = false;
    this.#configSeen = false;
  }

  /** Finds the VOP's type, and the headers before it, if any. */
  #readHeaders(buffer: Buffer, start: number, end: number): void {
    let hasVol = false;
    for (
      let at = findStartCode(buffer, start, end);
      at + START_CODE_BYTES < end;
      at = findStartCode(buffer, at + 1, end)
    ) {
      const code = buffer[at + START_CODE_BYTES] ?? 0;
      if (code >= VOL_FIRST && code <= VOL_LAST) hasVol = true;
      if (code !== GROUP_OF_VOP && code !== VOP) continue;
      if (hasVol) {
        this.#configSeen = true;
        this.#learn(buffer.subarray(start, at));
        hasVol = false;
      }
      if (code !== VOP) continue;
      this.#vopSeen = true;
      this.#unit.addPicture(true);
      const typeAt = at + START_CODE_BYTES + 1;
      this.#key = typeAt < end && (buffer[typeAt] ?? 0) >> 6 === VOP_TYPE_I;
      return;
    }
    if (hasVol) {
      this.#configSeen = true;
      this.#learn(buffer.subarray(start, end));
    }
  }

  #learn(config: Buffer): void {
    if (config.length === 0 || config.length > MPEG4_CONFIG_BYTES_MAX) return;
    if (this.#format !== undefined && config.equals(this.#format.initialization)) return;
    const size = parseMpeg4VolSize(config);
    if (size === undefined) return;
    this.#format = { codec: Codec.MPEG4, ...size, initialization: Buffer.from(config) };
  }
}
