/**
 * The child process that tries one hardware decoder or encoder: `node hardware-child.js decoder|encoder NAME CODEC`.
 * Prints `works`, or why it does not work.
 */
import { errorText } from "../../base/index.js";
import { loadCodecAddon } from "./codec-addon.js";
import { TEST_CLIPS } from "./hardware-clip.js";
import { tryDecoder, tryEncoder } from "./hardware-trial.js";
import { NativeCodec } from "./native-codec.js";
import { AddonVideoEncoder } from "./video-encoder.js";

const ENCODER_OPTIONS = {
  width: 320,
  height: 240,
  framesPerSecond: 5,
  bitsPerSecond: 500_000,
  gopLength: 50,
};

async function trial(kind: string, name: string, codecNumber: string): Promise<string | undefined> {
  const clip = TEST_CLIPS.find(({ format }) => `${format.codec}` === codecNumber);
  if (clip === undefined) return `there is no test clip of codec ${codecNumber}`;
  const codec = new NativeCodec({ threads: 1 });
  if (kind === "decoder") return tryDecoder(codec.openDecoderNamed(clip.format, name), clip);
  const encoder = new AddonVideoEncoder(name, ENCODER_OPTIONS, loadCodecAddon());
  return tryEncoder(encoder, clip, () => codec.openVideoDecoder(clip.format));
}

const [, , kind = "", name = "", codecNumber = ""] = process.argv;
void trial(kind, name, codecNumber)
  .catch((error: unknown) => errorText(error))
  .then((reason) => process.stdout.write(`${reason ?? "works"}\n`));
