import {
  type Clock,
  type Guid,
  parseGuid,
  pauseUnlessAborted,
  STREAM_TYPES,
  type StreamType,
} from "../../base/index.js";
import {
  type AudioFormat,
  Codec,
  type LiveStream,
  type StreamDirectory,
  type Subscription,
  type VideoFormat,
} from "../../live/index.js";
import type { Camera, SiteStore } from "../../site/index.js";
import type { OnvifUser } from "../soap/onvif-user.js";
import { invalidArgument } from "../soap/soap-message.js";
import { pictureRate } from "./picture-rate.js";

/** How long an answer waits for streams that nobody watched since the start: they are connected to learn what they send. */
export const LEARN_MS_MAX = 3000;
const LEARN_POLL_MS = 100;
/** Streams that are connected for that at once. */
const LEARN_AT_ONCE_MAX = 16;
/** One that sent nothing is left alone so long. */
const LEARN_AGAIN_MS = 60_000;
/** Longest name of a configuration (tt:Name). */
const NAME_LENGTH_MAX = 64;
/** Reported for a camera whose pictures nobody has timed yet. */
const RATE_UNKNOWN = 25;

/** One stream of a camera, as it is offered to clients. */
export interface Profile {
  readonly token: string;
  readonly name: string;
  readonly camera: Camera;
  readonly streamType: StreamType;
  /** Undefined while the stream was not received yet. */
  readonly video: VideoFormat | undefined;
  readonly audio: AudioFormat | undefined;
  readonly framesPerSecond: number;
  /** Pictures from key frame to key frame; undefined while that is not known. */
  readonly gopLength: number | undefined;
}

/** Tokens of what belongs to a camera, by its id; at most 64 characters. */
export const TOKENS = {
  profile: (id: Guid, streamType: StreamType) => `${id}_${streamType}`,
  videoSource: (id: Guid) => `vs_${id}`,
  videoSourceConfiguration: (id: Guid) => `vsc_${id}`,
  audioSource: (id: Guid) => `as_${id}`,
  audioSourceConfiguration: (id: Guid) => `asc_${id}`,
  ptzNode: (id: Guid) => `node_${id}`,
  ptzConfiguration: (id: Guid) => `ptz_${id}`,
  input: (id: Guid) => `input_${id}`,
  relay: (id: Guid) => `relay_${id}`,
} as const;

export interface ProfilesOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly streams: StreamDirectory;
  readonly clock: Clock;
}

/** The cameras and their streams, as a user may have them. */
export class Profiles {
  readonly #options: ProfilesOptions;
  /** What streams sent when they were connected last: it is reported while they are not. */
  readonly #formats = new Map<string, Pick<Profile, "video" | "audio" | "framesPerSecond" | "gopLength">>();
  readonly #triedUs = new Map<string, number>();

  constructor(options: ProfilesOptions) {
    this.#options = options;
  }

  /** Cameras with a profile for the user, in the order of the configuration. */
  cameras(user: OnvifUser): readonly Camera[] {
    return this.#options.site.current.cameras.filter((camera) => this.#streamTypes(user, camera).length > 0);
  }

  /** All profiles of a user; waits a moment for formats that are not known. */
  async all(user: OnvifUser, signal: AbortSignal): Promise<readonly Profile[]> {
    const keys = this.cameras(user).flatMap((camera) =>
      this.#streamTypes(user, camera).map((streamType) => ({ camera, streamType })),
    );
    await this.#learn(keys, signal);
    return keys.map(({ camera, streamType }) => this.#profile(camera, streamType));
  }

  /** Throws SoapFault NoProfile. */
  async one(user: OnvifUser, token: string, signal: AbortSignal): Promise<Profile> {
    const found = this.find(user, token);
    if (found === undefined) throw invalidArgument("NoProfile", "there is no profile with this token");
    await this.#learn([found], signal);
    return this.#profile(found.camera, found.streamType);
  }

  /** The stream of a profile, without waiting. */
  find(user: OnvifUser, token: string): Pick<Profile, "camera" | "streamType"> | undefined {
    const [id = "", type = ""] = token.split("_", 2);
    const streamType = STREAM_TYPES.find((each) => each === type);
    const camera = this.camera(user, id);
    if (camera === undefined || streamType === undefined) return undefined;
    return this.#streamTypes(user, camera).includes(streamType) ? { camera, streamType } : undefined;
  }

  /** The camera with a profile for the user; `prefix`: what a token has before the camera's id. */
  camera(user: OnvifUser, token: string, prefix = ""): Camera | undefined {
    const id = token.startsWith(prefix) ? parseGuid(token.slice(prefix.length)) : undefined;
    return id === undefined ? undefined : this.cameras(user).find((camera) => camera.id === id);
  }

  #streamTypes(user: OnvifUser, camera: Camera): readonly StreamType[] {
    if (camera.disabled || !user.maySee(camera.id)) return [];
    const { streams } = this.#options;
    return STREAM_TYPES.filter(
      (streamType) =>
        user.mayWatch(camera.id, streamType) && streams.stream(camera.id, streamType) !== undefined,
    );
  }

