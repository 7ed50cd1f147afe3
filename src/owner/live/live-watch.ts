import { hasRight, type Principal } from "../../access/index.js";
import { errorText, type Guid, NvrdError, STREAM_TYPES } from "../../base/index.js";
import type {
  ChangeMessage,
  LiveCodec,
  ProblemReason,
  SeenBox,
  ServerMessage,
  StreamMessage,
  WatchMessage,
} from "../../contract/answer/index.js";
import { Codec, type LiveStream, type StreamDirectory, type Subscription } from "../../live/index.js";
import {
  type ClientFeed,
  chooseStream,
  type FeedSoundKind,
  type FeedStart,
  type FeedUser,
  type StreamCandidate,
  type StreamChoice,
} from "../../player/index.js";
import type { Camera, VideoFormatName } from "../../site/index.js";

/** What a subscription uses of its client. */
export interface WatchHost {
  readonly codecs: readonly LiveCodec[];
  readonly principal: Principal;
  readonly streams: StreamDirectory;
  /** The channel; undefined when it is no more. */
  camera(id: Guid): Camera | undefined;
  /** The client's feed of a stream, which its subscriptions share. */
  feedOf(stream: LiveStream, isTranscoded: boolean): ClientFeed;
  /** Reports where something is seen in the channel's pictures. */
  followBoxes(channelId: Guid, listener: (boxes: readonly SeenBox[]) => void): { close(): void };
  /** When the newest picture of the stream was recorded, Unix microseconds; undefined if there is none. */
  lastRecordedUs(stream: LiveStream): number | undefined;
  send(message: ServerMessage): void;
}

interface Problem {
  readonly reason: ProblemReason;
  readonly text: string;
  readonly sinceUs?: number | undefined;
}

/** A stream that was chosen, and its way to the client. */
interface Channel {
  readonly choice: StreamChoice;
  readonly stream: LiveStream;
  readonly feed: ClientFeed;
}

const CODECS: Readonly<Partial<Record<Codec, StreamCandidate["codec"]>>> = {
  [Codec.H264]: "avc1",
  [Codec.H265]: "hvc1",
};
/** What the settings expect of a stream that has not been seen. */
const EXPECTED: Readonly<Record<VideoFormatName, StreamCandidate["codec"]>> = {
  H264: "avc1",
  Hevc: "hvc1",
  MJPEG: "other",
  MPEG4_Part2: "other",
};

/** One subscription of a client to a channel, live: the stream that is right for it now, and what is wrong when there is none. */
export class LiveWatch implements FeedUser {
  readonly id: number;
  readonly channelId: Guid;
  readonly #host: WatchHost;
  #tile: WatchMessage["tile"];
  #wish: NonNullable<WatchMessage["stream"]>;
  #sound: boolean;
  #shown: Channel | undefined;
  /** Takes the place of what is shown as soon as it has a picture. */
  #next: Channel | undefined;
  #states: Subscription | undefined;
  #problem: Problem | undefined;
  #hadSoundRight: boolean;
  #boxes: { close(): void } | undefined;
  #isClosed = false;

  constructor(host: WatchHost, message: Omit<WatchMessage, "type">) {
    this.#host = host;
    this.id = message.id;
    this.channelId = message.channel;
    this.#tile = message.tile;
    this.#wish = message.stream ?? "auto";
    this.#sound = message.sound ?? false;
    this.#hadSoundRight = this.#hasSoundRight;
    this.#followBoxes(message.boxes);
  }

  change({ tile, stream, sound = this.#sound, boxes }: ChangeMessage): void {
    this.#followBoxes(boxes);
    this.#tile = tile ?? this.#tile;
    this.#wish = stream ?? this.#wish;
    const isOtherSound = sound !== this.#sound;
    this.#sound = sound;
    const before = this.#shown;
    this.update();
    if (isOtherSound && this.#shown === before && this.#next === undefined) this.#shown?.feed.refresh();
  }

  close(): void {
    this.#isClosed = true;
    this.#followBoxes(false);
    this.#drop();
  }

  /** Undefined: as before. */
  #followBoxes(isWanted: boolean | undefined): void {
    if (isWanted === false) {
      this.#boxes?.close();
      this.#boxes = undefined;
    } else if (isWanted === true)
      this.#boxes ??= this.#host.followBoxes(this.channelId, (boxes) =>
        this.#host.send({ type: "boxes", id: this.id, boxes }),
      );
  }

