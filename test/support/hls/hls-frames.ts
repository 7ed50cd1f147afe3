import type { ArchivedFrame } from "../../../src/archive/index.js";
import { Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import { Frame } from "../../../src/live/index.js";
import { FRAME_US, NINE_US } from "../api/api-frames.js";
import { H264_PPS, H264_SETS, H264_SPS, idr, slice } from "../media/sample-nal-units.js";
import { annexB } from "../rtsp/rtp-packets.js";
import { archived } from "./hls-clips.js";

export const H264_FORMAT: VideoFormat = {
  codec: Codec.H264,
  width: 160,
  height: 120,
  initialization: H264_SETS,
};

export interface Pictures {
  /** Number of the first picture; its time is 09:00:00 and so many times 40 ms. */
  readonly from?: number;
  readonly gop?: number;
  readonly bytes?: number;
  readonly gap?: boolean;
  readonly format?: VideoFormat;
}

/** Pictures of a camera, 25 a second, that a packager takes for real ones: parameter sets and slices as they begin. */
export function pictures(count: number, options: Pictures = {}): Frame[] {
  const { from = 0, gop = 25, bytes = 60, gap = false, format = H264_FORMAT } = options;
  return Array.from({ length: count }, (_, index) => {
    const number = from + index;
    const key = index % gop === 0;
    const unit = key ? annexB(H264_SPS, H264_PPS, idr(bytes, number)) : annexB(slice(bytes, number));
    return new Frame({
      format,
      decodeTimeUs: NINE_US + number * FRAME_US,
      presentationOffsetUs: 0,
      key,
      damaged: false,
      undecodable: false,
      discontinuity: gap && index === 0,
      ranges: [{ slab: undefined, bytes: unit }],
    });
  });
}

/** The same as they are recorded; the first begins a fragment. */
export function recordedPictures(count: number, options: Pictures = {}): ArchivedFrame[] {
  return pictures(count, options).map((frame, index) => archived(frame, index === 0));
}