  #profile(camera: Camera, streamType: StreamType): Profile {
    const live = this.#options.streams.stream(camera.id, streamType);
    const token = TOKENS.profile(camera.id, streamType);
    const now = live?.videoFormat === undefined ? undefined : formatsOf(live);
    if (now !== undefined) this.#formats.set(token, now);
    const known = now ?? this.#formats.get(token);
    return {
      ...{ token, camera, streamType },
      name: configurationName(streamType === "Main" ? camera.name : `${camera.name} ${streamType}`),
      ...(known ?? {
        video: undefined,
        audio: undefined,
        framesPerSecond: RATE_UNKNOWN,
        gopLength: undefined,
      }),
    };
  }

  /** Connects what was not received since the start, so that it can be described. */
  async #learn(keys: readonly Pick<Profile, "camera" | "streamType">[], signal: AbortSignal): Promise<void> {
    const { streams, clock } = this.#options;
    const nowUs = clock.monotonicUs();
    const unknown = keys.flatMap(({ camera, streamType }): LiveStream[] => {
      const stream = streams.stream(camera.id, streamType);
      const token = TOKENS.profile(camera.id, streamType);
      if (stream === undefined || stream.videoFormat !== undefined || this.#formats.has(token)) return [];
      const triedUs = this.#triedUs.get(token) ?? Number.NEGATIVE_INFINITY;
      return nowUs - triedUs < LEARN_AGAIN_MS * 1000 ? [] : [stream];
    });
    const now = unknown.slice(0, LEARN_AT_ONCE_MAX);
    for (const { key } of now) this.#triedUs.set(TOKENS.profile(key.channelId, key.streamType), nowUs);
    const looks: readonly Subscription[] = now.map((stream) =>
      stream.subscribe({ onFrame: () => undefined }, { fromGop: false, atOnce: true }),
    );
    try {
      const isKnown = () => now.every(({ videoFormat }) => (videoFormat?.width ?? 0) > 0);
      for (
        let waitedMs = 0;
        waitedMs < LEARN_MS_MAX && !isKnown() && !signal.aborted;
        waitedMs += LEARN_POLL_MS
      )
        await pauseUnlessAborted(clock, LEARN_POLL_MS, signal);
    } finally {
      for (const look of looks) look.close();
    }
  }
}

function formatsOf(stream: LiveStream): Pick<Profile, "video" | "audio" | "framesPerSecond" | "gopLength"> {
  const pictures = stream.gop.filter(({ isAudio }) => !isAudio);
  const isStill = stream.videoFormat?.codec === Codec.MJPEG;
  return {
    video: stream.videoFormat,
    audio: stream.audioFormat,
    framesPerSecond: pictureRate(pictures.map(({ decodeTimeUs }) => decodeTimeUs)) ?? RATE_UNKNOWN,
    gopLength: isStill ? 1 : undefined,
  };
}

/** A name of a configuration: one line, not empty. */
export function configurationName(text: string): string {
  const name = [...text.replace(/\p{Cc}+/gu, " ").trim()].slice(0, NAME_LENGTH_MAX).join("");
  return name === "" ? "camera" : name.slice(0, NAME_LENGTH_MAX);
}
