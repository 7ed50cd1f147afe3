import {
  type Clock,
  endsUnlessAborted,
  errorText,
  type Guid,
  type Log,
  NvrdError,
} from "../../base/index.js";
import { EVENT_TYPES, type EventInput, type EventLog } from "../../event/index.js";
import { Codec, type SlabPool } from "../../live/index.js";
import type { Codec as CodecLibrary } from "../../picture/index.js";
import {
  BackChannel,
  NetworkDialer,
  parseRtspUrl,
  RTSP_TIMEOUTS_DEFAULT,
  RtspFailure,
  type SoundWanted,
} from "../../rtsp/index.js";
import { type Camera, cameraOptions, type Site, type SiteStore } from "../../site/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import { type CameraDevices, questionOf } from "../device/camera-devices.js";
import { deviceClient } from "../device/device-client.js";
import { attemptLogin } from "../device/login-attempt.js";
import type { LoginBudgets } from "../device/login-budget.js";
import { type StreamAddress, sameTarget, streamTarget } from "../device/stream-address.js";
import { setOutputLevel } from "./output-level.js";
import { Speech, type SpeechEnd, type TalkLine } from "./speech.js";
import type { SpokenFormat } from "./spoken-sound.js";
import { createVoice } from "./voice.js";

/** Cameras that are spoken to at the same time. */
export const SPEECHES_MAX = 32;
/** Longest wait for the camera's answer to one request. */
const RESPONSE_MS_MAX = 5_000;
/** Longest wait until the camera listens: through its challenges, redirects and both transports. */
const OPEN_MS_MAX = 15_000;
/** How long the loudspeaker's level may take; then what is said is made louder or softer itself. */
const LEVEL_MS_MAX = 2_000;
const VOLUME_MAX = 100;
const FORBIDDEN = 403;

/** Who speaks, as an event names it. */
export type Speaker = NonNullable<EventInput["initiator"]>;

export interface TalkRequest {
  readonly channelId: Guid;
  /** What the speaker sends. */
  readonly format: SpokenFormat;
  readonly by: Speaker;
  /** What is said, where it has a name: of an announcement. */
  readonly subject?: string | undefined;
  /** Aborted when the speaker goes. */
  readonly signal: AbortSignal;
}

/** Sends sound to cameras. */
export interface Talk {
  /**
   * Resolves when the camera listens, within 15 s. Rejects with NvrdError: CONFLICT where it is switched off or somebody speaks
   * already, NOT_SUPPORTED where the camera takes no sound, NOT_AVAILABLE.
   */
  speak(request: TalkRequest): Promise<Speech>;
}

export interface TalkControlOptions {
  readonly site: Pick<SiteStore, "current" | "onChange">;
  readonly devices: Pick<CameraDevices, "described" | "knowledge" | "inspection" | "notes" | "acceptsKey">;
  readonly budgets: LoginBudgets;
  readonly events: Pick<EventLog, "raise">;
  readonly codec: CodecLibrary;
  readonly pool: SlabPool;
  readonly clock: Clock;
  readonly log: Log;
}

interface Talking {
  readonly speech: Speech;
  readonly by: Speaker;
  readonly address: StreamAddress;
}

/** Who speaks to which camera: one at a time to each. */
export class TalkControl implements Talk {
  readonly #options: TalkControlOptions;
  readonly #log: Log;
  readonly #talking = new Map<Guid, Talking>();
  readonly #stopping = new AbortController();

