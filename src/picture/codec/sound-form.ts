import type { AudioFormat } from "../../live/index.js";
import type { SoundForm, SoundTranscoderOptions } from "./codec-types.js";

/** The rates that AAC keeps of its source; any other becomes the first (ISO/IEC 14496-3, table 1.18). */
const AAC_RATES = [16_000, 8000, 11_025, 12_000, 22_050, 24_000, 32_000, 44_100, 48_000];

/**
 * How sound of `input` becomes `output`. Nothing tells a client the rate of PCM and G.711: both have 8000 samples a
 * second. ADTS says its rate, so AAC keeps the camera's.
 */
export function soundTranscoderOptions(input: AudioFormat, output: SoundForm): SoundTranscoderOptions {
  if (output !== "aac") return { input, output, sampleRate: 8000 };
  const sampleRate = AAC_RATES.find((rate) => rate === input.sampleRate) ?? 16_000;
  return { input, output, sampleRate };
}
