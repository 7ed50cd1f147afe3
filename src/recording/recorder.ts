import type { ArchiveAccess } from "../archive/index.js";
import type { Clock, Guid, Log, StreamType } from "../base/index.js";
import type { StreamDirectory } from "../live/index.js";
import { archiveStreamType, type Camera, keptSettings, type Site, type SiteStore } from "../site/index.js";
import { ChannelRecorder } from "./channel-recorder.js";

export interface RecorderOptions {
  readonly site: SiteStore;
  readonly streams: StreamDirectory;
  readonly archive: ArchiveAccess;
  readonly clock: Clock;
  readonly log: Log;
}

/** Keeps every channel recorded that the configuration says is to be recorded. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #recorders = new Map<Guid, ChannelRecorder>();
  readonly #stopping = new Set<Promise<void>>();
  #running = false;

  /** Make it after the StreamDirectory: both follow the configuration, in the order they were made. */
  constructor(options: RecorderOptions) {
    this.#options = options;
    options.site.onChange((site) => this.#follow(site));
  }

  start(): void {
    this.#running = true;
    this.#follow(this.#options.site.current);
  }

  /** Resolves when all that was recorded is durable. */
  async stop(): Promise<void> {
    this.#running = false;
    for (const channelId of [...this.#recorders.keys()]) this.#stopChannel(channelId);
    await Promise.all(this.#stopping);
  }

  /** True while the channel's frames go to the archive. */
  isRecording(channelId: Guid): boolean {
    return this.#recorders.get(channelId)?.stream.state.state === "active";
  }

  #follow(site: Site): void {
    if (!this.#running) return;
    const wanted = new Set<Guid>();
    for (const camera of site.cameras) {
      if (camera.disabled || camera.archive.archivingDisabled || camera.archive.archivingMode !== "AlwaysOn")
        continue;
      wanted.add(camera.id);
      this.#followCamera(camera, archiveStreamType(camera));
    }
    for (const channelId of [...this.#recorders.keys()])
      if (!wanted.has(channelId)) this.#stopChannel(channelId);
  }

  #followCamera(camera: Camera, streamType: StreamType): void {
    const stream = this.#options.streams.stream(camera.id, streamType);
    const withSound = camera.connection.soundReceivingEnabled && !camera.archive.archivingSoundDisabled;
    const { frameRateLimitEnabled, frameRateLimit } = keptSettings(camera).archive;
    const limit = frameRateLimitEnabled ? { framesPerSecond: frameRateLimit } : undefined;
    const existing = this.#recorders.get(camera.id);
    if (existing !== undefined && existing.stream === stream) {
      existing.withSound = withSound;
      existing.setLimit(limit);
      return;
    }
    this.#stopChannel(camera.id);
    if (stream === undefined) return;
    const { archive, clock, log } = this.#options;
    this.#recorders.set(camera.id, new ChannelRecorder({ stream, archive, withSound, limit, clock, log }));
  }

  #stopChannel(channelId: Guid): void {
    const recorder = this.#recorders.get(channelId);
    if (recorder === undefined) return;
    this.#recorders.delete(channelId);
    const stopping = recorder.stop();
    this.#stopping.add(stopping);
    stopping.finally(() => this.#stopping.delete(stopping));
  }
}