  constructor(options: TalkControlOptions) {
    this.#options = options;
    this.#log = options.log.child({ part: "talk" });
    options.site.onChange("talk", (site) => this.#follow(site));
  }

  /** Ends all speeches, and resolves when the sessions with the cameras are closed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const all = [...this.#talking.values()];
    for (const { speech } of all)
      speech.end(new NvrdError("NOT_AVAILABLE", "the recorder is being stopped", { hint: "" }));
    await Promise.all(all.map(({ speech }) => speech.ended));
  }

  async speak(request: TalkRequest): Promise<Speech> {
    const { channelId, format, by } = request;
    const { clock } = this.#options;
    if (request.signal.aborted) throw givenUp();
    const camera = this.#camera(channelId);
    const address = this.#address(camera);
    this.#requirePlace(camera);
    const log = this.#log.child({ channel: channelId });
    const speech = new Speech({
      ...{ format, clock, log },
      open: (onLost) => this.#open(camera, address, { format, signal: request.signal, onLost }),
    });
    this.#talking.set(channelId, { speech, by, address });
    let isReported = false;
    const onGone = (): void => speech.end(undefined);
    request.signal.addEventListener("abort", onGone, { once: true });
    void speech.ended.then((end) => {
      request.signal.removeEventListener("abort", onGone);
      this.#talking.delete(channelId);
      if (isReported) this.#reportEnd(camera, request, end);
    });
    try {
      await speech.begin();
    } catch (error) {
      const failure = asRefusal(error);
      speech.end(failure);
      await speech.ended;
      log.info({ reason: failure.message }, "a camera does not take sound");
      throw failure;
    }
    isReported = true;
    this.#report(EVENT_TYPES.talkStarted.id, camera, request, request.subject ?? "");
    return speech;
  }

  #requirePlace(camera: Camera): void {
    const present = this.#talking.get(camera.id);
    if (present !== undefined) {
      const text = `${present.by.name} is speaking to the channel ${camera.name}`;
      throw new NvrdError("CONFLICT", text, { hint: "wait until it has ended" });
    }
    if (this.#talking.size < SPEECHES_MAX) return;
    throw new NvrdError("TOO_MANY_REQUESTS", `${SPEECHES_MAX} cameras are spoken to already`);
  }

  #camera(channelId: Guid): Camera {
    const camera = this.#options.site.current.cameras.find(({ id }) => id === channelId);
    if (camera === undefined || camera.disabled || this.#stopping.signal.aborted)
      throw new NvrdError("NOT_AVAILABLE", "the channel is switched off", { hint: "" });
    if (!isOn(camera))
      throw new NvrdError("CONFLICT", `sound to the camera is switched off for channel ${camera.name}`, {
        hint: "switch SoundTransmittingEnabled on",
      });
    return camera;
  }

  #address(camera: Camera): StreamAddress {
    const target = streamTarget(camera, "Main", () => this.#options.devices.knowledge(camera));
    if (target?.kind === "address") return target.address;
    const reason = target?.kind === "lost" ? target.reason : "the camera is being asked what it can do";
    throw new NvrdError("NOT_AVAILABLE", reason, { hint: "try again in some seconds" });
  }

  async #open(
    camera: Camera,
    address: StreamAddress,
    speaking: {
      readonly format: SpokenFormat;
      readonly signal: AbortSignal;
      readonly onLost: (failure: RtspFailure) => void;
    },
  ): Promise<TalkLine> {
    const { codec, clock, devices } = this.#options;
    const late = new AbortController();
    const timer = clock.setTimeout(() => late.abort(), OPEN_MS_MAX);
    const signal = AbortSignal.any([speaking.signal, this.#stopping.signal, late.signal]);
    const { format, onLost } = speaking;
    const channel = this.#channel(camera, address, { format, onLost });
    try {
      const level = this.#setLevel(camera, signal);
      const wanted = await this.#connect(channel, address, signal);
      devices.notes.learnSound(camera, { isRefused: false });
      const gain = (await level) ? 1 : cameraOptions(camera).connection.soundVolume / VOLUME_MAX;
      if (wanted.codec === Codec.AAC || format.kind === "aac") await codec.prepare?.();
      const voice = createVoice({ channel, wanted, format, gain, codec, log: this.#log });
      return { channel, voice };
    } catch (error) {
      await channel.close();
      if (isWithoutSound(error)) devices.notes.learnSound(camera, { isRefused: true });
      throw late.signal.aborted ? tooLate() : error;
    } finally {
      timer.clear();
    }
  }

  #channel(
    camera: Camera,
    address: StreamAddress,
    { format, onLost }: { readonly format: SpokenFormat; readonly onLost: (failure: RtspFailure) => void },
  ): BackChannel {
    const { devices, pool, clock } = this.#options;
    const { url, login, password, secureOnly, ipv4Only, redirectsAnywhere } = address;
    const isOnvif = devices.inspection(camera) !== undefined;
    const parsed = parseRtspUrl(url);
    return new BackChannel({
      url: parsed,
      credentials: login === "" && password === "" ? parsed.credentials : { user: login, password },
      verifyCertificate: false,
      acceptsKey: devices.acceptsKey(camera),
      ...{ secureOnly, ipv4Only, redirectsAnywhere, pool, clock },
      digestOnly: isOnvif && devices.notes.of(camera)?.streamsTookDigest === true,
      dialer: new NetworkDialer(),
      log: this.#log.child({ channel: camera.id }),
      timeouts: { ...RTSP_TIMEOUTS_DEFAULT, responseMs: RESPONSE_MS_MAX },
      transports: ["tcp", "udp"],
      ...(format.kind === "aac" ? { spokenAac: format } : {}),
      onFailure: onLost,
    });
  }

  /** One try of the camera's login, of those that all parts share. */
  async #connect(channel: BackChannel, address: StreamAddress, signal: AbortSignal): Promise<SoundWanted> {
    const { device, login, password } = address;
    const onAbort = (): void => void channel.close();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await attemptLogin(
        this.#options.budgets,
        { login: { device, login, password }, signal },
        async () => {
          try {
            return await channel.open();
          } catch (error) {
            throw asLoginFailure(error);
          }
        },
      );
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Whether the device's own level was set. Never rejects. */
  async #setLevel(camera: Camera, signal: AbortSignal): Promise<boolean> {
    const { devices, budgets, clock } = this.#options;
    const description = devices.described(camera);
    if (description === undefined) return false;
    const question = questionOf(camera);
    const acceptsKey = devices.acceptsKey(camera);
    const client = deviceClient({ question, description, acceptsKey, clock, callTimeoutMs: LEVEL_MS_MAX });
    const timeout = new AbortController();
    const timer = clock.setTimeout(() => timeout.abort(), LEVEL_MS_MAX);
    const both = AbortSignal.any([signal, timeout.signal]);
    const volume = cameraOptions(camera).connection.soundVolume;
    let isSet = false;
    try {
      const { address: device, login, password } = question;
      const set = attemptLogin(budgets, { login: { device, login, password }, signal: both }, async () => {
        isSet = await setOutputLevel(client, description.services, { volume, signal: both });
      });
      await endsUnlessAborted(set, both);
    } catch (error) {
      this.#log.debug({ channel: camera.id, error: errorText(error) }, "the loudspeaker's level is not set");
    } finally {
      timer.clear();
      client.close();
    }
    return isSet;
  }

