import { type AudioFormat, Codec, type MediaFormat, type VideoFormat } from "../../live/index.js";
import { RTP_JPEG_SIDE_MAX } from "../packetize/packetizer-jpeg-header.js";
import { nalUnitsOf } from "../packetize/packetizer-nal-units.js";
import type { PacketizedTrack } from "./packetized-tracks.js";

const TITLE_CHARACTERS_MAX = 128;
const H264_SPS = 7;
const H264_PPS = 8;
const H265_VPS = 32;
const H265_SPS = 33;
const H265_PPS = 34;
/** Simple Profile, level 3: for streams whose visual object sequence does not say (ISO/IEC 14496-2, Annex G). */
const MPEG4_PROFILE_LEVEL_DEFAULT = 3;

/** Control attribute of the track at `index`, relative to the Content-Base. */
export function trackControl(index: number): string {
  return `trackID=${index}`;
}

/**
 * The SDP of a mount (RFC 8866; RFC 2326, Appendix C). `trackBase`, ending in a slash, is put before each track's
 * control attribute; if empty, that is relative to the Content-Base.
 */
export function sessionDescription(options: {
  readonly title: string;
  readonly trackBase: string;
  readonly sessionId: number;
  readonly localAddress: string;
  readonly tracks: readonly PacketizedTrack[];
  /** Playable ranges (RFC 2326, Appendix C.1.5), one per unit; default: live. */
  readonly ranges?: readonly string[];
}): string {
  const family = options.localAddress.includes(":") ? "IP6" : "IP4";
  const lines = [
    "v=0",
    `o=- ${options.sessionId} 1 IN ${family} ${options.localAddress}`,
    `s=${plainText(options.title)}`,
    `c=IN ${family} ${family === "IP6" ? "::" : "0.0.0.0"}`,
    "t=0 0",
    "a=control:*",
    ...(options.ranges ?? ["npt=now-"]).map((range) => `a=range:${range}`),
  ];
  options.tracks.forEach((track, index) => {
    lines.push(`m=${track.isAudio ? "audio" : "video"} 0 RTP/AVP ${track.payloadType}`);
    lines.push(...formatLines(track), `a=control:${options.trackBase}${trackControl(index)}`);
  });
  return `${lines.join("\r\n")}\r\n`;
}

/** Text for a line: control characters become spaces; an empty name becomes a dash (RFC 8866, 5.3). */
function plainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are not allowed in an SDP line
  const clean = text.replace(/[\u0000-\u001f\u007f]/g, " ").slice(0, TITLE_CHARACTERS_MAX);
  return clean.trim() === "" ? "-" : clean;
}

function formatLines(track: PacketizedTrack): string[] {
  const { format, payloadType } = track;
  const map = (name: string, channels = 1) =>
    `a=rtpmap:${payloadType} ${name}/${track.clockRate}${channels > 1 ? `/${channels}` : ""}`;
  const parameters = parametersOf(format);
  return [
    map(encodingName(format), "channels" in format ? format.channels : 1),
    ...(parameters === "" ? [] : [`a=fmtp:${payloadType} ${parameters}`]),
    ...sizeLines(format, payloadType),
  ];
}

/** The size of JPEG pictures that RFC 2435 cannot express: 3GPP TS 26.234, 5.3.3.2, and what GStreamer reads. */
function sizeLines(format: MediaFormat, payloadType: number): string[] {
  if (!("width" in format) || format.codec !== Codec.MJPEG) return [];
  const { width, height } = format;
  if (Math.max(width, height) <= RTP_JPEG_SIDE_MAX) return [];
  return [`a=framesize:${payloadType} ${width}-${height}`, `a=x-dimensions:${width},${height}`];
}

function encodingName(format: MediaFormat): string {
  switch (format.codec) {
    case Codec.H264:
      return "H264";
    case Codec.H265:
      return "H265";
    case Codec.MPEG4:
      return "MP4V-ES";
    case Codec.MJPEG:
      return "JPEG";
    case Codec.PCMU:
      return "PCMU";
    case Codec.PCMA:
      return "PCMA";
    case Codec.AAC:
      return "mpeg4-generic";
    case Codec.L16:
      return "L16";
    case Codec.OPUS:
      return "opus";
  }
}

function parametersOf(format: MediaFormat): string {
  if ("sampleRate" in format) return soundParameters(format);
  if (format.codec === Codec.H264) return h264Parameters(format);
  if (format.codec === Codec.H265) return h265Parameters(format);
  return format.codec === Codec.MPEG4 ? mpeg4Parameters(format) : "";
}

function soundParameters(format: AudioFormat): string {
  // RFC 7587, 6.1: what is sent may have two channels.
  if (format.codec === Codec.OPUS) return "sprop-stereo=1";
  return format.codec === Codec.AAC ? aacParameters(format) : "";
}

/** RFC 6184, 8.2.1. */
function h264Parameters(format: VideoFormat): string {
  const nals = nalUnitsOf(format.initialization);
  const ofType = (type: number) => nals.filter((nal) => ((nal[0] ?? 0) & 0x1f) === type);
  const sets = [...ofType(H264_SPS), ...ofType(H264_PPS)];
  const [sps] = ofType(H264_SPS);
  return [
    "packetization-mode=1",
    ...(sps === undefined || sps.length < 4 ? [] : [`profile-level-id=${sps.toString("hex", 1, 4)}`]),
    ...(sets.length === 0 ? [] : [`sprop-parameter-sets=${base64List(sets)}`]),
  ].join(";");
}

/** RFC 7798, 7.1. */
function h265Parameters(format: VideoFormat): string {
  const nals = nalUnitsOf(format.initialization);
  const parameters: string[] = [];
  for (const [name, type] of [
    ["sprop-vps", H265_VPS],
    ["sprop-sps", H265_SPS],
    ["sprop-pps", H265_PPS],
  ] as const) {
    const sets = nals.filter((nal) => (((nal[0] ?? 0) >> 1) & 0x3f) === type);
    if (sets.length > 0) parameters.push(`${name}=${base64List(sets)}`);
  }
  return parameters.join(";");
}

function base64List(sets: readonly Buffer[]): string {
  return sets.map((set) => set.toString("base64")).join(",");
}

/** RFC 6416, 7.1. The profile and level follow the start code of the visual object sequence (00 00 01 B0). */
function mpeg4Parameters(format: VideoFormat): string {
  const config = Buffer.from(format.initialization);
  const sequence = config.indexOf(Buffer.from([0, 0, 1, 0xb0]));
  const level = sequence === -1 ? undefined : config[sequence + 4];
  const parameters = [`profile-level-id=${level ?? MPEG4_PROFILE_LEVEL_DEFAULT}`];
  if (config.length > 0) parameters.push(`config=${config.toString("hex").toUpperCase()}`);
  return parameters.join(";");
}

/** RFC 3640, 4.1, for mode AAC-hbr as `AacPacketizer` writes it. */
function aacParameters(format: AudioFormat): string {
  const config = Buffer.from(format.initialization).toString("hex").toUpperCase();
  return `streamtype=5;profile-level-id=1;mode=AAC-hbr;sizelength=13;indexlength=3;indexdeltalength=3;config=${config}`;
}
