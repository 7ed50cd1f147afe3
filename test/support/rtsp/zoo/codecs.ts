import { h264NalType, h265NalType, isH264ParameterSet, isH265ParameterSet } from "../../media/nal-units.js";

/** What the cameras of the zoo encode in. */
export type ZooCodec = "h264" | "h265" | "mpeg4" | "mjpeg";

/** The type of a NAL unit. */
export function nalType(codec: ZooCodec, unit: Buffer): number {
  return codec === "h265" ? h265NalType(unit) : h264NalType(unit);
}

/** SPS or PPS, and VPS. */
export function isParameterSet(codec: ZooCodec, unit: Buffer): boolean {
  return (codec === "h264" && isH264ParameterSet(unit)) || (codec === "h265" && isH265ParameterSet(unit));
}
