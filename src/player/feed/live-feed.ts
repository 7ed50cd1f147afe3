import { type ByteBudget, type Clock, errorText, type Log, NvrdError } from "../../base/index.js";
import type {
  AudioFormat,
  Frame,
  FrameSink,
  LiveStream,
  Subscription,
  VideoFormat,
} from "../../live/index.js";
import { isSameAudioFormat, isSameVideoFormat } from "../../picture/index.js";
import { isPlayable } from "../hls/media-unit.js";
import { FeedFlag, type FeedMessage } from "./feed-message.js";
import { type FeedInit, FeedPeriod } from "./feed-period.js";
import { NewestGop } from "./newest-gop.js";
import { PictureDistance } from "./picture-distance.js";
import { type SoundMaker, soundMaker } from "./sound-maker.js";
import type { FeedSoundKind } from "./sound-track.js";

/** Without sound for this long the stream goes on as one without: a player waits for the track that has nothing. */
const SOUND_GONE_US = 3_000_000;

/** What a viewer gets of the stream whose messages follow. */
export interface FeedStart {
  readonly feed: number;
  readonly width: number;
  readonly height: number;
  readonly init: FeedInit;
  /** There is sound that this viewer does not take. */
  readonly isSoundLeft: boolean;
}

/** Receives a feed. Must not throw. */
export interface FeedViewer {
  /** Whether it wants this sound. */
  takesSound(track: FeedSoundKind): boolean;
  /** The messages that follow need this init segment; the next picture is a key frame. */
  onStart(start: FeedStart): void;
  onMessage(message: FeedMessage): void;
  /** The stream cannot be sent like this: NOT_SUPPORTED for its codec. Nothing follows. */
  onFailure(error: NvrdError): void;
}

export interface LiveFeedOptions {
  readonly stream: LiveStream;
  /** Gives each period its number. */
  readonly nextFeed: () => number;
  /** Shared by all feeds. */
  readonly budget: ByteBudget;
  readonly clock: Clock;
  readonly log: Log;
}

/** A live stream as fragments of one picture each: built once, whoever watches. */
export class LiveFeed implements FrameSink {
  readonly #options: LiveFeedOptions;
  readonly #viewers = new Set<FeedViewer>();
  #subscription: Subscription | undefined;
  #period: FeedPeriod | undefined;
  #distance = new PictureDistance();
  #pictures = 0;
  #needsKey = true;
  #leftOut = false;
  #lastUs = Number.NEGATIVE_INFINITY;
  readonly #gop: NewestGop;
  #sound: SoundMaker | undefined;
  /** Whether a viewer takes the sound. */
  #isSoundTaken = false;
  /** Time of the newest sound, taken or not. */
  #soundUs = 0;
  #states: Subscription | undefined;
  #failure: NvrdError | undefined;

