import * as v from "valibot";
import type { DeviceDescription, DeviceProfile, DeviceServices } from "../description/device-description.js";
import type { DeviceUrl } from "../soap/device-url.js";
import { clean, TEXT_LENGTH_MAX } from "../xml/xml-element.js";
import type { AddressCorrection } from "./address-correction.js";
import { audioCodec, videoCodec, withSourcesOfProfiles } from "./media-profiles.js";

const ADDRESS_LENGTH_MAX = 2048;
const PIXELS_MAX = 32_768;

/** Text from the device; empty if it is not a string (xml2js turns elements with attributes into objects). */
const TEXT = v.fallback(v.pipe(v.string(), v.maxLength(ADDRESS_LENGTH_MAX)), "");
const COUNT = v.fallback(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(PIXELS_MAX)), 0);
const NOTHING = null;

const PROFILE = v.object({
  token: v.pipe(v.string(), v.minLength(1), v.maxLength(TEXT_LENGTH_MAX)),
  name: TEXT,
  snapshot: TEXT,
  stream: v.object({ udp: TEXT, rtsp: TEXT }),
  video: v.object({
    source: v.nullable(v.object({ token: TEXT })),
    encoder: v.nullable(
      v.object({
        encoding: TEXT,
        framerate: COUNT,
        bitrate: v.fallback(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
        resolution: v.object({ width: COUNT, height: COUNT }),
      }),
    ),
  }),
  audio: v.object({ encoder: v.fallback(v.nullable(v.object({ encoding: TEXT })), NOTHING) }),
});

const ANSWER = v.object({
  information: v.object({
    Manufacturer: TEXT,
    Model: TEXT,
    FirmwareVersion: TEXT,
    SerialNumber: TEXT,
  }),
  profiles: v.array(PROFILE),
  services: v.object({ media: TEXT, ptz: TEXT, events: TEXT }),
});

type Answer = v.InferOutput<typeof ANSWER>;

export interface AnswerOptions {
  readonly reached: DeviceUrl;
  readonly address: string;
  readonly correction: AddressCorrection;
}

/** The description read by node-onvif, checked like all data from devices; undefined if unusable. */
export function descriptionOfAnswer(message: unknown, options: AnswerOptions): DeviceDescription | undefined {
  const parsed = v.safeParse(ANSWER, message);
  if (!parsed.success) return undefined;
  const { information, services } = parsed.output;
  const profiles = profilesOfAnswer(parsed.output, options.correction);
  if (!profiles.some((profile) => profile.streamUri !== undefined)) return undefined;
  const text = (value: string): string => clean(value).slice(0, TEXT_LENGTH_MAX);
  const found = servicesOfAnswer(services, options);
  return {
    manufacturer: text(information.Manufacturer),
    model: text(information.Model),
    firmware: text(information.FirmwareVersion),
    serial: text(information.SerialNumber),
    hardwareId: "",
    identity: undefined,
    host: options.reached.host,
    services: found,
    videoSources: withSourcesOfProfiles([], profiles),
    profiles,
    ptzNodes: [],
    events: found.events === undefined ? { kind: "none" } : { kind: "pull-point", address: found.events },
    tookDigest: false,
    clockOffsetMs: undefined,
    readBy: "node-onvif",
    warnings: [],
  };
}

function servicesOfAnswer(services: Answer["services"], options: AnswerOptions): DeviceServices {
  const corrected = Object.entries(services)
    .map(([name, address]) => [name, options.correction.http(address)] as const)
    .filter(([, address]) => address !== undefined);
  return { ...Object.fromEntries(corrected), device: options.address };
}

function profilesOfAnswer({ profiles }: Answer, correction: AddressCorrection): DeviceProfile[] {
  const numbers = new Map<string, number>();
  return profiles.flatMap((profile) => {
    const { encoder, source } = profile.video;
    if (encoder === null) return [];
    const videoSourceToken = source?.token ?? "";
    if (!numbers.has(videoSourceToken)) numbers.set(videoSourceToken, numbers.size + 1);
    const stream = profile.stream.rtsp === "" ? profile.stream.udp : profile.stream.rtsp;
    return {
      token: profile.token,
      name: clean(profile.name).slice(0, TEXT_LENGTH_MAX),
      videoSourceToken,
      channelNumber: numbers.get(videoSourceToken) ?? 1,
      codec: videoCodec(encoder.encoding),
      encoding: clean(encoder.encoding).slice(0, TEXT_LENGTH_MAX),
      width: encoder.resolution.width,
      height: encoder.resolution.height,
      framesPerSecond: encoder.framerate || undefined,
      gopLength: undefined,
      bitrateLimit: encoder.bitrate || undefined,
      streamUri: correction.rtsp(stream),
      snapshotUri: correction.http(profile.snapshot),
      audioCodec: audioCodec(profile.audio.encoder?.encoding ?? ""),
      ptzNodeToken: undefined,
      hasAnalytics: false,
    };
  });
}
