import { CodecError } from "./codec-error.js";
import type { EncodedUnit, Picture, PictureTarget, VideoDecoder, VideoEncoder } from "./codec-types.js";
import { PICTURE_HEIGHT, PICTURE_WIDTH, type TestClip } from "./hardware-clip.js";

/** Greatest mean difference per byte from the known picture; other pictures differ by some 40. */
export const PICTURE_DIFFERENCE_MAX = 6;
/** Likewise for a picture that was encoded again. */
const ENCODED_DIFFERENCE_MAX = 12;
const FRAME_US = 200_000;

const KNOWN: PictureTarget = { form: "rgb", width: PICTURE_WIDTH, height: PICTURE_HEIGHT, fit: "exact" };

/** Decodes the clip; resolves with why `decoder` cannot be used, or undefined if its last picture is the known one. */
export async function tryDecoder(decoder: VideoDecoder, clip: TestClip): Promise<string | undefined> {
  try {
    const pictures = (await decodeClip(decoder, clip, KNOWN)).filter((picture) => !picture.damaged);
    const lastUs = (clip.units.length - 1) * FRAME_US;
    return compare(
      pictures.find((picture) => picture.timeUs === lastUs),
      clip,
      PICTURE_DIFFERENCE_MAX,
    );
  } finally {
    decoder.close();
  }
}

/**
 * Encodes the clip, decoded by software, and decodes it again; resolves with why `encoder` cannot be used, or
 * undefined.
 */
export async function tryEncoder(
  encoder: VideoEncoder,
  clip: TestClip,
  openDecoder: () => VideoDecoder,
): Promise<string | undefined> {
  const source = openDecoder();
  const check = openDecoder();
  try {
    const pictures = await decodeClip(source, clip, { form: "yuv420" });
    const last = pictures.at(-1);
    if (last === undefined) throw new CodecError("internal", "software decodes no picture of the test clip");
    const units: EncodedUnit[] = [];
    // Repeats the last picture, so that the output ends with it, however many frames the encoder holds back.
    for (let at = 0; at < pictures.length + ENCODER_FRAMES_HELD; at++) {
      const picture = pictures[at] ?? last;
      units.push(...(await encoder.encode({ ...picture, timeUs: at * FRAME_US })));
    }
    const [first] = units;
    if (first === undefined) return "it returns no frames";
    if (!first.key) return "its first frame is not a key frame";
    const again = { ...clip, units: units.map((unit) => unit.data) };
    return compare((await decodeClip(check, again, KNOWN)).at(-1), clip, ENCODED_DIFFERENCE_MAX);
  } finally {
    encoder.close();
    source.close();
    check.close();
  }
}

const ENCODER_FRAMES_HELD = 8;

async function decodeClip(decoder: VideoDecoder, clip: TestClip, target: PictureTarget): Promise<Picture[]> {
  const pictures: Picture[] = [];
  const take = (out: readonly (readonly Picture[])[]): void => {
    for (const [picture] of out) if (picture !== undefined) pictures.push(picture);
  };
  for (const [at, bytes] of clip.units.entries()) {
    const unit = { bytes: [bytes], key: at === 0, decodeTimeUs: at * FRAME_US, presentationOffsetUs: 0 };
    take(await decoder.decode(unit, [target]));
  }
  take(await decoder.flush([target]));
  return pictures;
}

function compare(picture: Picture | undefined, clip: TestClip, differenceMax: number): string | undefined {
  if (picture === undefined) return "it does not return the clip's last picture";
  if (picture.sourceWidth !== clip.format.width || picture.sourceHeight !== clip.format.height)
    return `it shows ${picture.sourceWidth}x${picture.sourceHeight}`;
  const difference = meanDifference(picture.data, clip.picture);
  return difference <= differenceMax ? undefined : `its picture differs by ${difference.toFixed(1)} a byte`;
}

function meanDifference(one: Uint8Array, other: Uint8Array): number {
  if (one.length !== other.length) return 255;
  let sum = 0;
  for (const [at, byte] of one.entries()) sum += Math.abs(byte - (other[at] ?? 0));
  return sum / Math.max(1, one.length);
}
