import { annexB } from "../rtsp/rtp-packets.js";

/** Parameter sets of libx264 for 160x120, High profile, and of libx265 for the same; as their SDP has them. */
export const H264_SPS = Buffer.from("Z2QAC6zZQoR+XAWyAAADAAIAAAMAZB4oUyw=", "base64");
export const H264_PPS = Buffer.from("aOvjyyLA", "base64");
export const H265_VPS = Buffer.from("QAEMAf//AWAAAAMAkAAAAwAAAwAelZAJ", "base64");
export const H265_SPS = Buffer.from("QgEBAWAAAAMAkAAAAwAAAwAeoBQgeWWVkkkyvAWwIAAAAwAgAAADAyE=", "base64");
export const H265_PPS = Buffer.from("RAHBcrRiQA==", "base64");

export const H264_SPROP = `${H264_SPS.toString("base64")},${H264_PPS.toString("base64")}`;
export const H264_SETS = annexB(H264_SPS, H264_PPS);
export const H265_SETS = annexB(H265_VPS, H265_SPS, H265_PPS);
export const H265_FMTP = {
  "sprop-vps": H265_VPS.toString("base64"),
  "sprop-sps": H265_SPS.toString("base64"),
  "sprop-pps": H265_PPS.toString("base64"),
};

/** A user data SEI, as cameras put before each picture. */
export const H264_SEI = Buffer.from([0x06, 0x05, 0x04, 1, 2, 3, 4, 0x80]);
/** A recovery point SEI with recovery_frame_cnt 0. */
export const H264_RECOVERY_SEI = Buffer.from([0x06, 0x06, 0x01, 0xc4, 0x80]);

/** Bytes of slice data without zeros, so that no start code occurs in them. */
export function filler(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index += 1) bytes[index] = ((index * 37 + seed * 11) % 255) + 1;
  return bytes;
}

/** An IDR slice; the first of its picture unless told otherwise. I slice. */
export function idr(length = 100, seed = 1, first = true): Buffer {
  return Buffer.concat([Buffer.from([0x65, first ? 0x88 : 0x44]), filler(length, seed)]);
}

/** A P slice of a reference picture. */
export function slice(length = 60, seed = 2, first = true): Buffer {
  return Buffer.concat([Buffer.from([0x41, first ? 0x9a : 0x4d]), filler(length, seed)]);
}

/** A non-IDR slice of type I. */
export function intraSlice(length = 60, seed = 3): Buffer {
  return Buffer.concat([Buffer.from([0x41, 0x88]), filler(length, seed)]);
}

/** An H.265 slice segment of NAL unit type `type`. */
export function h265Slice(type: number, length = 80, first = true): Buffer {
  return Buffer.concat([Buffer.from([type << 1, 1, first ? 0xa0 : 0x20]), filler(length, type)]);
}
