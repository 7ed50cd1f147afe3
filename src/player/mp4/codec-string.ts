import {
  type AudioFormat,
  BitReader,
  Codec,
  isAudioCodec,
  type MediaFormat,
  type VideoFormat,
} from "../../live/index.js";
import { parameterSetsOf, profileTierLevel } from "./parameter-sets.js";

/** MPEG-4 Part 2, simple profile, level 3: for streams that do not say (ISO/IEC 14496-2, Annex G). */
const MPEG4_PROFILE_DEFAULT = 0x03;
const VISUAL_OBJECT_SEQUENCE = Buffer.from([0, 0, 1, 0xb0]);

/**
 * The format's `codecs` parameter (RFC 6381, 3.3; ISO/IEC 14496-15, Annex E): `avc1.640028`, `hvc1.1.6.L93.B0`,
 * `mp4a.40.2`. Undefined if the parameter sets or configuration are unknown.
 */
export function codecString(format: MediaFormat, keyFrame?: Uint8Array): string | undefined {
  if (isAudioCodec(format.codec)) return audioString(format as AudioFormat);
  const { codec, initialization } = format as VideoFormat;
  if (codec === Codec.MJPEG) return "mp4v.6C";
  if (codec === Codec.MPEG4) return `mp4v.20.${mpeg4Profile(initialization)}`;
  const sets =
    parameterSetsOf(codec, initialization) ??
    (keyFrame === undefined ? undefined : parameterSetsOf(codec, keyFrame));
  const sps = sets?.sps[0];
  if (sps === undefined) return undefined;
  return codec === Codec.H265 ? hevcString(sps) : `avc1.${sps.subarray(1, 4).toString("hex")}`;
}

function audioString({ codec, initialization }: AudioFormat): string | undefined {
  if (codec === Codec.PCMU) return "ulaw";
  if (codec === Codec.PCMA) return "alaw";
  if (codec === Codec.L16) return "twos";
  if (codec === Codec.OPUS) return "opus";
  if (initialization.length < 2) return undefined;
  const reader = new BitReader(initialization);
  const type = reader.bits(5);
  return `mp4a.40.${type === 31 ? 32 + reader.bits(6) : type}`;
}

function mpeg4Profile(initialization: Uint8Array): number {
  const at = Buffer.from(initialization).indexOf(VISUAL_OBJECT_SEQUENCE);
  return at < 0 ? MPEG4_PROFILE_DEFAULT : (initialization[at + 4] ?? MPEG4_PROFILE_DEFAULT);
}

/** ISO/IEC 14496-15, E.3: profile, reversed compatibility flags, tier and level, constraints without trailing zeros. */
function hevcString(sps: Uint8Array): string {
  const bytes = profileTierLevel(sps);
  const first = bytes.readUInt8(0);
  const space = ["", "A", "B", "C"][first >> 6] ?? "";
  const tier = (first & 0x20) === 0 ? "L" : "H";
  let flags = bytes.readUInt32BE(1);
  let reversed = 0;
  for (let bit = 0; bit < 32; bit += 1) {
    reversed = ((reversed << 1) | (flags & 1)) >>> 0;
    flags >>>= 1;
  }
  const constraints = [...bytes.subarray(5, 11)];
  while (constraints.at(-1) === 0) constraints.pop();
  const tail = constraints.map((byte) => `.${byte.toString(16).toUpperCase()}`).join("");
  const compatibility = reversed.toString(16).toUpperCase();
  return `hvc1.${space}${first & 0x1f}.${compatibility}.${tier}${bytes.readUInt8(11)}${tail}`;
}
