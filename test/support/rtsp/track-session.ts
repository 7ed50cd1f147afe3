import { SlabPool, StreamClock } from "../../../src/live/index.js";
import { InterleavedDemuxer } from "../../../src/rtsp/client/socket/interleaved-demuxer.js";
import {
  createTrackReceiver,
  FrameBuilder,
  SlabWindow,
  type TrackReceiver,
  WINDOW_SLAB_BYTES_MIN,
} from "../../../src/rtsp/index.js";
import { FragmentRun } from "../../../src/rtsp/rtp/fragment-run.js";
import { SimulatedClock } from "../base/simulated-clock.js";
import { type HarnessOptions, log, mediaTrack, type SeenFrame, seen } from "./track-harness.js";

export interface TrackSessionOptions extends HarnessOptions {
  /** Most packets of a run; 0: each packet by itself. */
  readonly runPacketsMax: number;
  readonly slabs?: number;
}

/** A connection's bytes on channel 0 through the real demuxer to frames, with the runs of fragments or without. */
export class TrackSession {
  readonly frames: SeenFrame[] = [];
  readonly pool: SlabPool;
  /** Packets that came in runs. */
  inRuns = 0;
  readonly #window: SlabWindow;
  readonly #builder: FrameBuilder;
  readonly #receiver: TrackReceiver;
  readonly #demuxer: InterleavedDemuxer;
  readonly #clock = new SimulatedClock();
  readonly #failures: string[] = [];

  constructor(options: TrackSessionOptions) {
    const slabBytes = WINDOW_SLAB_BYTES_MIN;
    this.pool =
      options.pool ?? new SlabPool({ slabBytes, totalBytesMax: (options.slabs ?? 400) * slabBytes });
    this.#window = new SlabWindow(this.pool);
    this.#builder = new FrameBuilder(this.#window, (failure) => this.#failures.push(failure));
    this.#receiver = createTrackReceiver({
      track: mediaTrack(options),
      ssrc: options.ssrc,
      keepsOrder: options.keepsOrder ?? false,
      builder: this.#builder,
      streamClock: new StreamClock(this.#clock),
      clock: this.#clock,
      log,
      publish: (frame) => {
        this.frames.push(seen(frame));
        frame.release();
      },
    });
    const run = new FragmentRun();
    this.#demuxer = new InterleavedDemuxer(this.#window, {
      onPacket: (channel, buffer, start, end) => {
        if (channel === 0) this.#receiver.receive(buffer, start, end);
      },
      onRun: (channel, buffer, position, end) => {
        if (channel !== 0 || options.runPacketsMax === 0) return position;
        run.begin(buffer, position, end, channel, options.runPacketsMax);
        this.#receiver.receiveRun(run);
        this.inRuns += run.packets;
        return run.position;
      },
      onMessage: () => undefined,
      onProtocolError: (reason) => this.#failures.push(reason),
    });
    for (const channel of [0, 1]) this.#demuxer.addChannel(channel);
  }

  /** One read. */
  bytes(bytes: Buffer): void {
    this.#clock.advance(1);
    for (let at = 0; at < bytes.length; ) {
      const target = this.#window.target();
      const length = Math.min(target.length, bytes.length - at);
      bytes.copy(target, 0, at, at + length);
      this.#window.committed(length);
      at += length;
      this.#demuxer.run();
    }
  }

  /** The reads are `lengths` long in turn. */
  reads(bytes: Buffer, lengths: readonly number[]): this {
    for (let at = 0, read = 0; at < bytes.length; read += 1) {
      const end = at + Math.max(1, lengths[read % lengths.length] ?? 1);
      this.bytes(bytes.subarray(at, end));
      at = end;
    }
    return this;
  }

  /** No packet came for a while. */
  silence(): void {
    for (let tick = 0; tick < 5; tick += 1) {
      this.#clock.advance(200);
      this.#receiver.onTick(this.#clock.monotonicUs());
    }
  }

  flush(): this {
    this.#receiver.flush();
    return this;
  }

  /** All that there is to say of it, and of its memory. */
  get outcome() {
    const { frameEnd, rawStart, rawEnd, overrunBytes } = this.#window;
    return {
      frames: this.frames.map(({ bytes, ...fields }) => ({ ...fields, bytes: bytes.toString("base64") })),
      statistics: this.#receiver.statistics,
      report: this.#receiver.receptionReport(),
      counters: { ...this.#demuxer.counters },
      failures: this.#failures,
      unitBytes: this.#builder.byteLength,
      memory: { frameEnd, rawStart, rawEnd, overrunBytes, allocated: this.pool.allocatedBytes },
    };
  }

  close(): void {
    this.#receiver.close();
    this.#builder.close();
    this.#window.close();
  }
}
