import { BitReader, rawPayload } from "./bit-reader.js";
import { BitWriter, preventEmulation } from "./bit-writer.js";
import { readConformanceWindow, SUB_LAYERS_MAX, skipProfileTierLevel } from "./h265-sps.js";

const NAL_HEADER_BYTES = 2;
/** nal_unit_type 32, layer 0, temporal id 0. */
const VPS_HEADER = [32 << 1, 1];
/** vps_reserved_0xffff_16bits. */
const RESERVED = 0xffff;
/** Most pictures that a decoder may have to keep, less one (MaxDpbSize, A.4.2). */
const PICTURE_BUFFER_MINUS1_MAX = 15;

interface Buffering {
  readonly picturesMinus1: number;
  readonly reorder: number;
  readonly latencyPlus1: number;
}

/**
 * The VPS that an SPS belongs to (ITU-T H.265, 7.3.2.1), for cameras that send none: decoders ask for one, and it says nothing of a
 * single layer that the SPS, its NAL header included, does not say. Undefined if that cannot be read.
 */
export function makeH265Vps(sps: Uint8Array): Buffer | undefined {
  const payload = rawPayload(sps, NAL_HEADER_BYTES);
  const reader = new BitReader(payload);
  const id = reader.bits(4);
  const subLayersMinus1 = reader.bits(3);
  const isNested = reader.bit();
  if (subLayersMinus1 >= SUB_LAYERS_MAX) return undefined;
  const from = reader.position;
  skipProfileTierLevel(reader, subLayersMinus1 + 1);
  const to = reader.position;
  const buffering = readBuffering(reader, subLayersMinus1 + 1);
  if (reader.overrun || buffering.picturesMinus1 > PICTURE_BUFFER_MINUS1_MAX) return undefined;
  const writer = new BitWriter();
  writer.bits(id, 4);
  // The base layer is in the stream and available; it is the only one.
  writer.bits(0b11, 2);
  writer.bits(0, 6);
  writer.bits(subLayersMinus1, 3);
  writer.bit(isNested);
  writer.bits(RESERVED, 16);
  copyBits(payload, from, to, writer);
  // One set of numbers for all sub-layers: those of the highest.
  writer.bit(0);
  writer.unsignedGolomb(buffering.picturesMinus1);
  writer.unsignedGolomb(buffering.reorder);
  writer.unsignedGolomb(buffering.latencyPlus1);
  // No further layers, layer sets, timing or extension; then the stop bit.
  writer.bits(0, 6);
  writer.unsignedGolomb(0);
  writer.bits(0b001, 3);
  return Buffer.concat([Buffer.from(VPS_HEADER), preventEmulation(writer.bytes)]);
}

/** From sps_seq_parameter_set_id to the numbers of the highest sub-layer (7.3.2.2). */
function readBuffering(reader: BitReader, subLayers: number): Buffering {
  reader.unsignedGolomb();
  if (reader.unsignedGolomb() === 3) reader.skip(1);
  reader.unsignedGolomb();
  reader.unsignedGolomb();
  readConformanceWindow(reader);
  reader.unsignedGolomb();
  reader.unsignedGolomb();
  reader.unsignedGolomb();
  const layers = reader.flag() ? subLayers : 1;
  let buffering = { picturesMinus1: 0, reorder: 0, latencyPlus1: 0 };
  for (let layer = 0; layer < layers; layer += 1) {
    buffering = {
      picturesMinus1: reader.unsignedGolomb(),
      reorder: reader.unsignedGolomb(),
      latencyPlus1: reader.unsignedGolomb(),
    };
  }
  return buffering;
}

function copyBits(bytes: Uint8Array, from: number, to: number, writer: BitWriter): void {
  const reader = new BitReader(bytes);
  reader.skip(from);
  for (let at = from; at < to; at += 1) writer.bit(reader.bit());
}
