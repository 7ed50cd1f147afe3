import { STREAM_TYPES, type StreamType } from "../../base/index.js";
import type { Camera, StreamSettings } from "../../site/index.js";
import { type DeviceProfile, isUsable } from "../description/device-description.js";
import { channelNumberOf } from "./channel-number.js";

/** The profile of each enabled stream that got one. */
export type ProfileChoice = Readonly<Partial<Record<StreamType, DeviceProfile>>>;

/** The default format of a new camera; it does not express a choice of codec. */
export const FORMAT_DEFAULT = "H264";
/** Frame rates that differ by less are equal: some devices report what they measured. */
const SAME_RATE_SHARE = 0.9;

/**
 * Chooses a profile for each enabled stream among those of one video source. A profile named in the configuration comes first.
 * Then by resolution: Main gets the largest, each further stream the next smaller one. Of profiles with equal resolution, the
 * one with the stream's codec is taken, then the higher frame rate, then the one that the device names first. A stream whose format is not H.264 gets a profile with that
 * codec, if one is left, even if a larger one exists.
 */
export function chooseProfiles(
  streams: Readonly<Record<StreamType, Pick<StreamSettings, "enabled" | "format" | "profileToken">>>,
  profiles: readonly DeviceProfile[],
): ProfileChoice {
  const usable = profiles.filter(isUsable);
  const chosen: Partial<Record<StreamType, DeviceProfile>> = {};
  const left = new Set(usable);
  const enabled = STREAM_TYPES.filter((type) => streams[type].enabled);
  for (const type of enabled) {
    const named = usable.find((profile) => profile.token === streams[type].profileToken);
    if (named === undefined) continue;
    chosen[type] = named;
    left.delete(named);
  }
  let area = Number.POSITIVE_INFINITY;
  for (const type of enabled) {
    const profile = chosen[type] ?? nextProfile([...left], streams[type].format, area);
    if (profile === undefined) continue;
    chosen[type] = profile;
    left.delete(profile);
    area = areaOf(profile);
  }
  return chosen;
}

/** The profile of one stream of a camera; undefined if none is left for it. */
export function profileOf(
  camera: Camera,
  streamType: StreamType,
  profiles: readonly DeviceProfile[],
): DeviceProfile | undefined {
  return chooseProfiles(camera.connection.streams, profilesOfChannel(camera, profiles))[streamType];
}

/** The profiles of the camera's video source. */
export function profilesOfChannel(
  camera: Camera,
  profiles: readonly DeviceProfile[],
): readonly DeviceProfile[] {
  const channel = channelNumberOf(camera);
  return profiles.filter((profile) => profile.channelNumber === channel);
}

function nextProfile(
  left: readonly DeviceProfile[],
  format: StreamSettings["format"],
  areaBefore: number,
): DeviceProfile | undefined {
  const smaller = left.filter((profile) => areaOf(profile) < areaBefore);
  const candidates = smaller.length > 0 ? smaller : left;
  const ofCodec = candidates.filter((profile) => profile.codec === format);
  if (format !== FORMAT_DEFAULT && ofCodec.length > 0) return best(ofCodec, format);
  return best(candidates, format);
}

function best(
  profiles: readonly DeviceProfile[],
  format: StreamSettings["format"],
): DeviceProfile | undefined {
  const rate = (profile: DeviceProfile): number => profile.framesPerSecond ?? 0;
  const fits = (profile: DeviceProfile): number => (profile.codec === format ? 1 : 0);
  const [first, ...others] = profiles.toSorted(
    (one, other) => areaOf(other) - areaOf(one) || fits(other) - fits(one),
  );
  if (first === undefined) return undefined;
  const equal = [
    first,
    ...others.filter((other) => areaOf(other) === areaOf(first) && fits(other) === fits(first)),
  ];
  const fastest = Math.max(...equal.map(rate));
  return equal.find((profile) => rate(profile) >= SAME_RATE_SHARE * fastest);
}

function areaOf(profile: DeviceProfile): number {
  return profile.width * profile.height;
}
