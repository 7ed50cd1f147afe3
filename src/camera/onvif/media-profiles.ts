import type { VideoFormatName } from "../../site/index.js";
import type { DeviceAudioCodec, DeviceProfile, VideoSource } from "../description/device-description.js";
import type { XmlElement } from "../xml/xml-element.js";
import { numberOf } from "../xml/xml-element.js";

/** Maximum number of profiles and sources read from a device: enough for an encoder of 64 channels with two streams each. */
export const PROFILES_MAX = 160;
const SOURCES_MAX = 64;
/** Profiles that are tried of a device that says nothing of them: a camera has no more. */
const BARE_PROFILES_MAX = 8;
/** Larger sizes are invalid. */
const PIXELS_MAX = 32_768;

/**
 * Names of codecs in Media (ONVIF schema, VideoEncoding) and Media2 (MIME, VideoEncodingMimeNames), and as makers write them:
 * `H264H`, `Smart H.265+`, `video/avc`. In small letters and digits alone.
 */
const VIDEO_CODECS: readonly (readonly [RegExp, VideoFormatName])[] = [
  [/h264|avc|mpeg4part10/, "H264"],
  [/h265|hevc|mpeghpart2/, "Hevc"],
  [/^(?:video|motion)?m?jpe?g$/, "MJPEG"],
  [/^(?:video)?(?:mpeg4(?:part2|es|sp|asp)?|mpv4es|mp4ves)$/, "MPEG4_Part2"],
];
/** Words in the place of a name. */
const NAMES_NOTHING = /^(?:unknown|none|null|na|other|default|undefined|0)?$/;

const AUDIO_CODECS: readonly (readonly [RegExp, DeviceAudioCodec])[] = [
  [/^(?:audio)?(?:g711(?:a|u|mu|alaw|ulaw|mulaw)?|pcm[ua]|[au]law|mulaw)$/, "G711"],
  [/g726/, "G726"],
  [/aac|mp4alatm|mpeg4generic/, "AAC"],
];

/** The codec for the name reported by a device; undefined if nvrd does not know it. */
export function videoCodec(encoding: string): VideoFormatName | undefined {
  const name = plainName(encoding);
  return VIDEO_CODECS.find(([pattern]) => pattern.test(name))?.[1];
}

function plainName(encoding: string): string {
  return encoding.toLowerCase().replace(/[^a-z0-9]/g, "");
}

export function audioCodec(encoding: string): DeviceAudioCodec | undefined {
  const name = plainName(encoding);
  return AUDIO_CODECS.find(([pattern]) => pattern.test(name))?.[1];
}

/**
 * Reads GetProfilesResponse of Media and of Media2, which name the same things differently (`VideoEncoderConfiguration`, and
 * `VideoEncoder` in `Configurations`). Profiles without token or video are skipped: they cannot be recorded. One that has a
 * source and says nothing of its encoder may be: the stream says what it is. `triesBare`: so may those that report nothing at all,
 * of a device that has no others. Channel numbers follow `sources`, or the order of the profiles if the sources are unknown.
 */
export function profilesOf(
  response: XmlElement,
  sources: readonly VideoSource[],
  { triesBare = false }: { readonly triesBare?: boolean } = {},
): DeviceProfile[] {
  const numbers = new Map(sources.map((source) => [source.token, source.channelNumber]));
  const named = response.children("Profiles").filter((element) => element.attribute("token") !== "");
  const withVideo = named.filter(hasVideo).slice(0, PROFILES_MAX);
  const bare = triesBare && withVideo.length === 0 ? named.filter(isBare).slice(0, BARE_PROFILES_MAX) : [];
  return [...withVideo, ...bare].map((element) => profileOf(element, numbers));
}

/** Nothing is known of it: it may be of sound alone, or all that the device has. */
function isBare(profile: XmlElement): boolean {
  return profile.childNames.every((name) => name === "Name");
}

function hasVideo(element: XmlElement): boolean {
  const part = partsOf(element);
  return (part("VideoEncoder") ?? part("VideoSource")) !== undefined;
}

