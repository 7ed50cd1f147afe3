import { randomBytes } from "node:crypto";
import type { Clock } from "../../base/index.js";
import type { Frame, Subscription } from "../../live/index.js";
import { FrameBacklog } from "./frame-backlog.js";
import type { MountSource, Playback, PlaybackSink, RecordedMark } from "./mount.js";
import type { PacketizedTrack } from "./packetized-tracks.js";
import type { PlayOrder } from "./play-order.js";
import { PlaybackTimeline } from "./playback-timeline.js";
import { replayExtension } from "./replay-extension.js";
import { SessionTrack } from "./session-track.js";
import {
  type InterleavedChannels,
  InterleavedDelivery,
  type SessionOutput,
  type TrackDelivery,
} from "./track-delivery.js";

export type { SessionOutput } from "./track-delivery.js";

const SESSION_ID_BYTES = 12;
const CHANNEL_MAX = 255;

export interface ServerSessionOptions {
  readonly source: MountSource;
  readonly tracks: readonly PacketizedTrack[];
  readonly output: SessionOutput;
  readonly clock: Clock;
  readonly cname: string;
}

/** A PLAY of a recording that was granted. */
export interface GrantedPlay {
  readonly playback: Playback;
  readonly order: PlayOrder;
  readonly cseq: number;
}

/**
 * One viewer of one mount: the tracks it has set up and whether it plays. Live frames that it does not read are queued
 * up to a limit; then they are dropped, video up to the next key frame. A playback waits for it.
 */
export class ServerSession implements PlaybackSink {
  readonly id = randomBytes(SESSION_ID_BYTES).toString("hex");
  readonly source: MountSource;
  onRoom: (() => void) | undefined;
  /** Whether packets carry the replay extension, requested by the client in SETUP. */
  isReplay = false;
  readonly #options: ServerSessionOptions;
  readonly #tracks = new Map<number, SessionTrack>();
  /** Of `#tracks`, which are looked at for each frame. */
  #videoTrack: SessionTrack | undefined;
  #audioTrack: SessionTrack | undefined;
  readonly #channels = new Map<number, InterleavedChannels>();
  readonly #backlog = new FrameBacklog();
  readonly #timeline = new PlaybackTimeline();
  #subscription: Subscription | undefined;
  #playing = false;
  #opening = false;
  #awaitsKey = true;
  /** Audio waits for the first video frame, so that a player does not start without a picture. */
  #awaitsVideo = false;
  #droppedFrames = 0;
  #sentUs: number | undefined;
  #playCseq = 0;

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

  /** Number of tracks of the mount. */
  get offeredTracks(): number {
    return this.#options.tracks.length;
  }

