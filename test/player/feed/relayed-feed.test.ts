import { describe, expect, it } from "vitest";
import { ByteBudget } from "../../../src/base/index.js";
import { type AudioFormat, Codec } from "../../../src/live/codec/codec.js";
import type { FeedMessage } from "../../../src/player/feed/feed-message.js";
import { FeedFlag } from "../../../src/player/feed/feed-message.js";
import { FeedPeriod } from "../../../src/player/feed/feed-period.js";
import type { FeedStart, FeedViewer } from "../../../src/player/feed/live-feed.js";
import { RelayedFeed } from "../../../src/player/feed/relayed-feed.js";
import { soundMaker } from "../../../src/player/feed/sound-maker.js";
import { videoTrackAlone } from "../../../src/player/mp4/video-track-alone.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { H264_FORMAT } from "../../support/hls/hls-frames.js";
import { H264_PPS, H264_SPS, idr, slice } from "../../support/media/sample-nal-units.js";
import { annexB } from "../../support/rtsp/rtp-packets.js";

const G711: AudioFormat = {
  ...{ codec: Codec.PCMU, sampleRate: 8000, channels: 1, initialization: new Uint8Array(0) },
};
const SIZE = { width: 160, height: 120 };

/** What a recorder sends of one camera. */
class Recorder {
  readonly period = new FeedPeriod({
    ...{ feed: 7, format: H264_FORMAT, decodeTimeUs: NINE_US, isShownAsDecoded: false },
    keyFrame: Buffer.from(annexB(H264_SPS, H264_PPS, idr(60, 0))),
  });
  readonly #maker = soundMaker(G711);
  #sequence = 0;

