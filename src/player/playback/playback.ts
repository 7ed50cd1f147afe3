import { RecordingsNeeded, RecordingUnreachable, whenKnown } from "../../archive/index.js";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  US_PER_MS,
} from "../../base/index.js";
import type {
  ChangeMessage,
  GapReason,
  PlaySpeed,
  ProblemReason,
  ServerMessage,
} from "../../contract/answer/index.js";
import type { Transcoding } from "../../picture/index.js";
import type { RotationOf } from "../viewing/rotation.js";
import { OrderPlace } from "./order-place.js";
import { PlaybackChannel, type PlaybackWatch } from "./playback-channel.js";
import { PlaybackClock } from "./playback-clock.js";
import { PlaybackFeed } from "./playback-feed.js";
import { boundedScan, isWhole, type PlaybackOrder, type Scan } from "./playback-order.js";
import { PlaybackPump } from "./playback-pump.js";
import { GAP_US_MIN, type PlaybackArchive, type RecordingGap } from "./playback-reading.js";
import type { PlaybackSink } from "./playback-sink.js";
import { gapAt } from "./recorded-around.js";
import type { RecordedStreams } from "./recorded-streams.js";
import { RecordingOpener, readsStream } from "./recording-opener.js";

/** Most channels of one playback: each has a reader of the archive, of which there are 64 for all. */
export const PLAYBACK_CHANNELS_MAX = 16;
/** How long the first pictures of all channels are waited for. */
const FIRST_PICTURES_MS_MAX = 1000;
/** How long a newer order waits for the picture of the one before it: who moves along the timeline sees some of them. */
const PICTURE_MS_MAX = 500;
/** Most steps at once. */
const STEPS_MAX = 50;
/** Right behind the newest picture there is no gap: what follows is on its way to the disk. */
const EDGE_US = 10_000_000;
/** How often it is tried again to read a recording that could not be read. */
const RETRY_MS = 2000;

/** Why nothing is recorded in a stretch. */
export type GapReasonOf = (channelId: Guid, fromUs: number, toUs: number) => GapReason | Promise<GapReason>;

export interface PlaybackOptions {
  readonly archive: PlaybackArchive;
  readonly transcoding: Pick<Transcoding, "openPlayback">;
  readonly rotationOf: RotationOf;
  /** What the client plays. */
  readonly codecs: ConstructorParameters<typeof RecordingOpener>[0]["codecs"];
  /** What the user may be sent of a channel; asked again by `review`. */
  readonly streams: RecordedStreams;
  readonly sink: PlaybackSink;
  readonly nextFeed: () => number;
  readonly gapReason: GapReasonOf;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a playback does, as reported to the client. */
type PlaybackState = Extract<ServerMessage, { type: "playback" }>["state"];

/** Recordings of several channels for one client, shown in step. Its orders are the client's messages; none of them throws. */
export class Playback {
  readonly #options: PlaybackOptions;
  readonly #time: PlaybackClock;
  readonly #pump: PlaybackPump;
  readonly #opener: RecordingOpener;
  readonly #places: OrderPlace;
  #channels: PlaybackChannel[];
  #order: PlaybackOrder;
  /** The newest order that has not been begun. */
  #wanted: PlaybackOrder | undefined;
  #isPlacing = false;
  #state: PlaybackState = "paused";
  #onNews: (() => void) | undefined;
  #retry: ClockTimer | undefined;
  #isClosed = false;
  /** The client has left, or wants no recordings any more. */
  readonly #gone = new AbortController();

