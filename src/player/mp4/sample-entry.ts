import { NvrdError } from "../../base/index.js";
import {
  type AudioFormat,
  Codec,
  codecName,
  isAudioCodec,
  type MediaFormat,
  parseAacConfig,
  type VideoFormat,
} from "../../live/index.js";
import { box, fullBox, u8, u16, u32 } from "./box.js";
import { avcConfiguration, hevcConfiguration, parameterSetsOf, pictureSize } from "./parameter-sets.js";

/** objectTypeIndication (ISO/IEC 14496-1, table 5). */
export const ObjectType = { MPEG4_VIDEO: 0x20, AAC: 0x40, JPEG: 0x6c } as const;
type ObjectType = (typeof ObjectType)[keyof typeof ObjectType];

const VISUAL_STREAM = 4;
const AUDIO_STREAM = 5;
const DPI_72 = 0x48_0000;
const DEPTH_COLOUR = 24;
const SIDE_MAX = 0xffff;
const AUDIO_BITS = 16;
/** Identification header of Opus without a channel mapping table, and where its mapping family is. */
const OPUS_HEADER_BYTES = 19;
const OPUS_MAPPING_AT = 18;
const RATE_MAX = 0xffff;

/**
 * The sample entry (ISO/IEC 14496-12, 8.5.2) of a format: `avc1`, `hvc1`, `mp4v` (MPEG-4 Part 2, and MJPEG as object
 * type 0x6C), `mp4a`, `ulaw`, `alaw`, `twos`, `Opus`. `keyFrame`: source of the parameter sets if the format does not have them. Throws
 * NvrdError NOT_SUPPORTED if the decoder configuration is unknown.
 */
export function sampleEntry(format: MediaFormat, keyFrame?: Uint8Array): Buffer {
  return isAudioCodec(format.codec)
    ? audioEntry(format as AudioFormat)
    : videoEntry(format as VideoFormat, keyFrame);
}

function videoEntry(format: VideoFormat, keyFrame: Uint8Array | undefined): Buffer {
  switch (format.codec) {
    case Codec.H264:
    case Codec.H265: {
      const sets =
        parameterSetsOf(format.codec, format.initialization) ??
        (keyFrame === undefined ? undefined : parameterSetsOf(format.codec, keyFrame));
      if (sets === undefined) return refuse(format, "its parameter sets are not known");
      const size = pictureSize(format, sets);
      return format.codec === Codec.H264
        ? visualEntry("avc1", size, box("avcC", avcConfiguration(sets)))
        : visualEntry("hvc1", size, box("hvcC", hevcConfiguration(sets)));
    }
    case Codec.MPEG4: {
      if (format.initialization.length === 0) return refuse(format, "its visual object layer is not known");
      return visualEntry("mp4v", format, elementaryStream(ObjectType.MPEG4_VIDEO, format.initialization));
    }
    case Codec.MJPEG:
      return visualEntry("mp4v", format, elementaryStream(ObjectType.JPEG, undefined));
    default:
      return refuse(format, "MP4 does not support it");
  }
}

function audioEntry(format: AudioFormat): Buffer {
  switch (format.codec) {
    case Codec.AAC: {
      if (parseAacConfig(format.initialization) === undefined)
        return refuse(format, "its configuration is not known");
      return soundEntry("mp4a", format, elementaryStream(ObjectType.AAC, format.initialization));
    }
    case Codec.PCMU:
      return soundEntry("ulaw", format);
    case Codec.PCMA:
      return soundEntry("alaw", format);
    case Codec.L16:
      return soundEntry("twos", format);
    case Codec.OPUS:
      return soundEntry("Opus", format, opusConfiguration(format));
    default:
      return refuse(format, "MP4 does not support it");
  }
}

function refuse(format: MediaFormat, reason: string): never {
  throw new NvrdError(
    "NOT_SUPPORTED",
    `${codecName(format.codec)} cannot be put into an MP4 file: ${reason}`,
  );
}

/** VisualSampleEntry (ISO/IEC 14496-12, 12.1.3). */
function visualEntry(
  type: string,
  size: { readonly width: number; readonly height: number },
  ...configuration: readonly Buffer[]
): Buffer {
  return box(
    type,
    Buffer.alloc(6),
    u16(1),
    Buffer.alloc(16),
    u16(Math.min(size.width, SIDE_MAX), Math.min(size.height, SIDE_MAX)),
    u32(DPI_72, DPI_72, 0),
    u16(1),
    Buffer.alloc(32),
    u16(DEPTH_COLOUR, 0xffff),
    ...configuration,
  );
}

/**
 * The sample entry of FLAC (Encapsulation of FLAC in ISO Base Media File Format, 3.3.1). `streamInfo`: the metadata blocks of the
 * stream, with their headers.
 */
export function flacEntry(
  sound: { readonly sampleRate: number; readonly channels: number },
  streamInfo: Uint8Array,
): Buffer {
  return soundEntry("fLaC", sound, fullBox("dfLa", {}, streamInfo));
}

/** OpusSpecificBox (Encapsulation of Opus in ISO Base Media File Format, 4.3.2): the header of RFC 7845, 5.1, in network order. */
function opusConfiguration({ initialization }: AudioFormat): Buffer {
  const header = Buffer.from(initialization);
  if (header.length < OPUS_HEADER_BYTES || header[OPUS_MAPPING_AT] !== 0)
    throw new NvrdError("NOT_SUPPORTED", "Opus cannot be put into an MP4 file: its header is not known");
  const channels = header[9] ?? 0;
  return box(
    "dOps",
    u8(0, channels),
    u16(header.readUInt16LE(10)),
    u32(header.readUInt32LE(12)),
    u16(header.readUInt16LE(16)),
    u8(0),
  );
}

/** AudioSampleEntry (ISO/IEC 14496-12, 12.2.3). A rate above 65535 is only in the decoder configuration. */
function soundEntry(
  type: string,
  format: Pick<AudioFormat, "sampleRate" | "channels">,
  ...configuration: readonly Buffer[]
): Buffer {
  const rate = format.sampleRate <= RATE_MAX ? format.sampleRate : 0;
  return box(
    type,
    Buffer.alloc(6),
    u16(1),
    Buffer.alloc(8),
    u16(Math.max(1, format.channels), AUDIO_BITS, 0, 0, rate, 0),
    ...configuration,
  );
}

/** ES_Descriptor in its box (ISO/IEC 14496-1, 7.2.6.5; 14496-14, 5.6). */
function elementaryStream(objectType: ObjectType, specific: Uint8Array | undefined): Buffer {
  const streamType = objectType === ObjectType.AAC ? AUDIO_STREAM : VISUAL_STREAM;
  const decoder = descriptor(
    4,
    u8(objectType, (streamType << 2) | 1, 0, 0, 0),
    u32(0, 0),
    ...(specific === undefined ? [] : [descriptor(5, specific)]),
  );
  return fullBox("esds", {}, descriptor(3, u16(0), u8(0), decoder, descriptor(6, u8(2))));
}

const DESCRIPTOR_BYTES_MAX = 0x0fff_ffff;

/** Tag and size (ISO/IEC 14496-1, 8.3.3), with the size in four bytes, as other software expects. */
function descriptor(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const size = Math.min(content.length, DESCRIPTOR_BYTES_MAX);
  const sizeBytes = [21, 14, 7, 0].map((shift) => ((size >> shift) & 0x7f) | (shift > 0 ? 0x80 : 0));
  return Buffer.concat([u8(tag, ...sizeBytes), content]);
}
