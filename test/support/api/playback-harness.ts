import { setImmediate as turn } from "node:timers/promises";
import {
  type ArchiveKey,
  type ArchiveReader,
  type ReadOptions,
  RecordingsNeeded,
} from "../../../src/archive/index.js";
import { type Guid, newGuid, type StreamKey, type StreamType } from "../../../src/base/index.js";
import type { ServerMessage, StreamMessage } from "../../../src/contract/answer/index.js";
import { Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import { FEED_HEADER_BYTES, FeedFlag, FeedKind } from "../../../src/player/feed/feed-message.js";
import { Playback, type PlaybackOptions } from "../../../src/player/playback/playback.js";
import type { PlaybackWatch } from "../../../src/player/playback/playback-channel.js";
import type { PlaybackOrder } from "../../../src/player/playback/playback-order.js";
import type { PlaybackArchive } from "../../../src/player/playback/playback-reading.js";
import type { PlaybackSink } from "../../../src/player/playback/playback-sink.js";
import {
  append,
  SILENT_LOG,
  startArchive,
  type TestArchive,
  temporaryDirectory,
  until,
} from "../archive/archive-fixture.js";
import { PATIENCE_MS } from "../base/patience.js";
import { SimulatedClock } from "../base/simulated-clock.js";
import { FRAME_US, NINE_US } from "./api-frames.js";
import type { RecordedUnit } from "./exported-archive.js";
import { MEMORY_VIDEO } from "./memory/memory-recordings.js";

/** What a client was sent, in order. */
export type Sent =
  | { readonly kind: "message"; readonly atMs: number; readonly message: ServerMessage }
  | { readonly kind: "init"; readonly atMs: number; readonly feed: number; readonly bytes: Buffer }
  | SentFragment;

export interface SentFragment {
  readonly kind: "fragment";
  /** Simulated time since the harness began. */
  readonly atMs: number;
  readonly feed: number;
  /** Subscription. */
  readonly id: number;
  readonly key: boolean;
  readonly jump: boolean;
  readonly isSound: boolean;
  /** Seconds after nine o'clock. */
  readonly second: number;
  readonly durationUs: number;
  readonly sequence: number;
  readonly bytes: Buffer;
}

export interface RecordOptions {
  readonly framesASecond?: number;
  readonly gopFrames?: number;
  readonly format?: VideoFormat;
  readonly size?: number;
  readonly streamType?: StreamType;
  /** Whether the recording goes on. */
  readonly isOpen?: boolean;
  /** Presentation less decode time of each picture of a group, in frames. */
  readonly shownAfterFrames?: (inGop: number) => number;
}

export const at = (second: number): number => NINE_US + Math.round(second * 1_000_000);
export const secondOf = (us: number): number => Math.round((us - NINE_US) / 1000) / 1000;

/** A playback over a real archive, with a simulated clock and a client that writes down what it is sent. */
export class PlaybackHarness {
  readonly clock = new SimulatedClock(NINE_US + 86_400_000_000);
  readonly sent: Sent[] = [];
  readonly archive: TestArchive;
  /** Bytes that the client has not read; what is sent is added while it reads nothing. */
  waitingBytes = 0;
  reads = true;
  fault: string | undefined;
  /** Each question about recordings is answered only after what it needs was fetched. */
  isCold = false;
  /** A channel whose recordings cannot be read just now. */
  hangs: Guid | undefined;
  /** What the user may be sent. */
  streams: (channelId: Guid) => readonly StreamType[] = () => ["Main", "Alternative"];
  hasSoundRight = true;
  readonly #directory: ReturnType<typeof temporaryDirectory>;
  readonly #busy = new Set<object>();
  readonly #readers = new Set<object>();
  readonly #playbacks: Playback[] = [];
  readonly #fetched = new Set<string>();
  #feeds = 0;

  static async start(): Promise<PlaybackHarness> {
    const directory = temporaryDirectory();
    return new PlaybackHarness(await startArchive(directory.path, { segmentSeconds: 10 }), directory);
  }

  private constructor(archive: TestArchive, directory: ReturnType<typeof temporaryDirectory>) {
    this.archive = archive;
    this.#directory = directory;
  }

  async stop(): Promise<void> {
    for (const playback of this.#playbacks) playback.close();
    await this.archive.archive.stop();
    this.#directory.remove();
  }

  /** Records pictures of `[fromS, toS)`, seconds after nine o'clock. */
  async record(channelId: Guid, fromS: number, toS: number, options: RecordOptions = {}): Promise<void> {
    const { framesASecond = 1e6 / FRAME_US, gopFrames = 25, format = MEMORY_VIDEO, size = 200 } = options;
    const { streamType = "Main", shownAfterFrames = () => 0 } = options;
    const key: StreamKey = { channelId, streamType };
    const writer = this.archive.archive.writer(key);
    const frameUs = 1e6 / framesASecond;
    for (let index = 0; index < Math.round((toS - fromS) * framesASecond); index++) {
      const inGop = index % gopFrames;
      append(writer, {
        format,
        decodeTimeUs: at(fromS) + Math.round(index * frameUs),
        presentationOffsetUs: Math.round(shownAfterFrames(inGop) * frameUs),
        bytes: pictureBytes(index, inGop === 0, size),
        key: inGop === 0,
        discontinuity: index === 0,
      });
    }
    if (options.isOpen !== true) await writer.end(at(toS));
    const lastUs = at(toS) - Math.ceil(frameUs);
    await until(() => this.archive.archive.hasArchiveAt(key, lastUs), "the last picture");
    const lastKeyUs = at(toS) - Math.ceil(frameUs * gopFrames) - 1;
    await until(() => this.#plannedUs(key) >= lastKeyUs, "the last whole group of pictures");
  }

  /** Records a clip's frames, whose times count from 0, in order of time. */
  async recordUnits(channelId: Guid, fromS: number, units: readonly RecordedUnit[]): Promise<void> {
    const key: StreamKey = { channelId, streamType: "Main" };
    const writer = this.archive.archive.writer(key);
    for (const unit of [...units].sort((one, other) => one.decodeTimeUs - other.decodeTimeUs)) {
      const { bytes, ...fields } = unit;
      append(writer, { ...fields, bytes, decodeTimeUs: at(fromS) + unit.decodeTimeUs });
    }
    await writer.end();
    const pictures = units.filter(({ format }) => "width" in format);
    const lastUs = at(fromS) + Math.max(...pictures.map(({ decodeTimeUs }) => decodeTimeUs));
    await until(() => this.archive.archive.hasArchiveAt(key, lastUs - 1_000), "the last frame");
    await until(() => this.#plannedUs(key) >= lastUs - 1_000, "the last group of pictures");
  }

  /** Up to where the index reports groups. */
  #plannedUs(key: StreamKey): number {
    let endUs = 0;
    const time = { fromUs: 0, toUs: Number.MAX_SAFE_INTEGER, pieceUsMin: 0 };
    for (const { pieces } of this.archive.archive.recorded(key, time)) endUs = pieces.at(-1)?.toUs ?? endUs;
    return endUs;
  }

  /** Plays channels, whose subscriptions are numbered from 1 on. */
  play(
    channels: readonly Guid[],
    order: Partial<PlaybackOrder> & { readonly fromS?: number } = {},
    options: Partial<PlaybackOptions> & { readonly watch?: Partial<PlaybackWatch> } = {},
  ): Playback {
    const { fromS = 0, speed = 1, mode = "run" } = order;
    const { watch, ...others } = options;
    const watches = channels.map((channelId, index) => ({
      id: index + 1,
      channelId,
      tile: { width: 640, height: 480 },
      stream: "auto" as const,
      sound: false,
      ...watch,
    }));
    const playback = new Playback(
      {
        archive: this.#counted(),
        transcoding: { openPlayback: () => Promise.reject(new Error("nothing is transcoded here")) as never },
        rotationOf: () => 0,
        codecs: ["avc1"],
        streams: (channelId) => ({ streamTypes: this.streams(channelId), sound: this.hasSoundRight }),
        sink: this.#sink(),
        nextFeed: () => ++this.#feeds,
        gapReason: () => "unknown",
        clock: this.clock,
        log: SILENT_LOG,
        ...others,
      },
      watches,
      { timeUs: at(fromS), speed, mode },
    );
    this.#playbacks.push(playback);
    playback.start();
    return playback;
  }

  /** Lets simulated time pass, and what is being read arrive. */
  async run(seconds: number, stepMs = 20): Promise<void> {
    await this.settle();
    for (let ms = 0; ms < seconds * 1000; ms += stepMs) {
      this.clock.advance(stepMs * 1000);
      await this.settle();
    }
  }

  /** Lets simulated time pass, and the codec work, until something holds. */
  async runUntil(holds: () => boolean): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!holds()) {
      if (performance.now() > deadline) throw new Error("a playback did not come so far");
      await new Promise((end) => setTimeout(end, 2));
      this.clock.advance(5000);
    }
  }

  /** Until nothing is being read but what waits at the edge. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 4; ) {
      await turn();
      quiet = this.#busy.size === 0 ? quiet + 1 : 0;
    }
  }

  /** Readers and files that are open. */
  get readers(): number {
    return this.#readers.size;
  }

  get messages(): ServerMessage[] {
    return this.sent.flatMap((each) => (each.kind === "message" ? [each.message] : []));
  }

  messagesOf<T extends ServerMessage["type"]>(type: T): Extract<ServerMessage, { type: T }>[] {
    return this.messages.filter(
      (message): message is Extract<ServerMessage, { type: T }> => message.type === type,
    );
  }

  get streamsSent(): StreamMessage[] {
    return this.messagesOf("stream");
  }

  /** Pictures that were sent of a subscription. */
  pictures(id = 1): SentFragment[] {
    return this.fragments(id).filter(({ isSound }) => !isSound);
  }

  /** Pieces of sound. */
  sounds(id = 1): SentFragment[] {
    return this.fragments(id).filter(({ isSound }) => isSound);
  }

  fragments(id = 1): SentFragment[] {
    return this.sent.filter((each): each is SentFragment => each.kind === "fragment" && each.id === id);
  }

  /** The newest init segment of a feed and all its fragments behind it: a file. */
  movie(feed: number): Buffer {
    const media = this.sent.filter((each) => each.kind !== "message").filter((each) => each.feed === feed);
    return Buffer.concat(media.map(({ bytes }) => bytes));
  }

  seconds(id = 1): number[] {
    return this.pictures(id).map(({ second }) => second);
  }

  /** Gaps that were reported to the client: subscription, from, to. */
  get gaps(): [number, number, number][] {
    return this.messagesOf("gap").map(({ id, from, to }) => [id, secondOf(from * 1000), secondOf(to * 1000)]);
  }

  /** What was reported to the client of the playback: state, time to a tenth of a second, speed. */
  get states(): [string, number, number][] {
    return this.messagesOf("playback").map(({ state, time, speed }) => [
      state,
      Math.round(secondOf(time * 1000) * 100) / 100,
      speed,
    ]);
  }

  /** Forgets what was sent. */
  clear(): void {
    this.sent.length = 0;
  }

  #sink(): PlaybackSink {
    const harness = this;
    const ids = new Map<number, number>();
    return {
      message: (message) => {
        if (message.type === "stream") ids.set(message.feed, message.id);
        this.sent.push({ kind: "message", atMs: this.#nowMs, message });
      },
      media: (bytes) => {
        if (!this.reads) this.waitingBytes += bytes.length;
        this.sent.push(sentMedia(Buffer.from(bytes), ids, this.#nowMs));
      },
      get waitingBytes() {
        return harness.waitingBytes;
      },
    };
  }

  get #nowMs(): number {
    return this.clock.monotonicUs() / 1000;
  }

  /** The archive, which counts what is being read. */
  #counted(): PlaybackArchive {
    const { archive } = this.archive;
    return {
      read: (key: ArchiveKey, options: ReadOptions) => {
        this.#need("read", key.channelId);
        return this.#countedReader(key, options);
      },
      fragments: (key, fromUs, toUs) => {
        this.#need("fragments", key.channelId);
        return archive.fragments(key, fromUs, toUs);
      },
      hasArchiveAt: (key, timeUs) => {
        this.#need("hasArchiveAt", key.channelId);
        return archive.hasArchiveAt(key, timeUs);
      },
      nearestFrameUs: (key, timeUs) => {
        this.#need("nearestFrameUs", key.channelId);
        return archive.nearestFrameUs(key, timeUs);
      },
      indexFault: () => this.fault,
      recorded: (key, query) => {
        this.#need("recorded", key.channelId);
        return archive.recorded(key, query);
      },
      openRecorded: async (segment, gone) => {
        const file = await this.#while(archive.openRecorded(segment, gone));
        this.#readers.add(file);
        return {
          formats: file.formats,
          start: (piece) => file.start(piece),
          read: (piece, position, memory) => this.#while(file.read(piece, position, memory)),
          close: () => {
            this.#readers.delete(file);
            file.close();
          },
        };
      },
    };
  }

  #need(question: string, channelId: Guid): void {
    const asked = `${question} ${channelId}`;
    if (!this.isCold || this.#fetched.has(asked)) return;
    throw new RecordingsNeeded(new Promise((end) => setTimeout(end, 5)).then(() => this.#fetched.add(asked)));
  }

  #countedReader(key: ArchiveKey, options: ReadOptions): ArchiveReader {
    const busy = {};
    this.#readers.add(busy);
    const reader = this.archive.archive.read(key, {
      ...options,
      onEdge: () => {
        this.#busy.delete(busy);
        options.onEdge?.();
      },
    });
    return {
      next: async () => {
        while (this.hangs === key.channelId) await new Promise((end) => setTimeout(end, 5));
        this.#busy.add(busy);
        try {
          return await reader.next();
        } finally {
          this.#busy.delete(busy);
        }
      },
      close: () => {
        this.#readers.delete(busy);
        reader.close();
      },
    };
  }

  async #while<T>(work: Promise<T>): Promise<T> {
    const busy = {};
    this.#busy.add(busy);
    try {
      return await work;
    } finally {
      this.#busy.delete(busy);
    }
  }
}

export function newChannels(count: number): Guid[] {
  return Array.from({ length: count }, () => newGuid());
}

/** A picture's NAL unit: an IDR picture with its parameter sets, or another one. */
function pictureBytes(index: number, key: boolean, size: number): Buffer {
  const nal = Buffer.alloc(size, 1 + (index % 250));
  nal.set([0, 0, 0, 1, key ? 0x65 : 0x41]);
  return key ? Buffer.concat([MEMORY_VIDEO.initialization, nal]) : nal;
}

function sentMedia(message: Buffer, ids: ReadonlyMap<number, number>, atMs: number): Sent {
  const flags = message.readUInt8(1);
  const feed = message.readUInt32BE(4);
  const bytes = message.subarray(FEED_HEADER_BYTES);
  if (message.readUInt8(0) === FeedKind.init) return { kind: "init", atMs, feed, bytes };
  return {
    kind: "fragment",
    atMs,
    feed,
    id: ids.get(feed) ?? 0,
    key: (flags & FeedFlag.key) !== 0,
    jump: (flags & FeedFlag.discontinuity) !== 0,
    isSound: (flags & FeedFlag.sound) !== 0,
    second: secondOf(Number(message.readBigUInt64BE(8))),
    durationUs: message.readUInt32BE(24),
    sequence: message.readUInt32BE(28),
    bytes,
  };
}

/** A format in another codec. */
export function formatOf(codec: VideoFormat["codec"]): VideoFormat {
  return {
    ...MEMORY_VIDEO,
    codec,
    initialization: codec === Codec.H264 ? MEMORY_VIDEO.initialization : new Uint8Array(0),
  };
}
