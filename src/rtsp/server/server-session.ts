import { randomBytes } from "node:crypto";
import type { Clock } from "../../base/index.js";
import type { Frame, Subscription } from "../../live/index.js";
import type { MountSink, MountSource } from "./mount.js";
import type { PacketizedTrack } from "./packetized-tracks.js";
import { type InterleavedChannels, SessionTrack } from "./session-track.js";

/** Most bytes that wait for one viewer; beyond it frames are dropped up to the next key frame that fits. */
export const VIEWER_QUEUE_BYTES_MAX = 2 * 1024 * 1024;

const SESSION_ID_BYTES = 12;
const CHANNEL_MAX = 255;

/** Where a session's bytes go: the connection it was set up on. */
export interface SessionOutput {
  /** Bytes that were written and are not sent yet. */
  readonly queuedBytes: number;
  write(bytes: Buffer): void;
  /** No more will come: closes the connection when what was written is sent. */
  finish(reason: string): void;
}

export interface ServerSessionOptions {
  readonly source: MountSource;
  readonly tracks: readonly PacketizedTrack[];
  readonly output: SessionOutput;
  readonly clock: Clock;
  readonly cname: string;
}

/**
 * One viewer of one mount: the tracks it has set up and whether it plays. Takes frames, never waits: what does not
 * fit its queue is dropped, video up to the next key frame.
 */
export class ServerSession implements MountSink {
  readonly id = randomBytes(SESSION_ID_BYTES).toString("hex");
  readonly source: MountSource;
  readonly #options: ServerSessionOptions;
  readonly #tracks = new Map<number, SessionTrack>();
  #subscription: Subscription | undefined;
  #playing = false;
  #awaitsKey = true;
  /** Sound waits for the first picture, so that a player does not start in the dark. */
  #awaitsVideo = false;
  #droppedFrames = 0;

  constructor(options: ServerSessionOptions) {
    this.#options = options;
    this.source = options.source;
  }

  get isPlaying(): boolean {
    return this.#playing;
  }

  get droppedFrames(): number {
    return this.#droppedFrames;
  }

  /** Tracks that the mount has. */
  get offeredTracks(): number {
    return this.#options.tracks.length;
  }

  /** The tracks that were set up, in the order of the SDP. */
  get tracks(): SessionTrack[] {
    return [...this.#tracks.values()].sort((one, other) => one.index - other.index);
  }

  /** Sets a track up, on the wanted channels where they are free. Undefined when the mount has no such track. */
  setUp(index: number, wanted: InterleavedChannels | undefined): SessionTrack | undefined {
    const packetized = this.#options.tracks[index];
    if (packetized === undefined) return undefined;
    this.#tracks.delete(index);
    const track = new SessionTrack({ index, packetized, channels: this.#freeChannels(wanted) });
    this.#tracks.set(index, track);
    return track;
  }

  /** Starts sending; harmless while playing. */
  play(): void {
    if (this.#playing) return;
    this.#playing = true;
    this.#awaitsKey = true;
    this.#awaitsVideo = this.tracks.some((track) => !track.packetized.isAudio);
    this.#subscription = this.source.open(this);
    // The source may have ended within `open`.
    if (!this.#playing) this.pause();
  }

  /** Stops sending and keeps the tracks; harmless while paused. */
  pause(): void {
    this.#playing = false;
    this.#subscription?.close();
    this.#subscription = undefined;
  }

  onFrame(frame: Frame): void {
    const track = this.#trackFor(frame);
    if (track === undefined || !this.#playing) return;
    if (frame.undecodable) this.#awaitsKey = true;
    if (frame.isAudio ? this.#awaitsVideo : this.#awaitsKey && (!frame.key || frame.damaged)) return;
    const batch = track.packetized.packetize(frame);
    const fits = batch !== undefined && this.#fits(batch.byteLength);
    if (!fits) this.#droppedFrames += 1;
    if (!frame.isAudio) this.#awaitsKey = !fits;
    if (!fits) return;
    if (!frame.isAudio) this.#awaitsVideo = false;
    const monotonicUs = this.#options.clock.monotonicUs();
    this.#options.output.write(track.stamp(batch, frame, monotonicUs));
    this.sendDueReports(monotonicUs);
  }

  /** A fault in sending a frame: the viewer is told the stream is over. */
  onDropped(): void {
    this.onEnd("the server cannot go on");
  }

  onEnd(reason: string): void {
    if (!this.#playing) return;
    this.pause();
    const monotonicUs = this.#options.clock.monotonicUs();
    for (const track of this.#tracks.values()) {
      this.#options.output.write(track.farewell(monotonicUs, this.#options.cname));
    }
    this.#options.output.finish(reason);
  }

  /** Writes the sender reports that are due. Bounded by the period: goes out even when frames are dropped. */
  sendDueReports(monotonicUs: number): void {
    if (!this.#playing) return;
    for (const track of this.#tracks.values()) {
      const report = track.dueReport(monotonicUs, this.#options.cname);
      if (report !== undefined) this.#options.output.write(report);
    }
  }

  #trackFor(frame: Frame): SessionTrack | undefined {
    for (const track of this.#tracks.values()) {
      if (track.packetized.isAudio === frame.isAudio) return track;
    }
    return undefined;
  }

  /** One frame is always taken by an empty queue, however large; the packetizer bounds it. */
  #fits(byteLength: number): boolean {
    const { queuedBytes } = this.#options.output;
    return queuedBytes === 0 || queuedBytes + byteLength <= VIEWER_QUEUE_BYTES_MAX;
  }

  #freeChannels(wanted: InterleavedChannels | undefined): InterleavedChannels {
    const taken = new Set([...this.#tracks.values()].flatMap((track) => track.channels));
    if (wanted !== undefined && !wanted.some((channel) => taken.has(channel))) return wanted;
    for (let channel = 0; channel < CHANNEL_MAX; channel += 2) {
      if (!taken.has(channel) && !taken.has(channel + 1)) return [channel, channel + 1];
    }
    throw new RangeError("a session has more tracks than channels");
  }
}
