import type { PacketBatch } from "./packetizer-batch.js";
import { NalPacketizer, type NalPayloadFormat, type NalUnitList } from "./packetizer-nal-units.js";

const STAP_A = 24;
const FU_A = 28;
const FU_START = 0x80;
const FU_END = 0x40;
const FORBIDDEN_BIT = 0x80;
const NRI_MASK = 0x60;
const TYPE_MASK = 0x1f;
const LAST_SLICE_TYPE = 5;

/** RFC 6184, packetization-mode 1: single NAL unit packets (5.6), STAP-A (5.7.1), FU-A (5.8). */
const H264_PAYLOAD: NalPayloadFormat = {
  headerBytes: 1,
  fragmentHeaderBytes: 2,

  isSendable(unit, start) {
    const type = (unit[start] ?? 0) & TYPE_MASK;
    return type > 0 && type < STAP_A;
  },

  isSmall(unit, start) {
    return ((unit[start] ?? 0) & TYPE_MASK) > LAST_SLICE_TYPE;
  },

  /** F is set if any of the NAL units has it; NRI is their maximum (RFC 6184, 5.7.1). */
  aggregationHeader(unit: Buffer, nals: NalUnitList, from: number, to: number, batch: PacketBatch) {
    let forbidden = 0;
    let nri = 0;
    for (let index = from; index < to; index++) {
      const header = unit[nals.start(index)] ?? 0;
      forbidden |= header & FORBIDDEN_BIT;
      nri = Math.max(nri, header & NRI_MASK);
    }
    batch.byte(forbidden | nri | STAP_A);
  },

  fragmentHeader(unit, start, first, last, batch) {
    const header = unit[start] ?? 0;
    batch.byte((header & (FORBIDDEN_BIT | NRI_MASK)) | FU_A);
    batch.byte((first ? FU_START : 0) | (last ? FU_END : 0) | (header & TYPE_MASK));
  },
};

/** Annex B access units of H.264 to RTP (RFC 6184). NAL units of types 0 and 24 to 31 cannot be sent and are left out. */
export class H264Packetizer extends NalPacketizer {
  constructor() {
    super(H264_PAYLOAD);
  }
}
