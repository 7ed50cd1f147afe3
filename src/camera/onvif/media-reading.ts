import { CameraFailure } from "../description/camera-failure.js";
import type { DeviceProfile, DeviceServices, VideoSource } from "../description/device-description.js";
import type { AddressCorrection } from "./address-correction.js";
import type { DeviceQuestions } from "./device-questions.js";
import { askSnapshotUri, askStreamUri, type MediaService } from "./media-addresses.js";
import { profilesOf, videoSourcesOf, withSourcesOfProfiles } from "./media-profiles.js";
import { type PtzConfiguration, ptzConfigurationsOf } from "./ptz-configurations.js";

export interface MediaReading {
  readonly sources: readonly VideoSource[];
  readonly profiles: readonly DeviceProfile[];
  readonly media: MediaService;
  readonly ptzConfigurations: readonly PtzConfiguration[];
}

/** `Type` of Media2's GetProfiles: without it the answer has no configurations (Media2, 5.2.2). */
const ALL_CONFIGURATIONS = "<m:Type>All</m:Type>";

/**
 * Reads sources and profiles: from Media2, which supports H.265, otherwise from Media. Rejects with CameraFailure if neither
 * has any.
 */
export async function readMedia(questions: DeviceQuestions, services: DeviceServices): Promise<MediaReading> {
  let failure: CameraFailure | undefined;
  for (const service of mediaServices(services)) {
    try {
      const content = service.service === "media2" ? { content: ALL_CONFIGURATIONS } : {};
      const response = await questions.call({ ...service, operation: "GetProfiles", ...content });
      // Media2 returns no profiles where it does not know `Type`; then Media is asked.
      const how = { triesBare: service.service === "media" };
      if (profilesOf(response, [], how).length === 0) continue;
      const sources = await readSources(questions, services);
      const profiles = profilesOf(response, sources, how);
      const ptzConfigurations = ptzConfigurationsOf(response);
      return {
        profiles,
        sources: withSourcesOfProfiles(sources, profiles),
        media: service,
        ptzConfigurations,
      };
    } catch (error) {
      if (!(error instanceof CameraFailure) || questions.client.refusal !== undefined) throw error;
      failure ??= error;
    }
  }
  throw (
    failure ?? new CameraFailure("no-stream", "the device has no video profile: set one up on its web page")
  );
}

/** Called after the profiles: they are mandatory, so the first login attempt should be spent on them. */
async function readSources(
  questions: DeviceQuestions,
  { media }: DeviceServices,
): Promise<readonly VideoSource[]> {
  if (media === undefined) return [];
  const question = { service: "media", address: media, operation: "GetVideoSources" } as const;
  const listed = await questions.optional("the list of its video sources", () => questions.call(question));
  return listed === undefined ? [] : videoSourcesOf(listed);
}

function mediaServices(services: DeviceServices): MediaService[] {
  const found: MediaService[] = [];
  if (services.media2 !== undefined) found.push({ service: "media2", address: services.media2 });
  if (services.media !== undefined) found.push({ service: "media", address: services.media });
  // Some devices list no services and answer everything at one address.
  return found.length > 0 ? found : [{ service: "media", address: services.device }];
}

export interface AddressReadingOptions extends MediaReading {
  readonly services: DeviceServices;
  readonly correction: AddressCorrection;
  /** Ask for RTSP over TLS first. */
  readonly secure: boolean;
}

/** Adds the streams' addresses. If Media2 returns none for a profile, Media is asked for the same profile. */
export async function readStreamUris(
  questions: DeviceQuestions,
  options: AddressReadingOptions,
): Promise<DeviceProfile[]> {
  const { media, correction, services, secure } = options;
  const fallBack: MediaService | undefined =
    media.service === "media2" && services.media !== undefined
      ? { service: "media", address: services.media }
      : undefined;
  const ask = async (token: string, from: MediaService): Promise<string | undefined> => {
    const question = { media: from, token, secure, signal: questions.signal };
    const { uri, isTunnel } = await askStreamUri(questions.client, question);
    return isTunnel ? correction.tunnel(uri) : correction.rtsp(uri);
  };
  const profiles: DeviceProfile[] = [];
  for (const profile of options.profiles) {
    const what = `the stream address of profile ${nameOf(profile)}`;
    let streamUri = await questions.optional(what, () => ask(profile.token, media));
    if (streamUri === undefined && fallBack !== undefined) {
      streamUri = await questions.optional(what, () => ask(profile.token, fallBack));
    }
    profiles.push({ ...profile, streamUri });
  }
  return profiles;
}

/** Adds the snapshots' addresses. If the device does not return the first one, the others are not requested. */
export async function readSnapshotUris(
  questions: DeviceQuestions,
  options: AddressReadingOptions,
): Promise<DeviceProfile[]> {
  const { media, correction } = options;
  const profiles: DeviceProfile[] = [];
  let goesOn = true;
  for (const profile of options.profiles) {
    const answer = goesOn
      ? await questions.optional("its snapshot address", () =>
          askSnapshotUri(questions.client, { media, token: profile.token, signal: questions.signal }),
        )
      : undefined;
    if (answer === undefined) goesOn = false;
    profiles.push({ ...profile, snapshotUri: answer === undefined ? undefined : correction.http(answer) });
  }
  return profiles;
}

export function nameOf(profile: DeviceProfile): string {
  return profile.name === "" ? profile.token : profile.name;
}
