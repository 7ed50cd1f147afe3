import { Codec } from "../../live/index.js";
import { textElement, xmlText } from "../soap/soap-message.js";
import { configurationName, type Profile, TOKENS } from "./profiles.js";

/** What the media services of both versions say of a profile (ONVIF Media Service Specification; tt: the common schema). */

/** Rates of what a device does not encode itself are unknown; the schema asks for a number. */
const QUALITY = 5;
const SESSION_TIMEOUT = "PT60S";
const BITS_PER_SAMPLE = 8;
/** Of a group of pictures that nobody has counted. */
const GOP_LENGTH_UNKNOWN = 50;

/** Nothing is sent by multicast. */
const MULTICAST =
  "<tt:Multicast><tt:Address><tt:Type>IPv4</tt:Type><tt:IPv4Address>0.0.0.0</tt:IPv4Address></tt:Address>" +
  "<tt:Port>0</tt:Port><tt:TTL>0</tt:TTL><tt:AutoStart>false</tt:AutoStart></tt:Multicast>";

/** Names of codecs in the first version; it knows no others. */
const ENCODINGS: ReadonlyMap<Codec, string> = new Map([
  [Codec.H264, "H264"],
  [Codec.MPEG4, "MPEG4"],
  [Codec.MJPEG, "JPEG"],
]);
const SOUND_ENCODINGS: ReadonlyMap<Codec, string> = new Map([
  [Codec.PCMU, "G711"],
  [Codec.PCMA, "G711"],
  [Codec.AAC, "AAC"],
]);
/** Names in the second version (IANA media types). */
const ENCODINGS_2: ReadonlyMap<Codec, string> = new Map([
  [Codec.H264, "H264"],
  [Codec.H265, "H265"],
  [Codec.MPEG4, "MPV4-ES"],
  [Codec.MJPEG, "JPEG"],
]);
const SOUND_ENCODINGS_2: ReadonlyMap<Codec, string> = new Map([
  [Codec.PCMU, "PCMU"],
  [Codec.PCMA, "PCMA"],
  [Codec.AAC, "MP4A-LATM"],
  [Codec.L16, "L16"],
  [Codec.OPUS, "opus"],
]);

/** How recordings name codecs: as the first version does, where it knows them. */
export const RECORDED_VIDEO: ReadonlyMap<Codec, string> = new Map([...ENCODINGS_2, [Codec.MPEG4, "MPEG4"]]);
export const RECORDED_SOUND = SOUND_ENCODINGS;

/** A complete element; `name` with its prefix. */
type Element = (name: string, profile: Profile) => string;

function entity(name: string, token: string, title: string, content: string): string {
  return (
    `<${name} token="${xmlText(token)}">${textElement("tt:Name", configurationName(title))}` +
    `<tt:UseCount>1</tt:UseCount>${content}</${name}>`
  );
}

export function resolution({ video }: Pick<Profile, "video">): string {
  return `<tt:Resolution><tt:Width>${video?.width ?? 0}</tt:Width><tt:Height>${video?.height ?? 0}</tt:Height></tt:Resolution>`;
}

export const videoSourceConfiguration: Element = (name, { camera, video }) =>
  entity(
    name,
    TOKENS.videoSourceConfiguration(camera.id),
    camera.name,
    textElement("tt:SourceToken", TOKENS.videoSource(camera.id)) +
      `<tt:Bounds x="0" y="0" width="${video?.width ?? 0}" height="${video?.height ?? 0}"/>`,
  );

export const audioSourceConfiguration: Element = (name, { camera }) =>
  entity(
    name,
    TOKENS.audioSourceConfiguration(camera.id),
    camera.name,
    textElement("tt:SourceToken", TOKENS.audioSource(camera.id)),
  );

/** Token of a profile's video encoder. */
export function videoEncoderToken({ token }: Profile): string {
  return `vec_${token}`;
}

export function audioEncoderToken({ token }: Profile): string {
  return `aec_${token}`;
}

