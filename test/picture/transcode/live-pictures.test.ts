import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { US_PER_SECOND } from "../../../src/base/index.js";
import { LiveStream } from "../../../src/live/index.js";
import type { CodedUnit, Picture, PictureTarget, VideoDecoder } from "../../../src/picture/index.js";
import { LivePictures, type PictureTaker } from "../../../src/picture/transcode/live-pictures.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { syntheticFrame } from "../../support/media/synthetic-frames.js";
import { ScriptedCodec } from "../../support/picture/scripted-codec.js";

const FRAMES_A_SECOND = 10;
/** A key frame in each so many frames. */
const GROUP = 20;
const TARGET: PictureTarget = { form: "rgb" };

/** Its decoders note what they are given, and give no pictures. */
class NotingCodec extends ScriptedCodec {
  readonly decoded: CodedUnit[] = [];

  override openVideoDecoder(): never {
    const decoder: Pick<VideoDecoder, "decode" | "flush" | "close" | "busyUs"> = {
      decode: (unit) => {
        this.decoded.push(unit);
        return Promise.resolve([]);
      },
      flush: () => Promise.resolve([]),
      close: () => undefined,
      busyUs: 0,
    };
    return decoder as never;
  }
}

class Taker implements PictureTaker {
  readonly ready = true;
  readonly isNew = false;
  periodUs = 0;

  target(): PictureTarget {
    return TARGET;
  }

  take(_: Picture): void {
    throw new Error("no picture is made");
  }

  fail(error: unknown): void {
    throw error;
  }
}

let clock: SimulatedClock;
let codec: NotingCodec;
let stream: LiveStream;
let taker: Taker;
let pictures: LivePictures;
let frames: number;

beforeEach(() => {
  clock = new SimulatedClock();
  codec = new NotingCodec();
  stream = new LiveStream({ channelId: "22222222-0000-4000-8000-000000000001", streamType: "Main" });
  taker = new Taker();
  pictures = new LivePictures({ stream, codec, clock });
  frames = 0;
});

afterEach(() => {
  pictures.remove(taker);
});

/** Answers which frames were decoded meanwhile, by their number. */
async function play(count: number): Promise<readonly number[]> {
  const before = codec.decoded.length;
  for (const until = frames + count; frames < until; frames++) {
    clock.advance(US_PER_SECOND / FRAMES_A_SECOND);
    const decodeTimeUs = (frames * US_PER_SECOND) / FRAMES_A_SECOND;
    stream.publish(syntheticFrame({ decodeTimeUs, key: frames % GROUP === 0 }));
    await settled();
  }
  return numbers(codec.decoded.slice(before));
}

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function numbers(units: readonly CodedUnit[]): readonly number[] {
  return units.map(({ decodeTimeUs }) => (decodeTimeUs * FRAMES_A_SECOND) / US_PER_SECOND);
}

describe("pictures that are wanted about as seldom as key frames come", () => {
  beforeEach(async () => {
    pictures.add(taker);
    await play(2 * GROUP);
    taker.periodUs = 4 * US_PER_SECOND;
  });

  it("are those of key frames", async () => {
    expect(await play(2 * GROUP)).toEqual([2 * GROUP, 3 * GROUP]);
  });

  it("are all from the next key frame on once they are wanted more often", async () => {
    await play(GROUP + 5);
    taker.periodUs = 0;
    expect(await play(GROUP)).toEqual([
      4 * GROUP,
      4 * GROUP + 1,
      4 * GROUP + 2,
      4 * GROUP + 3,
      4 * GROUP + 4,
    ]);
  });

  it("are all from now on where a taker cannot wait: what was left out of the group is decoded", async () => {
    await play(GROUP + 5);
    taker.periodUs = 0;
    pictures.catchUp();
    await settled();
    const late = numbers(codec.decoded).slice(-5);
    expect(late).toEqual([0, 1, 2, 3, 4].map((frame) => 3 * GROUP + frame));
    expect(await play(2)).toEqual([3 * GROUP + 5, 3 * GROUP + 6]);
  });
});

it("nothing is decoded twice where a taker cannot wait and nothing was left out", async () => {
  pictures.add(taker);
  await play(5);
  pictures.catchUp();
  await settled();
  expect(numbers(codec.decoded)).toEqual([0, 1, 2, 3, 4]);
});
