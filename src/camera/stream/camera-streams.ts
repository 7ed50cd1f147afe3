import {
  type Clock,
  type ClockTimer,
  type Guid,
  type Log,
  STREAM_TYPES,
  type StreamKey,
  type StreamType,
  streamKeyText,
} from "../../base/index.js";
import type { LostCause } from "../../contract/answer/index.js";
import {
  Codec,
  type GopStore,
  LiveStream,
  type StreamDirectory,
  type StreamState,
} from "../../live/index.js";
import type { Camera, Site, SiteStore, VideoFormatName } from "../../site/index.js";
import type { CameraDevices } from "../device/camera-devices.js";
import { streamTarget } from "../device/stream-address.js";
import { ManagedStream, type SourceFactory } from "./managed-stream.js";

/** Causes that may go away when the device is asked again. */
const ASKED_AGAIN: ReadonlySet<LostCause | undefined> = new Set<LostCause>([
  "no-stream",
  "unreachable",
  "interrupted",
  "unsupported",
]);

/** How often streams that stay lost have their device asked; how much later each time is the device's matter. */
const LOST_LOOK_MS = 10_000;

/** The configuration's words for codecs. */
const FORMATS: ReadonlyMap<Codec, VideoFormatName> = new Map([
  [Codec.H264, "H264"],
  [Codec.H265, "Hevc"],
  [Codec.MPEG4, "MPEG4_Part2"],
  [Codec.MJPEG, "MJPEG"],
]);

export interface CameraStreamsOptions {
  readonly site: SiteStore;
  /** Provides the streams of ONVIF cameras; started and stopped together with the streams. */
  readonly devices: CameraDevices;
  readonly createSource: SourceFactory;
  /** Where pictures are that need not stay in memory because they are recorded; default: all stay. */
  readonly gopStore?: GopStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** The live streams of all cameras. They follow the configuration; a change affects only the streams concerned. */
export class CameraStreams implements StreamDirectory {
  readonly #options: CameraStreamsOptions;
  readonly #streams = new Map<string, ManagedStream>();
  readonly #closing = new Set<Promise<void>>();
  #running = false;
  #timer: ClockTimer | undefined;

  constructor(options: CameraStreamsOptions) {
    this.#options = options;
    options.site.onChange("cameras", (site) => this.#follow(site));
    options.devices.onChange(() => this.#follow(options.site.current));
  }

  start(): void {
    this.#running = true;
    this.#timer = this.#options.clock.setInterval(() => this.#lookAfterLost(), LOST_LOOK_MS);
    this.#follow(this.#options.site.current);
  }

  /** Resolves when every camera's connection is closed. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#timer?.clear();
    for (const key of [...this.#streams.keys()]) this.#remove(key);
    await Promise.all([...this.#closing, this.#options.devices.stop()]);
  }

  stream(channelId: Guid, streamType: StreamType): LiveStream | undefined {
    return this.#streams.get(streamKeyText({ channelId, streamType }))?.stream;
  }

  /** All streams that exist now, connected or not. */
  all(): LiveStream[] {
    return [...this.#streams.values()].map((managed) => managed.stream);
  }

  #follow(site: Site): void {
    if (!this.#running) return;
    this.#options.devices.follow(site);
    const wanted = new Set<string>();
    for (const camera of site.cameras) {
      for (const streamType of STREAM_TYPES) this.#followStream(camera, streamType, wanted);
    }
    for (const key of [...this.#streams.keys()]) if (!wanted.has(key)) this.#remove(key);
  }

  #followStream(camera: Camera, streamType: StreamType, wanted: Set<string>): void {
    const { createSource, gopStore, clock, log, devices } = this.#options;
    const target = streamTarget(camera, streamType, () => devices.knowledge(camera));
    if (target === undefined) return;
    const streamKey = { channelId: camera.id, streamType };
    const key = streamKeyText(streamKey);
    wanted.add(key);
    const existing = this.#streams.get(key);
    if (existing !== undefined) {
      existing.setTarget(target);
      return;
    }
    const stream = new LiveStream(streamKey, log, gopStore);
    stream.onCodec((codec) => this.#learnFormat(streamKey, codec));
    stream.onState((state) => this.#onState(camera.id, state));
    this.#streams.set(key, new ManagedStream({ stream, target, createSource, clock, log }));
  }

  /** The address of the stream may have changed, so the device is asked again. */
  #onState(channelId: Guid, state: StreamState): void {
    const isLost = isAskedAgain(state);
    if (!isLost && state.state !== "active") return;
    const { site, devices } = this.#options;
    const camera = site.current.cameras.find((candidate) => candidate.id === channelId);
    const inspection = camera === undefined ? undefined : devices.inspection(camera);
    if (isLost) inspection?.refresh();
    else inspection?.recovered();
  }

  #learnFormat({ channelId, streamType }: StreamKey, codec: Codec): void {
    const { site, devices } = this.#options;
    const camera = site.current.cameras.find(({ id }) => id === channelId);
    const format = FORMATS.get(codec);
    if (camera !== undefined && format !== undefined) devices.notes.learnFormat(camera, streamType, format);
  }

  /** A stream that fails for the same reason as before says nothing more of itself. */
  #lookAfterLost(): void {
    for (const { stream } of this.#streams.values()) {
      if (isAskedAgain(stream.state)) this.#onState(stream.key.channelId, stream.state);
    }
  }

  #remove(key: string): void {
    const managed = this.#streams.get(key);
    if (managed === undefined) return;
    this.#streams.delete(key);
    const closing = managed.close();
    this.#closing.add(closing);
    closing.finally(() => this.#closing.delete(closing));
  }
}

function isAskedAgain(state: StreamState): boolean {
  return state.state === "lost" && ASKED_AGAIN.has(state.cause);
}