/** The first version's; empty for codecs that it does not know, and while nothing was received. */
export const videoEncoder: Element = (name, profile) => {
  const { video, gopLength = GOP_LENGTH_UNKNOWN, framesPerSecond } = profile;
  const encoding = video === undefined ? undefined : ENCODINGS.get(video.codec);
  if (video === undefined || encoding === undefined) return "";
  const rate =
    `<tt:RateControl><tt:FrameRateLimit>${framesPerSecond}</tt:FrameRateLimit>` +
    "<tt:EncodingInterval>1</tt:EncodingInterval><tt:BitrateLimit>0</tt:BitrateLimit></tt:RateControl>";
  const special = {
    H264: `<tt:H264><tt:GovLength>${gopLength}</tt:GovLength><tt:H264Profile>${h264Profile(profile)}</tt:H264Profile></tt:H264>`,
    MPEG4: `<tt:MPEG4><tt:GovLength>${gopLength}</tt:GovLength><tt:Mpeg4Profile>ASP</tt:Mpeg4Profile></tt:MPEG4>`,
  };
  const codec = encoding === "H264" || encoding === "MPEG4" ? special[encoding] : "";
  const content =
    `${textElement("tt:Encoding", encoding)}${resolution(profile)}${textElement("tt:Quality", QUALITY)}` +
    `${rate}${codec}${MULTICAST}${textElement("tt:SessionTimeout", SESSION_TIMEOUT)}`;
  return entity(name, videoEncoderToken(profile), profile.name, content);
};

export const audioEncoder: Element = (name, profile) => {
  const { audio } = profile;
  const encoding = audio === undefined ? undefined : SOUND_ENCODINGS.get(audio.codec);
  if (audio === undefined || encoding === undefined) return "";
  const content =
    textElement("tt:Encoding", encoding) +
    soundRates(audio) +
    MULTICAST +
    textElement("tt:SessionTimeout", SESSION_TIMEOUT);
  return entity(name, audioEncoderToken(profile), profile.name, content);
};

/** The second version's; empty while nothing was received. */
export const videoEncoder2: Element = (name, profile) => {
  const { video, gopLength, framesPerSecond } = profile;
  const encoding = video === undefined ? undefined : ENCODINGS_2.get(video.codec);
  if (video === undefined || encoding === undefined) return "";
  const gop = gopLength === undefined ? "" : ` GovLength="${gopLength}"`;
  return (
    `<${name} token="${xmlText(videoEncoderToken(profile))}"${gop}>` +
    `${textElement("tt:Name", profile.name)}<tt:UseCount>1</tt:UseCount>` +
    `${textElement("tt:Encoding", encoding)}${resolution(profile)}` +
    `<tt:RateControl><tt:FrameRateLimit>${framesPerSecond}</tt:FrameRateLimit><tt:BitrateLimit>0</tt:BitrateLimit></tt:RateControl>` +
    `${textElement("tt:Quality", QUALITY)}</${name}>`
  );
};

export const audioEncoder2: Element = (name, profile) => {
  const { audio } = profile;
  const encoding = audio === undefined ? undefined : SOUND_ENCODINGS_2.get(audio.codec);
  if (audio === undefined || encoding === undefined) return "";
  const content = textElement("tt:Encoding", encoding) + soundRates(audio);
  return entity(name, audioEncoderToken(profile), profile.name, content);
};

/** Kilobits and kilohertz. What AAC takes is not known: the rate is that of its samples at eight bits. */
function soundRates({
  sampleRate,
  channels,
}: {
  readonly sampleRate: number;
  readonly channels: number;
}): string {
  const kilohertz = Math.round(sampleRate / 1000);
  return `<tt:Bitrate>${kilohertz * BITS_PER_SAMPLE * channels}</tt:Bitrate><tt:SampleRate>${kilohertz}</tt:SampleRate>`;
}

/** `profile_idc`, the fourth byte of the first parameter set after its start code (ITU-T H.264, 7.3.2.1.1). */
function h264Profile({ video }: Profile): string {
  const bytes = video?.initialization ?? new Uint8Array(0);
  for (let at = 0; at + 4 < bytes.length; at++) {
    const isStart = bytes[at] === 0 && bytes[at + 1] === 0 && bytes[at + 2] === 1;
    if (isStart && ((bytes[at + 3] ?? 0) & 0x1f) === 7)
      return H264_PROFILES.get(bytes[at + 4] ?? 0) ?? "High";
  }
  return "High";
}

const H264_PROFILES: ReadonlyMap<number, string> = new Map([
  [66, "Baseline"],
  [77, "Main"],
  [88, "Extended"],
]);