  /** Throws NvrdError BAD_REQUEST for more channels than PLAYBACK_CHANNELS_MAX. */
  constructor(options: PlaybackOptions, watches: readonly PlaybackWatch[], order: PlaybackOrder) {
    if (watches.length === 0 || watches.length > PLAYBACK_CHANNELS_MAX) {
      const message = `a playback has 1 to ${PLAYBACK_CHANNELS_MAX} channels, not ${watches.length}`;
      throw new NvrdError("BAD_REQUEST", message);
    }
    this.#options = options;
    this.#order = order;
    this.#time = new PlaybackClock(options.clock);
    this.#opener = new RecordingOpener(options);
    this.#places = new OrderPlace({ ...options, opener: this.#opener, gone: this.#gone.signal });
    this.#channels = watches.map((watch) => this.#channelOf(watch));
    this.#pump = new PlaybackPump({
      channels: () => this.#channels,
      time: this.#time,
      sink: options.sink,
      clock: options.clock,
      onGap: (channel, gap) => this.#reportGap(channel, gap),
      onError: (channel, error) => this.#fail(channel, error),
      // What was recorded then is read of all channels.
      onStepBack: (timeUs) => this.#place({ timeUs, speed: this.#order.speed, mode: "run" }),
      onJump: () => this.#reportState(this.#state),
      // At the edge it stands again and again, until more is recorded.
      onStood: () => {
        if (this.#state !== "edge") this.#reportState(this.#state);
      },
      onPicture: () => this.#pictureSent(),
      onEnd: () => this.#atEnd(),
    });
  }

  /** Its subscriptions; without any it is over. */
  get ids(): readonly number[] {
    return this.#channels.map(({ id }) => id);
  }

  /** The channels that are played. */
  get channelIds(): readonly Guid[] {
    return this.#channels.map(({ watch }) => watch.channelId);
  }

  start(): void {
    this.#place(this.#order);
  }

  seek(timeUs: number): void {
    this.#place({ timeUs: Math.round(timeUs), speed: this.#order.speed, mode: this.#latest.mode });
  }

  /** Stands, with the key frames of a stretch. */
  scan(wanted: Scan): void {
    const scan = boundedScan(wanted);
    this.#place({ timeUs: scan.fromUs, speed: this.#latest.speed, mode: "picture", scan });
  }

