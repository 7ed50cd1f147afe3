import { NvrdError } from "../../base/index.js";
import { Codec, codecName, type VideoFormat } from "../../live/index.js";
import {
  isSameVideoFormat,
  type Rotation,
  type TranscodedPicture,
  type TranscodeSpec,
} from "../../picture/index.js";
import { parameterSetsOf, pictureSize } from "../mp4/parameter-sets.js";

const LONG_SIDE_MAX = 1920;
const SHORT_SIDE_MAX = 1080;
const PICTURES_A_SECOND_MAX = 30;
/** Segments begin with key frames, which come at least this often. */
const KEY_PERIOD_US = 2_000_000;
const START_CODE = Buffer.from([0, 0, 0, 1]);
const NONE = new Uint8Array(0);

/** What is made of a stream in a codec that no HLS player shows: its own size up to a bound, all its pictures. */
export function hlsTranscode(rotation: Rotation): TranscodeSpec {
  const isUpright = rotation === 90 || rotation === 270;
  return {
    width: isUpright ? SHORT_SIDE_MAX : LONG_SIDE_MAX,
    height: isUpright ? LONG_SIDE_MAX : SHORT_SIDE_MAX,
    framesPerSecond: PICTURES_A_SECOND_MAX,
    form: "h264",
    rotation,
  };
}

/** The format of transcoded pictures, one object as long as nothing changes, and when the next key frame is due. */
export class TranscodedFormat {
  #format: VideoFormat = { codec: Codec.H264, width: 0, height: 0, initialization: NONE };
  #keyUs: number | undefined;

  /** Throws NvrdError NOT_SUPPORTED where the platform has no encoder. `source`: the codec that was transcoded. */
  of({ form, key, timeUs, data }: TranscodedPicture, source: VideoFormat["codec"]): VideoFormat {
    if (form !== "h264") throw notPlayable(source);
    if (!key) return this.#format;
    this.#keyUs = timeUs;
    const sets = parameterSetsOf(Codec.H264, data);
    const initialization = Buffer.concat(
      [...(sets?.sps ?? []), ...(sets?.pps ?? [])].flatMap((nal) => [START_CODE, nal]),
    );
    const unsized = { codec: Codec.H264, width: 0, height: 0, initialization };
    const format = { ...unsized, ...sizeOf(pictureSize(unsized, sets)) };
    if (!isSameVideoFormat(this.#format, format)) this.#format = format;
    return this.#format;
  }

  /** Whether the picture behind one of this time should be a key frame. `speed`: stream time in a second of the player's. */
  needsKey(timeUs: number, speed = 1): boolean {
    return this.#keyUs !== undefined && timeUs - this.#keyUs >= KEY_PERIOD_US * speed;
  }
}

/** The error for a stream in a codec that HLS does not carry, where it cannot be transcoded. */
export function notPlayable(codec: VideoFormat["codec"]): NvrdError {
  return new NvrdError(
    "NOT_SUPPORTED",
    `HLS carries H.264 and H.265, this stream is ${codecName(codec)}, and there is no encoder to transcode it`,
    {
      hint: "set the stream's VideoFormat to H264 or Hevc, name another stream by streamtype, or use /mobile",
    },
  );
}

function sizeOf({ width, height }: { readonly width: number; readonly height: number }) {
  return { width, height };
}