  constructor(options: LiveFeedOptions) {
    this.#options = options;
    this.#gop = new NewestGop(options.budget);
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** When the newest picture was taken, Unix microseconds; undefined before the first. */
  get lastPictureUs(): number | undefined {
    return Number.isFinite(this.#lastUs) ? this.#lastUs : undefined;
  }

  /** Adds a viewer, which gets the newest group of pictures at once. */
  join(viewer: FeedViewer): void {
    this.#viewers.add(viewer);
    this.#countSound();
    if (this.#failure !== undefined) {
      viewer.onFailure(this.#failure);
      return;
    }
    if (this.#subscription !== undefined) {
      this.replay(viewer);
      return;
    }
    const { stream } = this.#options;
    this.#states = stream.onState(({ state }) => {
      if (state !== "active") this.#interrupt();
    });
    const subscription = stream.subscribe(this, { fromGop: true, atOnce: true });
    this.#subscription = subscription;
    if (this.#viewers.size === 0 || this.#failure !== undefined) this.#end();
  }

  /** Leaves the camera's stream with the last viewer. */
  leave(viewer: FeedViewer): void {
    if (!this.#viewers.delete(viewer)) return;
    this.#countSound();
    if (this.#viewers.size === 0) this.#end();
  }

  /** Sends a viewer the start and the newest group of pictures again. */
  replay(viewer: FeedViewer): void {
    this.#countSound();
    const period = this.#period;
    if (period === undefined) return;
    viewer.onStart(this.#startOf(period, viewer));
    for (const message of this.#gop.messages) {
      if (!this.#viewers.has(viewer)) return;
      viewer.onMessage(message);
    }
  }

  /** The messages since the newest key frame, oldest first; empty when there are too many. */
  get gop(): readonly FeedMessage[] {
    return this.#gop.messages;
  }

  onFrame(frame: Frame, isKept: boolean): void {
    if (this.#failure !== undefined) return;
    if (frame.isAudio) this.#takeSound(frame, isKept);
    else this.#takePicture(frame, isKept);
  }

  onDropped(): void {
    this.#fail(new NvrdError("INTERNAL", "the stream could not be sent"));
  }

  #takePicture(frame: Frame, isKept: boolean): void {
    if (frame.undecodable || (this.#needsKey && !frame.key)) {
      this.#needsKey = true;
      this.#leftOut = true;
      return;
    }
    const format = frame.format as VideoFormat;
    if (!isPlayable(format.codec) || (this.#needsKey && !this.#options.stream.isEnteredCleanly)) {
      this.#fail(new NvrdError("NOT_SUPPORTED", "the stream must be transcoded"));
      return;
    }
    const { decodeTimeUs } = frame;
    const follows = this.#follows(frame, format);
    if (!follows && !frame.key) {
      this.#needsKey = true;
      this.#leftOut = true;
      return;
    }
    const bytes = frame.copyBytes();
    if (!follows && !this.#openPeriod(format, bytes, decodeTimeUs)) return;
    const isJump = frame.discontinuity || this.#leftOut || !follows;
    this.#needsKey = false;
    this.#leftOut = false;
    this.#lastUs = decodeTimeUs;
    if (this.#sound !== undefined && decodeTimeUs - this.#soundUs > SOUND_GONE_US)
      this.#changeSound(undefined);
    // Pictures of the group that the stream kept came earlier.
    const handoverUs = isKept ? decodeTimeUs + frame.presentationOffsetUs : this.#options.clock.nowUs();
    this.#publishPicture(frame, { bytes, isJump, handoverUs });
  }

  /** Whether the picture can have its place in the present period. */
  #follows(frame: Frame, format: VideoFormat): boolean {
    const period = this.#period;
    if (period === undefined || frame.decodeTimeUs <= this.#lastUs) return false;
    if (!frame.key) return true;
    return (
      isSameVideoFormat(period.format, format) && period.statesOrder(this.#options.stream.isShownAsDecoded)
    );
  }

  #openPeriod(format: VideoFormat, keyFrame: Buffer, decodeTimeUs: number): boolean {
    try {
      const { nextFeed, stream } = this.#options;
      const { isShownAsDecoded } = stream;
      this.#period = new FeedPeriod({ feed: nextFeed(), format, keyFrame, decodeTimeUs, isShownAsDecoded });
    } catch (error) {
      this.#fail(
        error instanceof NvrdError ? error : new NvrdError("INTERNAL", "the stream could not be sent"),
      );
      return false;
    }
    this.#distance = new PictureDistance();
    this.#gop.drop();
    this.#expectSound(decodeTimeUs);
    const period = this.#period;
    for (const viewer of [...this.#viewers]) viewer.onStart(this.#startOf(period, viewer));
    return true;
  }

  /** Sound that the source has announced is in the first init segment: adding it later takes another one. */
  #expectSound(decodeTimeUs: number): void {
    const { audioFormat, sound } = this.#options.stream;
    this.#soundUs = decodeTimeUs;
    this.#sound = audioFormat === undefined || sound !== "on" ? undefined : soundMaker(audioFormat);
    this.#countSound();
  }

  #takeSound(frame: Frame, isKept: boolean): void {
    const period = this.#period;
    if (period === undefined || this.#needsKey) return;
    const format = frame.format as AudioFormat;
    this.#soundUs = frame.decodeTimeUs;
    if (this.#sound === undefined || !isSameAudioFormat(this.#sound.format, format)) {
      const next = soundMaker(format);
      if (next === undefined) return;
      this.#changeSound(next);
    }
    const maker = this.#sound;
    if (maker === undefined || !this.#isSoundTaken) return;
    const handoverUs = isKept ? frame.decodeTimeUs : this.#options.clock.nowUs();
    for (const piece of maker.push(frame.copyBytes(), frame.decodeTimeUs)) {
      const bytes = period.sound({ ...piece, track: maker.track, handoverUs, flags: 0 });
      if (bytes !== undefined) this.#publish({ bytes, key: false, sequence: this.#pictures, sound: true });
    }
  }

  /** Viewers that take the sound that was, or the one that is, begin anew with another init segment. */
  #changeSound(next: SoundMaker | undefined): void {
    const before = this.#sound;
    this.#sound = next;
    for (const viewer of [...this.#viewers]) {
      const concernsViewer = [before, next].some(
        (maker) => maker !== undefined && viewer.takesSound(maker.track),
      );
      if (concernsViewer) this.replay(viewer);
    }
    this.#countSound();
  }

  #countSound(): void {
    const track = this.#sound?.track;
    this.#isSoundTaken = track !== undefined && [...this.#viewers].some((viewer) => viewer.takesSound(track));
  }

  #publishPicture(
    frame: Frame,
    {
      bytes,
      isJump,
      handoverUs,
    }: { readonly bytes: Buffer; readonly isJump: boolean; readonly handoverUs: number },
  ): void {
    const period = this.#period;
    if (period === undefined) return;
    const { decodeTimeUs, presentationOffsetUs, key } = frame;
    this.#pictures += 1;
    const message = period.picture({
      sequence: this.#pictures,
      decodeTimeUs,
      presentationOffsetUs,
      key,
      bytes,
      durationUs: this.#distance.next(decodeTimeUs),
      handoverUs,
      flags: isJump ? FeedFlag.discontinuity : 0,
    });
    this.#publish({ bytes: message, key, sequence: this.#pictures, sound: false });
  }

  #publish(message: FeedMessage): void {
    this.#gop.keep(message);
    for (const viewer of this.#viewers) viewer.onMessage(message);
  }

  #startOf(period: FeedPeriod, viewer: FeedViewer): FeedStart {
    const { feed, width, height } = period;
    const track = this.#sound?.track;
    const isTaken = track !== undefined && viewer.takesSound(track);
    const init = period.init(isTaken ? track : undefined);
    return { feed, width, height, init, isSoundLeft: track !== undefined && !isTaken };
  }

  /** What comes next follows a gap; who joins meanwhile gets no old pictures. */
  #interrupt(): void {
    this.#needsKey = true;
    this.#leftOut = true;
    this.#gop.drop();
  }

  #fail(error: NvrdError): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    const { log, stream } = this.#options;
    log.debug({ stream: stream.toString(), reason: errorText(error) }, "stream cannot be sent as fragments");
    this.#end();
    for (const viewer of [...this.#viewers]) viewer.onFailure(error);
  }

  #end(): void {
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#states?.close();
    this.#states = undefined;
    this.#period = undefined;
    this.#needsKey = true;
    this.#gop.drop();
  }
}
