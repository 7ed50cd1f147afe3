import { Codec, type VideoFormat } from "../../live/index.js";
import { VIDEO_TRACK } from "./fragment-tracks.js";
import { NAL_LENGTH_BYTES } from "./length-prefixed.js";
import { nalType } from "./parameter-sets.js";
import { boxAt, boxesIn, numberAt, trackNumber } from "./read-boxes.js";

/** What a sample entry has before its boxes (ISO/IEC 14496-12, 12.1.3). */
const VISUAL_ENTRY_BYTES = 78;
/** Version, flags and number of entries of `stsd`. */
const ENTRIES_AT = 8;
const START_CODE = Buffer.from([0, 0, 0, 1]);
/** Where the parameter sets are counted in `avcC`, and the arrays of them in `hvcC` (ISO/IEC 14496-15, 5.3.3.1, 8.3.3.1). */
const AVC_SETS_AT = 5;
const HEVC_ARRAYS_AT = 22;
/** In `trun` (ISO/IEC 14496-12, 8.8.8), as `fragmentHead` writes it: of the one sample. */
const RUN_COUNT_AT = 4;
const RUN_COMPOSITION_AT = 24;
const RUN_FLAGS = 0xf01;
const FLAGS_MASK = 0xff_ffff;
/** Access unit delimiters, which come before parameter sets (ITU-T H.264, 7.4.1.2.3; H.265, 7.4.2.4.4). */
const DELIMITER = { h264: 9, h265: 35 } as const;

/** What an init segment of fragments says of the pictures, which are H.264 or H.265. Throws RangeError where it does not. */
export function readVideoTrack(init: Buffer): Pick<VideoFormat, "codec" | "initialization"> {
  const trak = boxesIn(boxAt(init, "moov")).find(
    ({ type, content }) => type === "trak" && trackNumber(content) === VIDEO_TRACK,
  );
  if (trak === undefined) throw new RangeError("there are no pictures");
  const [entry] = boxesIn(boxAt(trak.content, "mdia", "minf", "stbl", "stsd").subarray(ENTRIES_AT));
  const boxes = entry?.content.subarray(VISUAL_ENTRY_BYTES) ?? Buffer.alloc(0);
  if (entry?.type === "avc1")
    return { codec: Codec.H264, initialization: avcSets(new SetReader(boxAt(boxes, "avcC"), AVC_SETS_AT)) };
  if (entry?.type === "hvc1")
    return {
      codec: Codec.H265,
      initialization: hevcSets(new SetReader(boxAt(boxes, "hvcC"), HEVC_ARRAYS_AT)),
    };
  throw new RangeError("the pictures are neither H.264 nor H.265");
}

/** Reads parameter sets, each with its length before it. */
class SetReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  byte(): number {
    return this.#taken(1).readUInt8(0);
  }

  number(): number {
    return this.#taken(2).readUInt16BE(0);
  }

  /** In Annex B. */
  sets(count: number): Buffer[] {
    return Array.from({ length: count }, () => [START_CODE, this.#taken(this.number())]).flat();
  }

  #taken(bytes: number): Buffer {
    if (this.#at + bytes > this.#bytes.length) throw new RangeError("a decoder configuration is too short");
    this.#at += bytes;
    return this.#bytes.subarray(this.#at - bytes, this.#at);
  }
}

function avcSets(reader: SetReader): Buffer {
  const sps = reader.sets(reader.byte() & 0x1f);
  return Buffer.concat([...sps, ...reader.sets(reader.byte())]);
}

function hevcSets(reader: SetReader): Buffer {
  const arrays = Array.from({ length: reader.byte() }, () => {
    reader.byte();
    return reader.sets(reader.number());
  });
  return Buffer.concat(arrays.flat());
}

/** The one sample of a fragment, and by how many ticks it is shown after it is decoded. Throws RangeError where it is none. */
export function readFragment(fragment: Buffer): {
  readonly sample: Buffer;
  readonly compositionTicks: number;
} {
  const run = boxAt(fragment, "moof", "traf", "trun");
  if ((numberAt(run, 0) & FLAGS_MASK) !== RUN_FLAGS || numberAt(run, RUN_COUNT_AT) !== 1)
    throw new RangeError("a fragment of something else than one sample");
  return { sample: boxAt(fragment, "mdat"), compositionTicks: numberAt(run, RUN_COMPOSITION_AT) };
}

/**
 * A picture as cameras send it, in memory of its own: a start code before each NAL unit in place of its length, and before a key frame what
 * a decoder must know. Throws RangeError where the lengths are wrong.
 */
export function annexBOf(
  sample: Buffer,
  { codec, initialization }: Pick<VideoFormat, "codec" | "initialization">,
  isKey: boolean,
): Buffer {
  const headBytes = isKey ? initialization.length : 0;
  const unit = Buffer.allocUnsafe(headBytes + sample.length);
  sample.copy(unit, headBytes);
  for (let at = 0; at < sample.length; ) {
    const bytes = numberAt(sample, at);
    if (at + NAL_LENGTH_BYTES + bytes > sample.length) throw new RangeError("a NAL unit beyond its picture");
    unit.writeUInt32BE(1, headBytes + at);
    at += NAL_LENGTH_BYTES + bytes;
  }
  if (headBytes === 0) return unit;
  const delimiterBytes = delimiterLength(sample, codec);
  unit.copyWithin(0, headBytes, headBytes + delimiterBytes);
  unit.set(initialization, delimiterBytes);
  return unit;
}

/** Of the access unit delimiter that a picture begins with, with its start code; else 0. */
function delimiterLength(sample: Buffer, codec: Codec): number {
  const type = nalType(codec, sample.subarray(NAL_LENGTH_BYTES, NAL_LENGTH_BYTES + 1));
  const isDelimiter = type === (codec === Codec.H265 ? DELIMITER.h265 : DELIMITER.h264);
  return isDelimiter && sample.length > NAL_LENGTH_BYTES ? NAL_LENGTH_BYTES + numberAt(sample, 0) : 0;
}