  /** The user's rights or the configuration have changed: what is no longer allowed ends at once. */
  recheck(): void {
    const mayMain = hasRight(this.#host.principal, "CanReceiveMainStream");
    for (const channel of [this.#shown, this.#next])
      if (channel?.choice.streamType === "Main" && !mayMain) this.#drop();
    const isOtherSound = this.#hadSoundRight !== this.#hasSoundRight;
    this.#hadSoundRight = this.#hasSoundRight;
    if (isOtherSound && this.#sound) this.#shown?.feed.refresh();
    this.update();
  }

  /** Chooses the stream again: the tile, the configuration or a stream has changed. */
  update(): void {
    if (this.#isClosed) return;
    const camera = this.#host.camera(this.channelId);
    if (camera === undefined || camera.disabled) {
      this.#drop();
      this.#reportProblem({ reason: "switched-off", text: "the channel is switched off" });
      return;
    }
    const choice = this.#choose(camera);
    const stream = choice === undefined ? undefined : this.#host.streams.stream(camera.id, choice.streamType);
    if (choice === undefined || stream === undefined) {
      this.#drop();
      this.#reportProblem({
        reason: "no-playable-stream",
        text: this.#host.streams.absence ?? "the channel has no stream that this client can play",
      });
      return;
    }
    this.#go(choice, stream);
    this.#report();
  }

  /** Called every second. `isRetry`: what could not be sent is tried again. */
  lookAfter(isRetry: boolean): void {
    const reason = this.#problem?.reason;
    const isRare = reason === "too-many-viewers" || reason === "no-playable-stream";
    if (reason !== undefined && (isRetry || !isRare)) this.update();
  }

  takesSound(track: FeedSoundKind): boolean {
    return this.#sound && this.#hasSoundRight && this.#playsSound(track);
  }

  onStart(start: FeedStart, feed: ClientFeed): boolean {
    if (this.#isClosed) return false;
    if (!this.#plays(start)) {
      this.#cannotPlay(feed, "the client plays none of the codecs that the stream can have");
      return false;
    }
    if (this.#next?.feed === feed) {
      const { choice, stream } = this.#next;
      const before = this.#shown;
      this.#shown = { choice, stream, feed };
      this.#next = undefined;
      if (before !== undefined && before.feed !== feed) before.feed.remove(this);
    }
    this.#problem = undefined;
    const { choice } = this.#shown ?? {};
    if (choice !== undefined) this.#host.send(this.#streamMessage(start, choice));
    return choice !== undefined;
  }

  onDropped(count: number): void {
    this.#host.send({ type: "dropped", id: this.id, count });
  }

  onFailure(error: NvrdError, feed: ClientFeed): void {
    if (error.code === "NOT_SUPPORTED") this.#cannotPlay(feed, errorText(error));
    else this.#giveUp(errorText(error));
  }

  /** The stream is not what it was taken for: now it is known what the camera sends. */
  #cannotPlay(feed: ClientFeed, text: string): void {
    const channel = [this.#next, this.#shown].find((each) => each?.feed === feed);
    if (channel?.choice.source === "transcode") this.#giveUp(text);
    // Called while the stream is sent to others: the choice is made later.
    else queueMicrotask(() => this.update());
  }

  /** Nothing can be sent now; it is tried again later. */
  #giveUp(text: string): void {
    queueMicrotask(() => this.#drop());
    this.#reportProblem({ reason: "no-playable-stream", text });
  }

  get #hasSoundRight(): boolean {
    return hasRight(this.#host.principal, "CanReceiveSound");
  }

  #playsSound({ codec }: FeedSoundKind): boolean {
    return this.#host.codecs.some((known) => codec.startsWith(known));
  }

  #plays({ init }: FeedStart): boolean {
    const [, family] = /codecs="(\w+)/.exec(init.mime) ?? [];
    return this.#host.codecs.some((known) => known === family);
  }

  #streamMessage({ feed, width, height, init, isSoundLeft }: FeedStart, choice: StreamChoice): StreamMessage {
    const reason =
      choice.reason ??
      (isSoundLeft && this.#sound && this.#hasSoundRight ? "sound-codec-not-playable" : undefined);
    return {
      type: "stream",
      id: this.id,
      feed,
      mime: init.mime,
      source: choice.source,
      width,
      height,
      sound: init.sound,
      ...(reason === undefined ? {} : { reason }),
    };
  }

  #choose(camera: Camera): StreamChoice | undefined {
    const { codecs, principal, streams } = this.#host;
    const candidates = STREAM_TYPES.flatMap((streamType): StreamCandidate[] => {
      const stream = streams.stream(camera.id, streamType);
      if (stream === undefined) return [];
      if (streamType === "Main" && !hasRight(principal, "CanReceiveMainStream")) return [];
      const { width = 0, height = 0, codec } = stream.videoFormat ?? {};
      const sent = codec === undefined ? undefined : (CODECS[codec] ?? "other");
      const expected = EXPECTED[camera.connection.streams[streamType].format];
      const { state } = stream.state;
      const known = state === "active" || state === "lost" ? state : "idle";
      const isPlayable = stream.isEnteredCleanly;
      return [{ streamType, codec: isPlayable ? (sent ?? expected) : "other", width, height, state: known }];
    });
    const shown = (this.#next ?? this.#shown)?.choice.streamType;
    return chooseStream(candidates, { codecs, tile: this.#tile, stream: this.#wish, shown });
  }

  /** Goes over to a stream; what is shown stays until it has a picture. */
  #go(choice: StreamChoice, stream: LiveStream): void {
    const present = this.#next ?? this.#shown;
    if (present?.stream === stream && present.choice.source === choice.source) return;
    this.#next?.feed.remove(this);
    this.#next = undefined;
    if (this.#shown?.stream === stream && this.#shown.choice.source === choice.source) return;
    const feed = this.#host.feedOf(stream, choice.source === "transcode");
    this.#next = { choice, stream, feed };
    this.#states?.close();
    this.#states = stream.onState(() => this.#report());
    try {
      feed.add(this);
    } catch (error) {
      if (!(error instanceof NvrdError)) throw error;
      this.#next = undefined;
      this.#reportProblem({ reason: "too-many-viewers", text: errorText(error) });
    }
  }

  /** Says what is wrong with the stream that is to be shown. */
  #report(): void {
    const channel = this.#next ?? this.#shown;
    if (this.#isClosed || channel === undefined) return;
    const { state } = channel.stream;
    if (state.state === "lost") {
      const sinceUs = channel.feed.lastPictureUs ?? this.#host.lastRecordedUs(channel.stream);
      const reason = state.cause === "unauthorized" ? "camera-refuses-login" : "camera-lost";
      this.#reportProblem({ reason, text: state.reason, sinceUs });
      return;
    }
    const isShown = channel === this.#shown && state.state === "active";
    if (isShown) this.#problem = undefined;
    else if (this.#shown === undefined && this.#problem === undefined)
      this.#reportProblem({ reason: "starting", text: "the stream is being connected" });
  }

  #reportProblem(problem: Problem): void {
    if (this.#problem?.reason === problem.reason && this.#problem.text === problem.text) return;
    this.#problem = problem;
    const { reason, text, sinceUs } = problem;
    const since = sinceUs === undefined ? {} : { since: sinceUs / 1000 };
    this.#host.send({ type: "problem", id: this.id, reason, text, ...since });
  }

  #drop(): void {
    this.#states?.close();
    this.#states = undefined;
    for (const channel of [this.#shown, this.#next]) channel?.feed.remove(this);
    this.#shown = undefined;
    this.#next = undefined;
  }
}
