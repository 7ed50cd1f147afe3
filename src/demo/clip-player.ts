import { type Clock, type ClockTimer, US_PER_MS, US_PER_SECOND } from "../base/index.js";
import { Codec, Frame, type LiveStream, type MediaFormat, type Subscription } from "../live/index.js";
import { AMBIENT_SAMPLE_RATE, ambientSound } from "./ambient-sound.js";
import type { Clip } from "./clip.js";

/**
 * If it is behind by more than this (the machine slept), the player continues at the current time instead of catching
 * up.
 */
export const PLAYER_LATE_US_MAX = 2_000_000;

const SOUND_FRAME_SAMPLES = 320;

/** One endless track: units are numbered across loops. Each loop has at least one key unit. */
export interface Lane {
  readonly format: MediaFormat;
  /** Units in one loop. */
  readonly length: number;
  /** Microseconds from the start to unit `index`, which counts across loops. */
  timeUs(index: number): number;
  unit(index: number): { readonly bytes: Uint8Array; readonly key: boolean };
}

/** A clip's pictures as a lane, by default at the clip's frame rate. */
export function clipLane(clip: Clip, framesPerSecond = clip.framesPerSecond): Lane {
  const { codec, width, height, initialization, units } = clip;
  const [first] = units;
  if (first === undefined) throw new RangeError(`the clip ${clip.name} has no unit`);
  return {
    format: { codec, width, height, initialization },
    length: units.length,
    timeUs: (index) => Math.round((index * US_PER_SECOND) / framesPerSecond),
    unit: (index) => units[index % units.length] ?? first,
  };
}

/** The synthesised hum as a lane of G.711 µ-law, 40 ms per frame. */
export function ambientLane(): Lane {
  const samples = ambientSound();
  const length = samples.length / SOUND_FRAME_SAMPLES;
  return {
    format: {
      codec: Codec.PCMU,
      sampleRate: AMBIENT_SAMPLE_RATE,
      channels: 1,
      initialization: Buffer.alloc(0),
    },
    length,
    timeUs: (index) => (index * SOUND_FRAME_SAMPLES * US_PER_SECOND) / AMBIENT_SAMPLE_RATE,
    unit: (index) => {
      const start = (index % length) * SOUND_FRAME_SAMPLES;
      return { bytes: samples.subarray(start, start + SOUND_FRAME_SAMPLES), key: true };
    },
  };
}

/**
 * Plays lanes in a loop into a live stream, in real time: one timer for all viewers, stopped without viewers. A frame's
 * time is the wall clock at the start plus its position, so that times continue across loops and pauses without
 * viewers, as with a camera.
 */
export class ClipPlayer {
  readonly #stream: LiveStream;
  readonly #lanes: readonly Lane[];
  readonly #clock: Clock;
  /** Index of the next unit of each lane. */
  readonly #next: number[];
  #startUs = 0;
  #startMonotonicUs = 0;
  #demand: Subscription | undefined;
  #timer: ClockTimer | undefined;

  constructor(options: { stream: LiveStream; lanes: readonly Lane[]; clock: Clock }) {
    this.#stream = options.stream;
    this.#lanes = options.lanes;
    this.#clock = options.clock;
    this.#next = options.lanes.map(() => 0);
  }

  start(): void {
    this.#startUs = this.#clock.nowUs();
    this.#startMonotonicUs = this.#clock.monotonicUs();
    this.#demand = this.#stream.onDemand({
      onDemand: ({ subscribers }) => this.#onDemand(subscribers),
    });
    this.#onDemand(this.#stream.subscribers);
  }

  stop(): void {
    this.#demand?.close();
    this.#demand = undefined;
    this.#pause();
  }

  #onDemand(subscribers: number): void {
    if (subscribers === 0) this.#pause();
    else if (this.#timer === undefined) {
      this.#stream.setState({ state: "active" });
      this.#seek(this.#elapsedUs());
      this.#arm();
    }
  }

  #pause(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    this.#stream.setState({ state: "idle" });
  }

  #elapsedUs(): number {
    return this.#clock.monotonicUs() - this.#startMonotonicUs;
  }

  /** Moves each lane to its next key unit. */
  #seek(elapsedUs: number): void {
    this.#lanes.forEach((lane, at) => {
      const loopUs = lane.timeUs(lane.length);
      let index = Math.floor(elapsedUs / loopUs) * lane.length;
      while (lane.timeUs(index) < elapsedUs || !lane.unit(index).key) index++;
      this.#next[at] = index;
    });
  }

  #arm(): void {
    const delayMs = (this.#dueUs() - this.#elapsedUs()) / US_PER_MS;
    this.#timer = this.#clock.setTimeout(() => this.#onTimer(), Math.max(0, Math.ceil(delayMs)));
  }

  #onTimer(): void {
    const elapsedUs = this.#elapsedUs();
    if (elapsedUs - this.#dueUs() > PLAYER_LATE_US_MAX) this.#seek(elapsedUs);
    while (this.#timer !== undefined && this.#dueUs() <= elapsedUs) this.#publishNext();
    if (this.#timer !== undefined) this.#arm();
  }

  #dueUs(): number {
    return this.#timeOfLane(this.#earliestLane());
  }

  #earliestLane(): number {
    let earliest = 0;
    for (let at = 1; at < this.#lanes.length; at++) {
      if (this.#timeOfLane(at) < this.#timeOfLane(earliest)) earliest = at;
    }
    return earliest;
  }

  #timeOfLane(at: number): number {
    return this.#lanes[at]?.timeUs(this.#next[at] ?? 0) ?? Number.POSITIVE_INFINITY;
  }

  #publishNext(): void {
    const at = this.#earliestLane();
    const lane = this.#lanes[at];
    const index = this.#next[at] ?? 0;
    if (lane === undefined) return;
    this.#next[at] = index + 1;
    const { bytes, key } = lane.unit(index);
    this.#stream.publish(
      new Frame({
        format: lane.format,
        decodeTimeUs: this.#startUs + lane.timeUs(index),
        presentationOffsetUs: 0,
        key,
        damaged: false,
        undecodable: false,
        discontinuity: false,
        ranges: [{ slab: undefined, bytes }],
      }),
    );
  }
}
