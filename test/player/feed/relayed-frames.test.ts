import { describe, expect, it } from "vitest";
import { ByteBudget, type Guid, type StreamKey } from "../../../src/base/index.js";
import { type Frame, LiveStream } from "../../../src/live/index.js";
import { FEED_HEADER_BYTES } from "../../../src/player/feed/feed-message.js";
import { LiveFeed } from "../../../src/player/feed/live-feed.js";
import { RelayedFeed } from "../../../src/player/feed/relayed-feed.js";
import { RelayedFrames } from "../../../src/player/feed/relayed-frames.js";
import { FRAME_US, NINE_US } from "../../support/api/api-frames.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { pictures } from "../../support/hls/hls-frames.js";
import { silentLog } from "../../support/site/site-samples.js";

const KEY: StreamKey = {
  channelId: "22222222-0000-4000-8000-0000000000a1" as Guid,
  streamType: "Main",
};

/** Where a message has the lower half of its time. */
const TIME_LOW_AT = 12;

/** A camera's stream at a recorder, what another one is sent of it, and the stream that comes of that. */
class Way {
  readonly camera = new LiveStream(KEY);
  readonly relayed = new RelayedFeed({ feed: 7, budget: new ByteBudget(10_000_000) });
  readonly there = new LiveStream(KEY);
  readonly unreadable: string[] = [];
  readonly frames = new RelayedFrames(this.there, (reason) => this.unreadable.push(reason));
  readonly got: Pick<Frame, "decodeTimeUs" | "presentationOffsetUs" | "key" | "discontinuity">[] = [];
  readonly bytes: Buffer[] = [];

  constructor() {
    this.there.subscribe({ onFrame: (frame) => this.#take(frame) }, { fromGop: true, atOnce: true });
    this.join(this.relayed);
    this.frames.follow(this.relayed);
  }

  /** The recorder sends it over this feed too. */
  join(relayed: RelayedFeed): void {
    const feed = new LiveFeed({
      ...{ stream: this.camera, nextFeed: () => 3, budget: new ByteBudget(10_000_000) },
      ...{ clock: new SimulatedClock(), log: silentLog },
    });
    feed.join({
      takesSound: () => false,
      onStart: ({ init, width, height }) => {
        relayed.announce({ mime: init.mime, width, height });
        relayed.take(init.message);
      },
      onMessage: ({ bytes }) => relayed.take(bytes),
      onFailure: (error) => {
        throw error;
      },
    });
  }

  publish(frames: readonly Frame[]): Buffer[] {
    const sent = frames.map((frame) => frame.copyBytes());
    for (const frame of frames) this.camera.publish(frame);
    return sent;
  }

  #take(frame: Frame): void {
    const { decodeTimeUs, presentationOffsetUs, key, discontinuity } = frame;
    this.got.push({ decodeTimeUs, presentationOffsetUs, key, discontinuity });
    this.bytes.push(frame.copyBytes());
  }
}

describe("frames of a stream that another recorder makes fragments of", () => {
  it("are what the camera sent, key frames with their parameter sets", () => {
    const way = new Way();

    const sent = [
      ...way.publish(pictures(30, { gop: 25 })),
      ...way.publish(pictures(10, { from: 30, bytes: 4000 })),
    ];

    expect(way.unreadable).toEqual([]);
    expect(way.bytes).toEqual(sent);
    expect(way.got.map(({ key }, at) => (key ? at : -1)).filter((at) => at >= 0)).toEqual([0, 25, 30]);
    expect(way.got.map(({ discontinuity }) => discontinuity).indexOf(true, 1)).toBe(-1);
  });

  it("come once and go on where another feed takes the place of the first", () => {
    const way = new Way();
    const first = way.publish(pictures(10, { gop: 100 }));
    const next = new RelayedFeed({ feed: 8, budget: new ByteBudget(10_000_000) });
    way.camera.setState({ state: "active" });
    way.join(next);

    way.frames.follow(next);
    const second = way.publish(pictures(10, { from: 10, gop: 100 }));

    expect(way.bytes).toEqual([...first, ...second]);
  });

  it("go on with a key frame behind pictures that were left out, as after a gap", () => {
    const way = new Way();
    way.publish(pictures(3, { gop: 100 }));
    way.frames.follow(undefined);
    way.publish(pictures(3, { from: 3, gop: 100 }).slice(1));
    way.relayed.interrupt();
    way.frames.follow(way.relayed);
    way.publish(pictures(2, { from: 10, gop: 100 }));

    expect(way.got).toHaveLength(5);
    expect(way.got[3]).toMatchObject({ key: true, discontinuity: true });
  });

  it("go on where the recorder's clock was set back", () => {
    const way = new Way();
    way.publish(pictures(3, { from: 100 }));
    const next = new RelayedFeed({ feed: 8, budget: new ByteBudget(10_000_000) });
    way.camera.setState({ state: "idle" });
    way.join(next);

    way.frames.follow(next);
    way.publish(pictures(3));

    expect(way.got.map(({ decodeTimeUs }) => (decodeTimeUs - NINE_US) / FRAME_US)).toEqual([
      ...[100, 101, 102, 0, 1, 2],
    ]);
    expect(way.got[3]).toMatchObject({ key: true, discontinuity: true });
  });

  it("end with what cannot be read, and it is said", () => {
    const way = new Way();
    way.publish(pictures(1));
    const [kept] = way.relayed.gop;
    if (kept === undefined) throw new Error("nothing was kept");
    const message = Buffer.from(kept.bytes);
    message.writeUInt32BE(kept.sequence + 1, FEED_HEADER_BYTES - 4);
    message.writeUInt32BE(message.readUInt32BE(TIME_LOW_AT) + 40_000, TIME_LOW_AT);
    // The first NAL unit would be longer than the picture.
    message.writeUInt32BE(0xffff_0000, message.lastIndexOf("mdat") + 4);

    way.relayed.take(message);

    expect(way.unreadable).toEqual([expect.stringContaining("NAL unit")]);
    expect(way.got).toHaveLength(1);
  });
});
