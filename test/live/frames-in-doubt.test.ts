import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Codec,
  DecodeTimeline,
  DOUBT_WAIT_US_MAX,
  Frame,
  FramesInDoubt,
  StreamClock,
  type TrackKind,
} from "../../src/live/index.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const SECOND_US = 1_000_000;
const VIDEO = { codec: Codec.MPEG4, width: 16, height: 16, configuration: new Uint8Array() } as never;
const AUDIO = { codec: Codec.PCMA, sampleRate: 8000, channels: 1 } as never;

interface Published {
  readonly isAudio: boolean;
  readonly number: number;
  readonly timeUs: number;
  readonly shownUs: number;
  readonly nowUs: number;
}

/** A session's tracks with their clocks, and what comes out behind the frames in doubt. */
class Session {
  readonly clock = new SimulatedClock();
  readonly published: Published[] = [];
  readonly cameUs: number[] = [];
  readonly startUs = this.clock.monotonicUs();
  readonly frames = new FramesInDoubt((frame) => {
    this.published.push({
      isAudio: frame.isAudio,
      number: Buffer.from(frame.copyBytes()).readUInt16BE(0),
      timeUs: frame.decodeTimeUs,
      shownUs: frame.decodeTimeUs + frame.presentationOffsetUs,
      nowUs: this.nowUs,
    });
    frame.release();
  });
  readonly #stream = new StreamClock(this.clock);
  readonly #decode = new DecodeTimeline();
  readonly #tracks = { video: this.#stream.openTrack("video"), audio: this.#stream.openTrack("audio") };

  get nowUs(): number {
    return this.clock.monotonicUs() - this.startUs;
  }

  /** A frame with this time of the camera's clock comes so long after the start. */
  comes(cameUs: number, rawUs: number, kind: TrackKind = "video", byteLength = 2): void {
    if (cameUs > this.nowUs) this.clock.advance(cameUs - this.nowUs);
    const track = this.#tracks[kind];
    const mediaUs = track.media(rawUs);
    const decodeUs = kind === "video" ? this.#decode.next(mediaUs, false).decodeUs : mediaUs;
    const time = track.stamp(decodeUs, undefined, undefined, mediaUs);
    if (time === undefined) throw new Error("there is a picture before");
    const bytes = Buffer.alloc(byteLength);
    bytes.writeUInt16BE(this.cameUs.push(this.clock.nowUs()) - 1);
    const frame = new Frame({
      ...{ format: kind === "video" ? VIDEO : AUDIO, decodeTimeUs: time.timeUs, presentationOffsetUs: 0 },
      ...{ key: false, damaged: false, undecodable: false, discontinuity: time.discontinuity },
      ranges: [{ slab: undefined, bytes }],
    });
    this.frames.take(frame, track.stampDoubt, this.clock.monotonicUs());
  }

  /** How far the time of what was published lies from its arrival, at most. */
  get apartUs(): number {
    return Math.max(
      ...this.published.map(({ number, shownUs }) => Math.abs(shownUs - (this.cameUs[number] ?? 0))),
    );
  }

  expectInOrder(): void {
    const numbers = this.published.map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, at) => at));
    for (const isAudio of [false, true]) {
      const times = this.published.filter((frame) => frame.isAudio === isAudio).map(({ timeUs }) => timeUs);
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    }
  }
}

describe("frames of a camera", () => {
  it("that come in time wait for nothing", () => {
    const session = new Session();
    for (let at = 0; at < 200; at += 1) {
      session.comes(at * 100_000, at * 100_000);
      expect(session.frames.waiting).toBe(0);
    }
    expect(session.published).toHaveLength(200);
  });

  it.each([600_000, 1_500_000, 5_000_000])(
    "that a link holds up for %i µs keep the times of its clock, and wait until one is in time",
    (stallUs) => {
      const session = new Session();
      for (let at = 0; at < 200; at += 1) {
        const takenUs = at * 100_000;
        const isHeld = takenUs >= 10 * SECOND_US && takenUs < 10 * SECOND_US + stallUs;
        session.comes(isHeld ? 10 * SECOND_US + stallUs : takenUs, takenUs);
      }
      const firstUs = session.published[0]?.timeUs ?? 0;
      for (const { number, timeUs } of session.published)
        expect(Math.abs(timeUs - firstUs - number * 100_000)).toBeLessThan(10_000);
      session.expectInOrder();
      expect(session.frames.waiting).toBe(0);
    },
  );

  it("after a pause of any length that its clock does not count are near their arrival", () => {
    const pauses = fc.integer({ min: 500_000, max: 20_000_000 });
    fc.assert(
      fc.property(pauses, fc.constantFrom(5, 10, 25), fc.integer({ min: 6, max: 20 }), (us, rate, from) => {
        const session = new Session();
        for (let at = 0; at < 30 * rate; at += 1) {
          const takenUs = (at * SECOND_US) / rate;
          session.comes(takenUs + (takenUs >= from * SECOND_US ? us : 0), takenUs);
        }
        session.frames.release();
        expect(session.apartUs).toBeLessThan(500_000);
        session.expectInOrder();
      }),
      { numRuns: 100 },
    );
  });

  it("are published in the order in which they came, sound among them", () => {
    const session = new Session();
    for (let at = 0; at < 200; at += 1) {
      const takenUs = at * 100_000 + (at >= 100 ? 3 * SECOND_US : 0);
      session.comes(takenUs, at * 100_000);
      session.comes(takenUs + 20_000, takenUs + 20_000, "audio");
    }
    session.expectInOrder();
    expect(session.published).toHaveLength(400);
    expect(session.apartUs).toBeLessThan(500_000);
  });

  it("wait no longer than they may, and no more until one is in time, where the link stays late", () => {
    const session = new Session();
    // Later by half a second, by chance, from the tenth second on: neither an even nor a caught up lateness.
    const lateUs = (at: number) => (at < 100 ? 0 : 900_000 + ((at * 7919) % 11) * 60_000);
    for (let at = 0; at < 400; at += 1) session.comes(at * 100_000 + lateUs(at), at * 100_000);
    for (const { number, nowUs } of session.published)
      expect(nowUs - ((session.cameUs[number] ?? 0) - (session.cameUs[0] ?? 0))).toBeLessThan(
        DOUBT_WAIT_US_MAX + SECOND_US,
      );
    session.frames.release();
    session.expectInOrder();
  });

  it("do not wait where they would take too much memory", () => {
    const session = new Session();
    for (let at = 0; at < 100; at += 1) session.comes(at * 100_000, at * 100_000);
    // No two of them fit.
    session.comes(13 * SECOND_US, 10 * SECOND_US, "video", 5 * 1024 * 1024);
    expect(session.frames.waiting).toBe(1);
    session.comes(13.1 * SECOND_US, 10.1 * SECOND_US, "video", 5 * 1024 * 1024);
    expect(session.frames.waiting).toBe(0);
    expect(session.published).toHaveLength(102);
  });

  it("wait for the tick that ends their time where nothing follows", () => {
    const session = new Session();
    for (let at = 0; at < 100; at += 1) session.comes(at * 100_000, at * 100_000);
    session.comes(13 * SECOND_US, 10 * SECOND_US);
    session.clock.advance(DOUBT_WAIT_US_MAX);
    session.frames.onTick(session.clock.monotonicUs());
    expect(session.frames.waiting).toBe(1);
    session.clock.advance(1);
    session.frames.onTick(session.clock.monotonicUs());
    expect(session.frames.waiting).toBe(0);
  });
});
