import type { PacketBatch } from "./packetizer-batch.js";
import { NalPacketizer, type NalPayloadFormat, type NalUnitList } from "./packetizer-nal-units.js";

const AP = 48;
const FU = 49;
const FU_START = 0x80;
const FU_END = 0x40;
const FIRST_NON_VCL_TYPE = 32;

function typeOf(header: number): number {
  return (header >> 1) & 0x3f;
}

/** RFC 7798 without DONL: single NAL unit packets (4.4.1), aggregation packets (4.4.2), fragmentation units (4.4.3). */
const H265_PAYLOAD: NalPayloadFormat = {
  headerBytes: 2,
  fragmentHeaderBytes: 3,

  isSendable(unit, start) {
    return typeOf(unit[start] ?? 0) < AP;
  },

  isSmall(unit, start) {
    return typeOf(unit[start] ?? 0) >= FIRST_NON_VCL_TYPE;
  },

  /** LayerId and TID are the minimum of the NAL units' (RFC 7798, 4.4.2). */
  aggregationHeader(unit: Buffer, nals: NalUnitList, from: number, to: number, batch: PacketBatch) {
    let forbidden = 0;
    let layerId = 0x3f;
    let temporalId = 7;
    for (let index = from; index < to; index++) {
      const header = unit.readUInt16BE(nals.start(index));
      forbidden |= header >> 15;
      layerId = Math.min(layerId, (header >> 3) & 0x3f);
      temporalId = Math.min(temporalId, header & 7);
    }
    batch.byte((forbidden << 7) | (AP << 1) | (layerId >> 5));
    batch.byte(((layerId & 0x1f) << 3) | temporalId);
  },

  fragmentHeader(unit, start, first, last, batch) {
    const header = unit[start] ?? 0;
    batch.byte((header & 0x81) | (FU << 1));
    batch.byte(unit[start + 1] ?? 0);
    batch.byte((first ? FU_START : 0) | (last ? FU_END : 0) | typeOf(header));
  },
};

/** Annex B access units of H.265 to RTP (RFC 7798). NAL units of types 48 to 63 cannot be sent and are left out. */
export class H265Packetizer extends NalPacketizer {
  constructor() {
    super(H265_PAYLOAD);
  }
}
