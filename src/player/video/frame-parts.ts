import { alawToUlaw, Codec, type Frame } from "../../live/index.js";
import { type Part, typedPart } from "../parts/multipart.js";

/** The data of a frame for its part. */
export interface PartFields {
  readonly codec: Codec;
  readonly key: boolean;
  readonly decodeTimeUs: number;
  readonly presentationOffsetUs: number;
}

/**
 * The part of a frame with the bytes in `ranges`. A-law is converted to µ-law. Undefined for a codec that `/video` does not
 * send unconverted (AAC: SoundPartMaker). `Timestamp` is the presentation time, UTC.
 */
export function formatPart(fields: PartFields, ranges: readonly Uint8Array[]): Part | undefined {
  const type = partType(fields);
  if (type === undefined) return undefined;
  const bytes = fields.codec === Codec.PCMA ? ranges.map(alawToUlaw) : ranges;
  return typedPart(type, fields.decodeTimeUs + fields.presentationOffsetUs, bytes);
}

const PARTS = new WeakMap<Frame, Part>();

/** The part of a live frame, created once for all its viewers; valid while the frame is leased. */
export function partOfFrame(frame: Frame): Part | undefined {
  const known = PARTS.get(frame);
  if (known !== undefined) return known;
  const { key, decodeTimeUs, presentationOffsetUs, format } = frame;
  const part = formatPart(
    { codec: format.codec, key, decodeTimeUs, presentationOffsetUs },
    frame.ranges.map((range) => range.bytes),
  );
  if (part !== undefined) PARTS.set(frame, part);
  return part;
}

/** Part types of the reference, and `h265` in the same style. */
function partType(fields: PartFields): string | undefined {
  const kind = fields.key ? "I-frame" : "P-frame";
  switch (fields.codec) {
    case Codec.MJPEG:
      return "image/jpeg";
    case Codec.MPEG4:
      return `video, mpeg4, ${kind}`;
    case Codec.H264:
      return `video, h264, ${kind}`;
    case Codec.H265:
      return `video, h265, ${kind}`;
    case Codec.PCMU:
    case Codec.PCMA:
      return "audio, PCMU";
    default:
      return undefined;
  }
}