  /** The tracks that were set up, in the order of the SDP. */
  get tracks(): SessionTrack[] {
    return [...this.#tracks.values()].sort((one, other) => one.index - other.index);
  }

  get isBusy(): boolean {
    for (const track of this.#tracks.values()) if (!track.delivery.hasRoom) return true;
    return false;
  }

  /** Decode time of the newest recorded frame that was sent; undefined before the first. */
  get sentUs(): number | undefined {
    return this.#sentUs;
  }

  /** Sets up a track on the requested channels, if they are free. Undefined if the mount has no such track. */
  setUpInterleaved(index: number, wanted: InterleavedChannels | undefined): SessionTrack | undefined {
    if (this.#options.tracks[index] === undefined) return undefined;
    this.#channels.delete(index);
    const channels = this.#freeChannels(wanted);
    this.#channels.set(index, channels);
    return this.setUp(index, new InterleavedDelivery(this.#options.output, channels));
  }

  /** Sets up a track. If the mount has no such track, closes the delivery and returns undefined. */
  setUp(index: number, delivery: TrackDelivery): SessionTrack | undefined {
    const packetized = this.#options.tracks[index];
    this.#tracks.get(index)?.delivery.close();
    this.#tracks.delete(index);
    this.#findTracks();
    if (packetized === undefined) {
      delivery.close();
      return undefined;
    }
    const onFailed = (reason: string) => this.onEnd(reason);
    const track = new SessionTrack({ index, packetized, delivery, onFailed });
    this.#tracks.set(index, track);
    this.#findTracks();
    return track;
  }

  /** Starts sending; harmless while playing. */
  play(): void {
    if (this.#playing) return;
    this.#playing = true;
    this.#awaitsKey = true;
    this.#awaitsVideo = this.tracks.some((track) => !track.packetized.isAudio);
    this.#opening = true;
    try {
      this.#subscription = this.source.open(this);
    } finally {
      this.#opening = false;
    }
    // The source may have ended within `open`.
    if (!this.#playing) this.pause();
  }

  /** The first RTP timestamp of each track for a granted play. */
  prepare({ playback, order }: GrantedPlay): ReadonlyMap<SessionTrack, number> {
    this.pause();
    this.#timeline.begin({ scale: order.scale, continues: order.afterUs !== undefined });
    const mediaUs = this.#timeline.at(playback.firstUs);
    return new Map(this.tracks.map((track) => [track, track.timestampOf(mediaUs)]));
  }

  /** Starts the granted play, after `prepare`. */
  playRecording({ playback, cseq }: GrantedPlay): void {
    this.#playing = true;
    this.#playCseq = cseq;
    for (const track of this.#tracks.values()) track.reportSoon();
    this.#subscription = playback.start(this);
  }

  /** Stops sending and keeps the tracks; harmless while paused. What was to be sent already goes out before that. */
  pause(): void {
    for (const track of this.#tracks.values()) track.packetized.fanOut.flush();
    this.#playing = false;
    this.#subscription?.close();
    this.#subscription = undefined;
    this.onRoom = undefined;
    this.#backlog.clear();
  }

  /** Ends the session and releases what its tracks hold. */
  close(): void {
    this.pause();
    for (const track of this.#tracks.values()) track.delivery.close();
    this.#tracks.clear();
    this.#findTracks();
  }

  /** The viewer has read something: sends what waits. */
  onDrained(): void {
    this.#pump();
    if (this.onRoom !== undefined && !this.isBusy) this.onRoom();
  }

  onFrame(frame: Frame): void {
    const track = this.#trackFor(frame);
    if (track === undefined || !this.#playing) return;
    if (frame.undecodable) this.#awaitsKey = true;
    if (frame.isAudio ? this.#awaitsVideo : this.#awaitsKey && (!frame.key || frame.undecodable)) return;
    if (!frame.isAudio) {
      this.#awaitsKey = false;
      this.#awaitsVideo = false;
    }
    if (this.#backlog.length === 0 && track.delivery.hasRoom) this.#send(track, frame);
    else this.#keep(frame);
  }

  onRecorded(frame: Frame, mark: RecordedMark): void {
    if (!this.#playing) return;
    const wallUs = frame.decodeTimeUs + frame.presentationOffsetUs;
    const mediaUs = this.#timeline.take(wallUs, mark.isJump);
    if (!frame.isAudio) this.#sentUs = frame.decodeTimeUs;
    const track = this.#trackFor(frame);
    if (track === undefined) return;
    const batch = track.packetized.packetize(frame, mediaUs);
    if (batch === undefined) {
      this.#droppedFrames += 1;
      return;
    }
    const fields = { timeUs: wallUs, isKey: frame.key, cseq: this.#playCseq, ...mark };
    const monotonicUs = this.#options.clock.monotonicUs();
    const sent = { mediaUs, wallUs, monotonicUs, continues: false };
    track.send(batch, sent, this.isReplay ? replayExtension(fields) : undefined);
    if (mark.isJump) for (const each of this.#tracks.values()) each.reportSoon();
    this.sendDueReports(monotonicUs);
  }

  /** Sending a frame failed: ends the viewer's stream. */
  onDropped(): void {
    this.onEnd("the server cannot continue the stream");
  }

  onFinished(): void {
    if (!this.#playing) return;
    this.pause();
    this.#sendGoodbyes();
  }

  onEnd(reason: string): void {
    if (!this.#playing) return;
    this.pause();
    this.#sendGoodbyes();
    this.#options.output.finish(reason);
  }

  /** Writes the sender reports that are due, even while frames are dropped; at most one per period. */
  sendDueReports(monotonicUs: number): void {
    if (!this.#playing) return;
    this.#videoTrack?.sendDueReport(monotonicUs, this.#options.cname);
    this.#audioTrack?.sendDueReport(monotonicUs, this.#options.cname);
  }

  #sendGoodbyes(): void {
    const monotonicUs = this.#options.clock.monotonicUs();
    for (const track of this.#tracks.values()) track.sendGoodbye(monotonicUs, this.#options.cname);
  }

  #send(track: SessionTrack, frame: Frame): void {
    const batch = track.packetized.packetize(frame);
    if (batch === undefined) {
      this.#droppedFrames += 1;
      if (!frame.isAudio) this.#awaitsKey = true;
      return;
    }
    const sent = track.packetized.liveTimes(frame, this.#options.clock);
    track.sendNewest(batch, sent);
    this.sendDueReports(sent.monotonicUs);
  }

  /** Queues the frame; if the viewer is too far behind, drops it and the whole queue. */
  #keep(frame: Frame): void {
    const sinceUs = this.#options.clock.monotonicUs();
    if (this.#opening || !this.#backlog.isFull(frame, sinceUs)) {
      this.#backlog.push(frame, { sinceUs, counts: !this.#opening });
      return;
    }
    this.#droppedFrames += this.#backlog.clear() + 1;
    this.#awaitsKey = true;
  }

  #pump(): void {
    for (let frame = this.#backlog.first; frame !== undefined; frame = this.#backlog.first) {
      const track = this.#trackFor(frame);
      if (track !== undefined && !track.delivery.hasRoom) return;
      this.#backlog.shift();
      // After a frame that could not be sent, video is undecodable up to the next key frame.
      const isUsable = frame.isAudio || !this.#awaitsKey || frame.key;
      if (track !== undefined && isUsable) {
        if (!frame.isAudio) this.#awaitsKey = false;
        this.#send(track, frame);
      }
      frame.release();
    }
  }

  #trackFor(frame: Frame): SessionTrack | undefined {
    return frame.isAudio ? this.#audioTrack : this.#videoTrack;
  }

  #findTracks(): void {
    const all = [...this.#tracks.values()];
    this.#videoTrack = all.find(({ packetized }) => !packetized.isAudio);
    this.#audioTrack = all.find(({ packetized }) => packetized.isAudio);
  }

  #freeChannels(wanted: InterleavedChannels | undefined): InterleavedChannels {
    const taken = new Set([...this.#channels.values()].flat());
    if (wanted !== undefined && !wanted.some((channel) => taken.has(channel))) return wanted;
    for (let channel = 0; channel < CHANNEL_MAX; channel += 2) {
      if (!taken.has(channel) && !taken.has(channel + 1)) return [channel, channel + 1];
    }
    throw new RangeError("a session has more tracks than channels");
  }
}
