import { Codec } from "../../../live/index.js";
import type { SoundPayload } from "../../rtp/types.js";

/** What an encoding name stands for. */
export interface Encoding {
  readonly codec: Codec;
  readonly kind: "video" | "audio";
  /** Used when the description names no clock rate, or one that cannot be. */
  readonly clockRate: number | undefined;
  /** Clock rates of the encoding lie within. */
  readonly clockRateMax?: number;
  readonly channels?: number;
  /** How it is carried, if not as the codec itself. */
  readonly payload?: SoundPayload;
}

const video = (codec: Codec): Encoding => ({ codec, kind: "video", clockRate: 90_000 });
/** G.711 of a rate that no microphone has is G.711 of 8 kHz with the clock of a video. */
const G711_RATE_MAX = 48_000;
const g711 = (codec: Codec): Encoding => ({
  codec,
  kind: "audio",
  clockRate: 8000,
  clockRateMax: G711_RATE_MAX,
});
/** Recorded as G.711 (docs/design/sound.md). */
const g726 = (bits: 2 | 3 | 4 | 5, order: "first-low" | "first-high"): Encoding => ({
  ...g711(Codec.PCMU),
  payload: { kind: "g726", bits, order },
});

/**
 * Encoding names (RFC 6184, 7798, 6416, 2435, 3551, 3640, 7587) and what cameras write for them; small letters and digits
 * alone count. G.726 has the first code of a byte in its low bits, and under the names of AAL2 in its high ones (RFC 3551, 4.5.4).
 */
const ENCODINGS: ReadonlyMap<string, Encoding> = new Map<string, Encoding>([
  ...["h264", "avc", "avc1"].map((name) => [name, video(Codec.H264)] as const),
  ...["h265", "hevc"].map((name) => [name, video(Codec.H265)] as const),
  ["mp4ves", video(Codec.MPEG4)],
  ...["jpeg", "mjpeg", "mjpg"].map((name) => [name, video(Codec.MJPEG)] as const),
  ...["pcmu", "g711", "g711u", "g711mu", "g711ulaw", "g711mulaw", "ulaw", "mulaw"].map(
    (name) => [name, g711(Codec.PCMU)] as const,
  ),
  ...["pcma", "g711a", "g711alaw", "alaw"].map((name) => [name, g711(Codec.PCMA)] as const),
  ...["mpeg4generic", "mpeg4genericadts", "mpeg4audio", "aac", "aaclc", "mp4a", "mp4aadts", "aacadts"].map(
    (name) => [name, { codec: Codec.AAC, kind: "audio", clockRate: undefined }] as const,
  ),
  ["mp4alatm", { codec: Codec.AAC, kind: "audio", clockRate: undefined, payload: { kind: "latm" } }],
  ["l16", { codec: Codec.L16, kind: "audio", clockRate: undefined }],
  ["opus", { codec: Codec.OPUS, kind: "audio", clockRate: 48_000, channels: 2 }],
  ...([2, 3, 4, 5] as const).flatMap((bits) => [
    [`g726${8 * bits}`, g726(bits, "first-low")] as const,
    [`aal2g726${8 * bits}`, g726(bits, "first-high")] as const,
  ]),
  ["g726", g726(4, "first-low")],
  ["g721", g726(4, "first-low")],
]);

/** A static payload type (RFC 3551, 6), which cameras send without an rtpmap. */
export interface StaticType {
  readonly name: string;
  readonly clockRate?: number;
  readonly channels?: number;
}

/** Also of what is not supported, for its name. */
export const STATIC_PAYLOAD_TYPES: ReadonlyMap<number, StaticType> = new Map<number, StaticType>([
  [0, { name: "PCMU" }],
  [2, { name: "G726-32" }],
  [3, { name: "GSM" }],
  [4, { name: "G723" }],
  [5, { name: "DVI4" }],
  [6, { name: "DVI4" }],
  [7, { name: "LPC" }],
  [8, { name: "PCMA" }],
  [9, { name: "G722" }],
  [10, { name: "L16", clockRate: 44_100, channels: 2 }],
  [11, { name: "L16", clockRate: 44_100, channels: 1 }],
  [12, { name: "QCELP" }],
  [13, { name: "CN" }],
  [14, { name: "MPA" }],
  [15, { name: "G728" }],
  [18, { name: "G729" }],
  [26, { name: "JPEG" }],
  [31, { name: "H261" }],
  [32, { name: "MPV" }],
  [33, { name: "MP2T" }],
  [34, { name: "H263" }],
]);

export function encodingOf(name: string | undefined): Encoding | undefined {
  return ENCODINGS.get(name?.toLowerCase().replace(/[^a-z0-9]/g, "") ?? "");
}

/** What a static payload type stands for, with its own rate and channels; undefined if it has no supported meaning. */
export function staticEncodingOf(payloadType: number): Encoding | undefined {
  const fixed = STATIC_PAYLOAD_TYPES.get(payloadType);
  const encoding = encodingOf(fixed?.name);
  return fixed === undefined || encoding === undefined
    ? undefined
    : {
        ...encoding,
        clockRate: fixed.clockRate ?? encoding.clockRate,
        channels: fixed.channels ?? encoding.channels ?? 1,
      };
}

/** Parameters that say which encoding they are of (RFC 6184, 8.1; 7798, 7.1; 3640, 4.1; 6416, 7). */
const SIGNS: readonly { readonly name: string; readonly sign: RegExp }[] = [
  { name: "H265", sign: /^(?:sprop-(?:vps|sps|pps|sei|max-don-diff)|tier-flag|profile-space|level-id)$/ },
  { name: "H264", sign: /^(?:sprop-parameter-sets|packetization-mode|sprop-interleaving-depth)$/ },
  { name: "MP4A-LATM", sign: /^(?:cpresent|object|sbr-enabled)$/ },
  {
    name: "MPEG4-GENERIC",
    sign: /^(?:mode|sizelength|indexlength|indexdeltalength|streamtype|constantduration)$/,
  },
  { name: "OPUS", sign: /^(?:sprop-stereo|stereo|useinbandfec|usedtx|maxplaybackrate|maxaveragebitrate)$/ },
];

/** The name of the encoding that fmtp parameters are of; undefined if they do not say. */
export function encodingSignedBy(parameters: ReadonlyMap<string, string>): string | undefined {
  for (const { name, sign } of SIGNS)
    for (const parameter of parameters.keys()) if (sign.test(parameter)) return name;
  const config = parameters.get("config") ?? "";
  return /^000001b/i.test(config) ? "MP4V-ES" : undefined;
}
