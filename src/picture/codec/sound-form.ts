import type { AudioFormat } from "../../live/index.js";
import type { SoundForm, SoundTranscoderOptions } from "./codec-types.js";

/** Sample rates that AAC output keeps; any other becomes the first (ISO/IEC 14496-3, table 1.18). */
const AAC_RATES = [16_000, 8000, 11_025, 12_000, 22_050, 24_000, 32_000, 44_100, 48_000];

/**
 * Options to convert `input` to `output`. PCM and G.711 do not carry their rate, so both have 8000 samples a second.
 * ADTS does, so AAC keeps the camera's rate.
 */
export function soundTranscoderOptions(input: AudioFormat, output: SoundForm): SoundTranscoderOptions {
  if (output !== "aac") return { input, output, sampleRate: 8000 };
  const sampleRate = AAC_RATES.find((rate) => rate === input.sampleRate) ?? 16_000;
  return { input, output, sampleRate };
}
