import { Codec } from "../../../live/index.js";
import type { MediaTrack } from "../../rtp/types.js";
import type { AudioSink, Depacketizer } from "../depacketizer.js";
import { AacDepacketizer } from "./aac-depacketizer.js";
import { G726Depacketizer } from "./g726-depacketizer.js";
import { describedLatmConfig } from "./latm-config.js";
import { LatmDepacketizer } from "./latm-depacketizer.js";
import { OpusDepacketizer } from "./opus-depacketizer.js";
import { PcmDepacketizer } from "./pcm-depacketizer.js";

/** The depacketizer of a track of sound; undefined if it is none. Throws NvrdError if its parameters are not supported. */
export function soundDepacketizer(track: MediaTrack, sink: AudioSink): Depacketizer | undefined {
  const { codec, payload, fmtp, clockRate, channels } = track;
  if (payload?.kind === "latm") return new LatmDepacketizer({ fmtp, clockRate, sink });
  if (payload?.kind === "g726") return new G726Depacketizer({ payload, sampleRate: clockRate, sink });
  switch (codec) {
    case Codec.PCMU:
    case Codec.PCMA:
    case Codec.L16:
      return new PcmDepacketizer({ codec, sampleRate: clockRate, channels, sink });
    case Codec.AAC:
      // Some cameras describe LATM under the name of RFC 3640.
      if (isLatm(fmtp)) return new LatmDepacketizer({ fmtp, clockRate, sink });
      return new AacDepacketizer({ fmtp, clockRate, channels, sink });
    case Codec.OPUS:
      return new OpusDepacketizer(sink);
    default:
      return undefined;
  }
}

/** Its configuration is that of LATM, which is none of AAC itself, and nothing says that units have headers. */
function isLatm(fmtp: ReadonlyMap<string, string>): boolean {
  const config = describedLatmConfig(fmtp);
  return config?.isWrapped === true && !fmtp.has("mode") && !fmtp.has("sizelength");
}