  get track() {
    if (this.#maker === undefined) throw new Error("no sound");
    return this.#maker.track;
  }

  picture(key: boolean): Buffer {
    this.#sequence += 1;
    const unit = key ? annexB(H264_SPS, H264_PPS, idr(60, 0)) : annexB(slice(60, this.#sequence));
    return this.period.picture({
      ...{ key, bytes: Buffer.from(unit), sequence: this.#sequence, handoverUs: NINE_US, flags: 0 },
      ...{ decodeTimeUs: NINE_US + 40_000 * this.#sequence, presentationOffsetUs: 0, durationUs: 40_000 },
    });
  }

  sound(): Buffer {
    const { track } = this;
    const [piece] = [...(this.#maker?.push(Buffer.alloc(8000), NINE_US) ?? [])];
    const message =
      piece === undefined
        ? undefined
        : this.period.sound({ ...piece, track, handoverUs: NINE_US, flags: FeedFlag.sound });
    if (message === undefined) throw new Error("no sound was made");
    return message;
  }
}

class Viewer implements FeedViewer {
  readonly starts: FeedStart[] = [];
  messages: FeedMessage[] = [];
  takes: boolean;

  constructor(takes = false) {
    this.takes = takes;
  }

  takesSound(): boolean {
    return this.takes;
  }

  onStart(start: FeedStart): void {
    this.starts.push(start);
  }

  onMessage(message: FeedMessage): void {
    this.messages.push(message);
  }

  onFailure(): void {
    throw new Error("it cannot fail");
  }

  get sequences(): number[] {
    return this.messages.filter(({ sound }) => !sound).map(({ sequence }) => sequence);
  }
}

function newFeed(bytes = 1_000_000): { readonly feed: RelayedFeed; readonly budget: ByteBudget } {
  const budget = new ByteBudget(bytes);
  return { feed: new RelayedFeed({ feed: 42, budget }), budget };
}

describe("a stream that another recorder makes", () => {
  it("is for those with and without sound what the recorder itself sends to each", () => {
    const recorder = new Recorder();
    const { feed } = newFeed();
    const [silent, hearing] = [new Viewer(), new Viewer(true)];
    feed.join(silent);
    feed.join(hearing);
    const { mime, message } = recorder.period.init(recorder.track);
    feed.announce({ mime, ...SIZE });

    feed.take(message);

    const own = recorder.period.init(undefined);
    expect(silent.starts[0]).toMatchObject({
      feed: 42,
      init: { mime: own.mime, sound: false },
      isSoundLeft: true,
    });
    expect(silent.starts[0]?.init.message.subarray(32)).toEqual(own.message.subarray(32));
    expect(hearing.starts[0]).toMatchObject({ init: { mime, sound: true }, isSoundLeft: false });
    expect(hearing.starts[0]?.init.message.readUInt32BE(4)).toBe(42);
  });

  it("begins anew when sound is added for those alone who take it", () => {
    const recorder = new Recorder();
    const { feed } = newFeed();
    const [silent, hearing] = [new Viewer(), new Viewer(true)];
    feed.join(silent);
    feed.join(hearing);
    const [without, and] = [recorder.period.init(undefined), recorder.period.init(recorder.track)];
    feed.announce({ mime: without.mime, ...SIZE });
    feed.take(without.message);
    const pictures = [recorder.picture(true), recorder.picture(false)];
    for (const picture of pictures) feed.take(picture);
    feed.announce({ mime: and.mime, ...SIZE });
    feed.take(and.message);
    // As a recorder does it: the newest group comes again.
    for (const picture of pictures) feed.take(picture);
    feed.take(recorder.sound());

    expect(silent.starts).toHaveLength(1);
    expect(silent.sequences).toEqual([1, 2]);
    expect(hearing.starts).toHaveLength(2);
    expect(hearing.sequences).toEqual([1, 2, 1, 2]);
    expect(hearing.messages.filter(({ sound }) => sound)).toHaveLength(1);
  });

  it("keeps the newest group of pictures for who joins, within the budget, and none over a gap", () => {
    const recorder = new Recorder();
    const { feed, budget } = newFeed();
    const { mime, message } = recorder.period.init(undefined);
    feed.announce({ mime, ...SIZE });
    feed.take(message);
    for (const key of [true, false, true, false, false]) feed.take(recorder.picture(key));
    const late = new Viewer();
    feed.join(late);
    expect(late.sequences).toEqual([3, 4, 5]);
    expect(budget.bytes).toBeGreaterThan(0);

    feed.interrupt();
    const later = new Viewer();
    feed.join(later);
    expect(later.starts).toHaveLength(1);
    expect(later.sequences).toEqual([]);
    expect(budget.bytes).toBe(0);
  });

  it("keeps nothing where the budget is used up, and sends on", () => {
    const recorder = new Recorder();
    const { feed, budget } = newFeed(100);
    const viewer = new Viewer();
    feed.join(viewer);
    const { mime, message } = recorder.period.init(undefined);
    feed.announce({ mime, ...SIZE });
    feed.take(message);
    feed.take(recorder.picture(true));
    feed.take(recorder.picture(false));

    expect(viewer.sequences).toEqual([1, 2]);
    expect(feed.gop).toEqual([]);
    expect(budget.bytes).toBe(0);
  });

  it.each([
    ["too short a message", (): Buffer => Buffer.alloc(31)],
    ["an init segment of no stream", (): Buffer => new Recorder().period.init(undefined).message],
  ])("refuses %s", (_, made) => {
    expect(() => newFeed().feed.take(made())).toThrow(RangeError);
  });

  it("refuses an init segment with sound that is cut or altered, wherever, or shows it without sound", () => {
    const recorder = new Recorder();
    const init = recorder.period.init(recorder.track).message.subarray(32);
    for (let at = 1; at < init.length; at += 1) {
      const cut = (): Buffer => videoTrackAlone(init.subarray(0, at));
      // A cut between two boxes leaves whole ones.
      if (at !== init.readUInt32BE(0)) expect(cut, `cut at ${at}`).toThrow(RangeError);
      const altered = Buffer.from(init);
      altered[at] = (altered[at] ?? 0) ^ 0xff;
      try {
        expect(videoTrackAlone(altered).length).toBeLessThanOrEqual(init.length);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }
  });
});