  #reportEnd(camera: Camera, request: TalkRequest, { seconds, reason }: SpeechEnd): void {
    const parts = [request.subject ?? "", `${seconds.toFixed(1)} s`, reason?.message ?? ""];
    this.#report(EVENT_TYPES.talkEnded.id, camera, request, parts.filter((part) => part !== "").join(": "));
  }

  #report(typeId: Guid, camera: Camera, { by }: TalkRequest, comment: string): void {
    this.#options.events.raise({
      ...{ typeId, channelId: camera.id, channelName: camera.name, comment, initiator: by },
    });
  }

  #follow(site: Site): void {
    for (const [id, { speech, address }] of this.#talking) {
      const camera = site.cameras.find((one) => one.id === id);
      if (camera !== undefined && !camera.disabled && isOn(camera) && this.#isAt(camera, address)) continue;
      const text = "the channel or its sound was switched off, or its address changed";
      speech.end(new NvrdError("CONFLICT", text, { hint: "" }));
    }
  }

  #isAt(camera: Camera, address: StreamAddress): boolean {
    const target = streamTarget(camera, "Main", () => this.#options.devices.knowledge(camera));
    return target?.kind !== "address" || sameTarget(target, { kind: "address", address });
  }
}

function givenUp(): NvrdError {
  return new NvrdError("NOT_AVAILABLE", "it was given up before the camera was asked", { hint: "" });
}

function tooLate(): NvrdError {
  const text = `the camera does not get ready to listen within ${OPEN_MS_MAX / 1000} s`;
  return new NvrdError("NOT_AVAILABLE", text, { hint: "try again, or restart the camera" });
}

/** Whether the camera has said that it has no back channel; other failures say nothing of that. */
function isWithoutSound(error: unknown): boolean {
  return error instanceof RtspFailure && error.kind === "unsupported";
}

function isOn(camera: Camera): boolean {
  return cameraOptions(camera).connection.soundTransmittingEnabled;
}

/** A password that the camera refused, as the budget of logins counts it; 403 says that the user may not speak. */
function asLoginFailure(error: unknown): unknown {
  if (!(error instanceof RtspFailure) || error.kind !== "unauthorized" || error.rtspStatus === FORBIDDEN)
    return error;
  return new CameraFailure("unauthorized", error.message, { cause: error });
}

function asRefusal(error: unknown): NvrdError {
  if (error instanceof RtspFailure && error.kind === "unsupported")
    return new NvrdError("NOT_SUPPORTED", error.message, { cause: error, hint: "" });
  if (error instanceof NvrdError) return error;
  return new NvrdError("INTERNAL", errorText(error), { cause: error });
}
