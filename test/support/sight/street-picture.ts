import { readFile } from "node:fs/promises";
import { parseClip } from "../../../src/demo/clip.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { NativeCodec } from "../../../src/picture/index.js";
import type { LookPicture } from "../../../src/sight/detector/detector.js";
import { LOOK_SIDE } from "../../../src/sight/detector/look-wire.js";
import { REPOSITORY_ROOT } from "../base/repository.js";

const CLIP = { name: "street.h264", codec: Codec.H264, framesPerSecond: 10, width: 640, height: 480 };

/** The first picture of the demo's street, as the detector is given it: some persons walk there. */
export async function streetPicture(): Promise<LookPicture> {
  const bytes = await readFile(`${REPOSITORY_ROOT}/src/demo/clips/${CLIP.name}`);
  const { codec, width, height, initialization, units } = parseClip(CLIP, bytes);
  const [first] = units;
  if (first === undefined) throw new Error("the clip is empty");
  const [picture] = await new NativeCodec({ threads: 1 }).decodeStill({
    format: { codec, width, height, initialization },
    units: [{ bytes: [first.bytes], key: true, decodeTimeUs: 0, presentationOffsetUs: 0 }],
    targets: [{ form: "rgb", width: LOOK_SIDE, height: LOOK_SIDE }],
  });
  if (picture === undefined) throw new Error("the clip cannot be decoded");
  return picture;
}
