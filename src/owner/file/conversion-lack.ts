import { NvrdError } from "../../base/index.js";
import type { CONVERSION_LACKS } from "../../contract/answer/index.js";
import { Codec } from "../../live/index.js";
import type { FileCodec } from "./saved-files.js";

type ConversionLack = (typeof CONVERSION_LACKS)[number];

/** Opened to see whether it can be, and closed: nothing is decoded or encoded. */
const ANY_FORMAT = { codec: Codec.H264, width: 64, height: 64, initialization: new Uint8Array(0) };
const ANY_PICTURES = { width: 64, height: 64, framesPerSecond: 1, bitsPerSecond: 200_000, gopLength: 1 };

/** What is missing here to convert recordings for files. */
export async function conversionLack(codec: FileCodec): Promise<ConversionLack> {
  await codec.prepare?.();
  try {
    codec.openVideoDecoder(ANY_FORMAT).close();
  } catch (error) {
    if (error instanceof NvrdError && error.code === "NOT_SUPPORTED") return "Codec";
    // There is one, and it has no room now.
  }
  const encoder = codec.openVideoEncoder(ANY_PICTURES);
  encoder?.close();
  return encoder === undefined ? "Encoder" : "None";
}