  setSpeed(speed: PlaySpeed): void {
    const latest = this.#latest;
    const isAsItWas = isWhole(latest.speed) && isWhole(speed) && !this.#dependsOnSpeed;
    if (latest.mode === "picture" || (this.#wanted === undefined && !this.#isPlacing && isAsItWas)) {
      if (this.#state === "edge" && speed > 1) {
        this.#reportState("edge");
        return;
      }
      if (this.#state === "edge") this.#state = "playing";
      this.#order = { ...this.#order, speed };
      if (this.#wanted !== undefined) this.#wanted = { ...this.#wanted, speed };
      this.#time.set(this.#time.timeUs, speed);
      this.#reportState(this.#state);
      this.#pump.pump();
    } else this.#place({ ...latest, timeUs: this.#nowUs, speed });
  }

  pause(): void {
    if (this.#latest.mode === "picture") {
      this.#reportState("paused");
      return;
    }
    if (this.#isPlacing || this.#wanted !== undefined) {
      this.#place({ ...this.#latest, mode: "picture" });
      return;
    }
    this.#stand();
    this.#reportState("paused");
  }

  resume(): void {
    if (this.#latest.mode === "run" && this.#state !== "start") this.#reportState(this.#state);
    else this.#place({ timeUs: this.#nowUs, speed: this.#latest.speed, mode: "run", isContinued: true });
  }

  /** One picture of the first channel forwards or backwards. */
  step(by: number): void {
    // Steps that have not been begun add up.
    const step = Math.max(-STEPS_MAX, Math.min(STEPS_MAX, (this.#wanted?.step ?? 0) + by));
    this.#place({ timeUs: this.#nowUs, speed: this.#latest.speed, mode: "picture", step });
  }

  change({ id, tile, stream, sound }: ChangeMessage): void {
    const channel = this.#channels.find((candidate) => candidate.id === id);
    if (channel === undefined) return;
    const { watch } = channel;
    channel.watch = {
      ...watch,
      tile: tile ?? watch.tile,
      stream: stream ?? watch.stream,
      sound: sound ?? watch.sound,
    };
    this.#readAnew(channel);
  }

  leave(id: number): void {
    this.#remove(id);
    this.#onNews?.();
    this.#pump.pump();
  }

  /** The client has read some of what waited for it. */
  drained(): void {
    this.#pump.drained();
  }

  /** The user's rights or the configuration may have changed: ends what is no longer allowed. */
  review(): void {
    for (const channel of [...this.#channels]) {
      try {
        const { streamTypes, sound } = this.#options.streams(channel.watch.channelId);
        const { key, hasSound } = channel;
        const isLess = key !== undefined && readsStream(key, "Main") && !streamTypes.includes("Main");
        if (isLess || (hasSound && !sound)) this.#readAnew(channel);
      } catch (error) {
        this.#fail(channel, error);
      }
    }
    this.#onNews?.();
    this.#pump.pump();
  }

  /** Calling it twice is harmless. */
  close(): void {
    this.#isClosed = true;
    this.#gone.abort();
    this.#wanted = undefined;
    this.#retry?.clear();
    this.#pump.stop();
    for (const channel of this.#channels) channel.close();
    this.#channels = [];
    this.#onNews?.();
  }

  get #latest(): PlaybackOrder {
    return this.#wanted ?? this.#order;
  }

  /** Where it is, or will be. */
  get #nowUs(): number {
    return Math.round(this.#wanted?.timeUs ?? this.#time.timeUs);
  }

  get #dependsOnSpeed(): boolean {
    return this.#channels.some(({ watch, feed }) => watch.sound || feed.isTranscoded);
  }

  #channelOf(watch: PlaybackWatch): PlaybackChannel {
    const { nextFeed, codecs, sink, log } = this.#options;
    return new PlaybackChannel({
      watch,
      feed: new PlaybackFeed({ id: watch.id, codecs, nextFeed, sink }),
      onNews: () => {
        this.#onNews?.();
        this.#pump.pump();
      },
      onError: (channel, error) => {
        this.#fail(channel, error);
        this.#onNews?.();
        this.#pump.pump();
      },
      log,
    });
  }

  /** Orders that come while one is being begun: the newest is the next. */
  #place(order: PlaybackOrder): void {
    this.#wanted = order;
    if (!this.#isPlacing) void this.#placeWanted();
  }

  /** Never rejects. */
  async #placeWanted(): Promise<void> {
    this.#isPlacing = true;
    while (this.#wanted !== undefined && !this.#isClosed) {
      // A picture is worth waiting for, but not all that is scanned.
      if (this.#order.scan === undefined)
        await this.#until(() => !this.#pump.isSendingPicture, PICTURE_MS_MAX);
      const wanted = this.#wanted;
      // Closed meanwhile.
      if (wanted === undefined) break;
      this.#pump.stop();
      const order = await this.#places.resolved(wanted, this.#channels);
      if (this.#isClosed) break;
      if (this.#wanted === wanted) this.#wanted = undefined;
      this.#order = order;
      this.#time.set(order.timeUs, order.speed);
      await Promise.all(this.#channels.map((channel) => this.#open(channel, order)));
      const areRead = () => this.#channels.every(({ state }) => state !== "reading");
      await this.#until(areRead, FIRST_PICTURES_MS_MAX);
      if (!this.#isClosed) this.#begin();
    }
    this.#isPlacing = false;
  }

  #begin(): void {
    const { mode } = this.#order;
    this.#state = mode === "run" ? "playing" : "paused";
    for (const channel of this.#channels) this.#reportFirstGap(channel);
    if (mode === "run") this.#reportState("playing");
    this.#pump.begin(mode);
  }

  /** Begins to read a channel. Never rejects. */
  async #open(channel: PlaybackChannel, order: PlaybackOrder): Promise<void> {
    channel.close();
    channel.endUs = order.timeUs;
    const sent = continues(channel, order) ? channel.sentGroup : undefined;
    // What plays on sends more than is counted here.
    channel.sentGroup = order.mode === "picture" ? sent : undefined;
    channel.order = order;
    const { archive, clock } = this.#options;
    try {
      const { streamTypes, sound } = this.#options.streams(channel.watch.channelId);
      channel.hasSound = channel.watch.sound && sound;
      const watch = { ...channel.watch, sound: channel.hasSound };
      const at = { timeUs: order.timeUs, gone: this.#gone.signal };
      const choose = () => this.#opener.choose(watch, streamTypes, at);
      const key = await whenKnown(choose, clock, { gone: () => at.gone });
      if (channel.order !== order || !this.#channels.includes(channel)) return;
      channel.key = key;
      const fault = archive.indexFault(order.timeUs);
      if (fault !== undefined && !archive.hasArchiveAt(key, order.timeUs)) {
        this.#reportProblem(channel, "index-opening", fault);
        return;
      }
      if (sent === undefined) channel.feed.jump();
      channel.open((onEdge) => this.#opener.open({ watch, key, order, sent }, onEdge));
    } catch (error) {
      this.#fail(channel, error);
    }
  }

  /** What is read of a channel has changed. */
  #readAnew(channel: PlaybackChannel): void {
    if (this.#isPlacing) this.#wanted ??= this.#order;
    else void this.#reopen(channel);
  }

  /** Reads one channel anew, while the others go on. Never rejects. */
  async #reopen(channel: PlaybackChannel): Promise<void> {
    const { speed, mode } = this.#order;
    await this.#open(channel, { timeUs: Math.round(this.#time.timeUs), speed, mode });
    if (this.#isPlacing || this.#isClosed) return;
    if (mode === "picture") this.#pump.begin(mode);
    else this.#pump.pump();
  }

  /** Waits until something holds, or for so long. */
  async #until(holds: () => boolean, ms: number): Promise<void> {
    if (holds() || this.#isClosed) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        timer.clear();
        this.#onNews = undefined;
        resolve();
      };
      const timer = this.#options.clock.setTimeout(end, ms);
      this.#onNews = () => {
        if (holds() || this.#isClosed) end();
      };
    });
  }

  #stand(): void {
    this.#pump.stop();
    for (const channel of this.#channels) {
      channel.close();
      channel.sentGroup = undefined;
    }
    this.#order = { timeUs: this.#nowUs, speed: this.#order.speed, mode: "picture" };
    this.#state = "paused";
  }

  #pictureSent(): void {
    for (const channel of this.#channels) channel.close();
    this.#reportState("paused");
    this.#onNews?.();
  }

  /** All that is recorded in the playback's direction was shown. */
  #atEnd(): void {
    if (this.#channels.every(({ state }) => state === "closed")) return;
    const { speed } = this.#order;
    if (speed < 0) {
      this.#stand();
      this.#state = "start";
      this.#reportState("start");
      return;
    }
    if (!isWhole(speed)) {
      // The group that is being recorded has pictures that are not read by key frames.
      this.#place({ timeUs: this.#nowUs, speed: 1, mode: "run" });
      return;
    }
    if (this.#state === "edge") return;
    this.#order = { ...this.#order, speed: 1 };
    this.#time.set(this.#time.timeUs, 1);
    this.#state = "edge";
    this.#reportState("edge");
  }

  #fail(channel: PlaybackChannel, error: unknown): void {
    channel.close();
    if (error instanceof RecordingsNeeded) {
      void this.#reopenWhenKnown(channel, error);
      return;
    }
    const known = error instanceof NvrdError ? error : undefined;
    switch (known?.code) {
      case "FORBIDDEN":
      case "NOT_FOUND":
        this.#remove(channel.id);
        this.#message({ type: "ended", id: channel.id, code: known.code, text: known.message });
        return;
      case "NOT_SUPPORTED":
        this.#reportProblem(channel, "no-playable-stream", known.message);
        return;
      default:
        this.#reportProblem(channel, problemOf(known), errorText(error));
    }
  }

  /** Reads it where it is then. Asked again, the recordings are there, or an error says why not. Never rejects. */
  async #reopenWhenKnown(channel: PlaybackChannel, needed: RecordingsNeeded): Promise<void> {
    const { order } = channel;
    await needed.isKnown(this.#gone.signal);
    const isWanted = channel.order === order && this.#channels.includes(channel);
    if (isWanted && !this.#isClosed) await this.#reopen(channel);
  }

  #reportProblem(channel: PlaybackChannel, reason: ProblemReason, text: string): void {
    if (channel.problem !== reason) this.#message({ type: "problem", id: channel.id, reason, text });
    channel.problem = reason;
    this.#retry ??= this.#options.clock.setTimeout(() => {
      this.#retry = undefined;
      if (this.#isPlacing) return;
      for (const each of this.#channels) if (each.problem !== undefined) void this.#reopen(each);
    }, RETRY_MS);
  }

  #reportFirstGap(channel: PlaybackChannel): void {
    const { order } = channel;
    try {
      this.#reportGapThere(channel);
    } catch (error) {
      if (!(error instanceof RecordingsNeeded)) throw error;
      const { log } = this.#options;
      void error
        .isKnown(this.#gone.signal)
        .then(() => {
          if (!this.#isClosed && channel.order === order) this.#reportFirstGap(channel);
        })
        .catch((reason: unknown) => log.info({ reason: errorText(reason) }, "a gap is not known"));
    }
  }

  #reportGapThere(channel: PlaybackChannel): void {
    const { archive, clock } = this.#options;
    if (channel.key === undefined || channel.problem !== undefined) return;
    const nowUs = clock.nowUs();
    const gap = gapAt(archive, channel.key, { timeUs: this.#order.timeUs, nowUs });
    if (gap === undefined || gap.toUs - gap.fromUs < GAP_US_MIN) return;
    if (gap.toUs >= nowUs && nowUs - gap.fromUs < EDGE_US) return;
    channel.reportedGap = gap;
    this.#reportGap(channel, gap);
  }

  #reportGap({ id, watch }: PlaybackChannel, { fromUs, toUs }: RecordingGap): void {
    const report = (reason: GapReason): void =>
      this.#message({ type: "gap", id, from: fromUs / US_PER_MS, to: toUs / US_PER_MS, reason });
    const reason = this.#options.gapReason(watch.channelId, fromUs, toUs);
    if (typeof reason === "string") report(reason);
    else {
      reason.then(report, (error: unknown) => {
        this.#options.log.info({ reason: errorText(error) }, "why nothing is recorded is not known");
        report("unknown");
      });
    }
  }

  #reportState(state: PlaybackState): void {
    const time = this.#time.timeUs / US_PER_MS;
    this.#message({ type: "playback", state, time, speed: this.#order.speed });
  }

  #message(message: ServerMessage): void {
    if (!this.#isClosed) this.#options.sink.message(message);
  }

  #remove(id: number): void {
    const channel = this.#channels.find((candidate) => candidate.id === id);
    this.#channels = this.#channels.filter((candidate) => candidate !== channel);
    channel?.close();
  }
}

/** Whether the pictures behind those that were sent for the picture that stands are enough. */
function continues(
  { feed, watch }: PlaybackChannel,
  { step = 0, isContinued, speed }: PlaybackOrder,
): boolean {
  if (feed.isTranscoded) return false;
  return step > 0 || (isContinued === true && isWhole(speed) && !watch.sound);
}

function problemOf(error: NvrdError | undefined): ProblemReason {
  if (error instanceof RecordingUnreachable) return "recording-not-readable";
  return error?.code === "NOT_AVAILABLE" && error.retryAfterMs !== undefined
    ? "too-many-viewers"
    : "recording-not-readable";
}
