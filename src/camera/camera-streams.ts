import {
  type Clock,
  type Guid,
  type Log,
  STREAM_TYPES,
  type StreamType,
  streamKeyText,
} from "../base/index.js";
import { LiveStream, type StreamDirectory } from "../live/index.js";
import type { Camera, Site, SiteStore } from "../site/index.js";
import { ManagedStream, type SourceFactory } from "./managed-stream.js";
import { streamAddress } from "./stream-address.js";

export interface CameraStreamsOptions {
  readonly site: SiteStore;
  readonly createSource: SourceFactory;
  readonly clock: Clock;
  readonly log: Log;
}

/** The live streams of all cameras, following the configuration: a change touches only the streams it concerns. */
export class CameraStreams implements StreamDirectory {
  readonly #options: CameraStreamsOptions;
  readonly #streams = new Map<string, ManagedStream>();
  readonly #closing = new Set<Promise<void>>();
  #running = false;

  constructor(options: CameraStreamsOptions) {
    this.#options = options;
    options.site.onChange((site) => this.#follow(site));
  }

  start(): void {
    this.#running = true;
    this.#follow(this.#options.site.current);
  }

  /** Resolves when every camera's connection is closed. */
  async stop(): Promise<void> {
    this.#running = false;
    for (const key of [...this.#streams.keys()]) this.#remove(key);
    await Promise.all(this.#closing);
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
    const wanted = new Set<string>();
    for (const camera of site.cameras) {
      for (const streamType of STREAM_TYPES) this.#followStream(camera, streamType, wanted);
    }
    for (const key of [...this.#streams.keys()]) if (!wanted.has(key)) this.#remove(key);
  }

  #followStream(camera: Camera, streamType: StreamType, wanted: Set<string>): void {
    const address = streamAddress(camera, streamType);
    if (address === undefined) return;
    const streamKey = { channelId: camera.id, streamType };
    const key = streamKeyText(streamKey);
    wanted.add(key);
    const existing = this.#streams.get(key);
    if (existing !== undefined) {
      existing.setAddress(address);
      return;
    }
    const { createSource, clock, log } = this.#options;
    const stream = new LiveStream(streamKey, log);
    this.#streams.set(key, new ManagedStream({ stream, address, createSource, clock, log }));
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