function profileOf(element: XmlElement, numbers: Map<string, number>): DeviceProfile {
  const token = element.attribute("token");
  const part = partsOf(element);
  const encoder = part("VideoEncoder");
  const videoSourceToken = part("VideoSource")?.text("SourceToken") ?? "";
  const named = encoder?.text("Encoding") ?? "";
  const encoding = NAMES_NOTHING.test(plainName(named)) ? "" : named;
  const audioEncoding = part("AudioEncoder")?.text("Encoding") ?? "";
  const sound = audioCodec(audioEncoding);
  const [width, height] = [
    pixels(encoder?.number("Resolution", "Width")),
    pixels(encoder?.number("Resolution", "Height")),
  ];
  return {
    token,
    name: element.text("Name"),
    videoSourceToken,
    sourceConfigurationToken: part("VideoSource")?.attribute("token") || undefined,
    channelNumber: channelNumber(videoSourceToken, numbers),
    codec: videoCodec(encoding),
    encoding,
    width: width ?? 0,
    height: height ?? 0,
    framesPerSecond: positive(encoder?.number("RateControl", "FrameRateLimit")),
    gopLength: encoder === undefined ? undefined : gopLength(encoder),
    bitrateLimit: positive(encoder?.number("RateControl", "BitrateLimit")),
    streamUri: undefined,
    snapshotUri: undefined,
    audioCodec: sound,
    ...(audioEncoding === "" || sound !== undefined ? {} : { audioEncoding }),
    ptzNodeToken: part("PTZ")?.text("NodeToken") || undefined,
    hasAnalytics: (part("Analytics") ?? part("VideoAnalytics")) !== undefined,
  };
}

/** The configurations of a profile, by Media2's names. */
export function partsOf(profile: XmlElement): (name: string) => XmlElement | undefined {
  const configurations = profile.child("Configurations");
  return (name) => configurations?.child(name) ?? profile.child(`${name}Configuration`);
}

function channelNumber(sourceToken: string, numbers: Map<string, number>): number {
  const known = numbers.get(sourceToken);
  if (known !== undefined) return known;
  const next = numbers.size + 1;
  numbers.set(sourceToken, next);
  return next;
}

function gopLength(encoder: XmlElement): number | undefined {
  return (
    positive(numberOf(encoder.attribute("GovLength"))) ??
    positive(encoder.number("H264", "GovLength")) ??
    positive(encoder.number("H265", "GovLength")) ??
    positive(encoder.number("MPEG4", "GovLength"))
  );
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

function pixels(value: number | undefined): number | undefined {
  return value !== undefined && Number.isInteger(value) && value > 0 && value <= PIXELS_MAX
    ? value
    : undefined;
}

/** Reads GetVideoSourcesResponse (ONVIF Media, 5.5.1). */
export function videoSourcesOf(response: XmlElement): VideoSource[] {
  const sources: VideoSource[] = [];
  for (const element of response.children("VideoSources").slice(0, SOURCES_MAX)) {
    const token = element.attribute("token");
    if (token === "" || sources.some((source) => source.token === token)) continue;
    sources.push({
      token,
      channelNumber: sources.length + 1,
      width: pixels(element.number("Resolution", "Width")),
      height: pixels(element.number("Resolution", "Height")),
      framesPerSecond: positive(element.number("Framerate")),
    });
  }
  return sources;
}

/** Adds sources that are referenced by profiles but missing in the device's list. */
export function withSourcesOfProfiles(
  sources: readonly VideoSource[],
  profiles: readonly DeviceProfile[],
): VideoSource[] {
  const all = new Map(sources.map((source) => [source.token, source]));
  for (const { videoSourceToken: token, channelNumber: number } of profiles) {
    const unknown = { width: undefined, height: undefined, framesPerSecond: undefined };
    if (!all.has(token)) all.set(token, { token, channelNumber: number, ...unknown });
  }
  return [...all.values()];
}
