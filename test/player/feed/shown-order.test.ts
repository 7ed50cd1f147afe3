import { expect, it } from "vitest";
import { ByteBudget, newGuid } from "../../../src/base/index.js";
import { BitWriter, preventEmulation } from "../../../src/live/codec/bit-writer.js";
import { Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import { h264Reordering } from "../../../src/live/codec/h264-sps.js";
import { Frame, LiveStream } from "../../../src/live/index.js";
import { type FeedStart, LiveFeed } from "../../../src/player/feed/live-feed.js";
import { FRAME_US, NINE_US } from "../../support/api/api-frames.js";
import { SILENT_LOG } from "../../support/archive/index-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { H264_PPS, idr, slice } from "../../support/media/sample-nal-units.js";
import { annexB } from "../../support/rtsp/rtp-packets.js";

const GOP = 20;
const SPS_TYPE = 0x67;

/** An SPS of the main profile as many cameras send it: B-frames are possible, and nothing says whether there are any. */
function openSps(): Buffer {
  const writer = new BitWriter();
  writer.bits(77, 8);
  writer.bits(0, 8);
  writer.bits(30, 8);
  // seq_parameter_set_id, log2_max_frame_num_minus4, pic_order_cnt_type, log2_max_pic_order_cnt_lsb_minus4, max_num_ref_frames.
  for (const value of [0, 0, 0, 0, 4]) writer.unsignedGolomb(value);
  writer.bit(0);
  // 160x128.
  for (const value of [9, 7]) writer.unsignedGolomb(value);
  // frame_mbs_only_flag, direct_8x8_inference_flag, frame_cropping_flag, vui_parameters_present_flag, and the trailing bits.
  for (const bit of [1, 1, 0, 0, 1]) writer.bit(bit);
  writer.align();
  return Buffer.concat([Buffer.of(SPS_TYPE), preventEmulation(writer.bytes)]);
}

const SPS = openSps();
const FORMAT: VideoFormat = {
  codec: Codec.H264,
  width: 160,
  height: 128,
  initialization: annexB(SPS, H264_PPS),
};

function frame(number: number, presentationOffsetUs: number): Frame {
  const key = number % GOP === 0;
  return new Frame({
    ...{ format: FORMAT, decodeTimeUs: NINE_US + number * FRAME_US, presentationOffsetUs, key },
    ...{ damaged: false, undecodable: false, discontinuity: false },
    ranges: [
      { slab: undefined, bytes: key ? annexB(SPS, H264_PPS, idr(60, number)) : annexB(slice(60, number)) },
    ],
  });
}

/** What the SPS in an init segment says. */
function isRestricted({ init }: FeedStart): boolean | undefined {
  const { message } = init;
  const avcC = message.indexOf("avcC") + 4;
  const bytes = message.readUInt16BE(avcC + 6);
  return h264Reordering(message.subarray(avcC + 8, avcC + 8 + bytes))?.isRestricted;
}

class Watched {
  readonly stream = new LiveStream({ channelId: newGuid(), streamType: "Main" });
  readonly starts: (boolean | undefined)[] = [];
  #feeds = 0;
  #frames = 0;

  watch(): void {
    const feed = new LiveFeed({
      ...{ stream: this.stream, budget: new ByteBudget(1e8), clock: new SimulatedClock(NINE_US) },
      ...{ log: SILENT_LOG, nextFeed: () => (this.#feeds += 1) },
    });
    feed.join({
      takesSound: () => false,
      onStart: (start) => this.starts.push(isRestricted(start)),
      onMessage: () => undefined,
      onFailure: (error) => {
        throw error;
      },
    });
  }

  publish(groups: number, presentationOffsetUs = 0): void {
    for (let at = 0; at < groups * GOP; at += 1) {
      this.stream.publish(frame(this.#frames, presentationOffsetUs));
      this.#frames += 1;
    }
  }
}

it("a stream that has shown that it has no B-frames says so in its init segment", () => {
  const watched = new Watched();
  watched.publish(3);
  watched.watch();
  expect(watched.starts).toEqual([true]);
});

it("the init segment says so as soon as it is known, once", () => {
  const watched = new Watched();
  watched.watch();
  watched.publish(1);
  expect(watched.starts).toEqual([false]);
  watched.publish(5);
  expect(watched.starts).toEqual([false, true]);
});

it("a stream with B-frames stays as it is", () => {
  const watched = new Watched();
  watched.watch();
  watched.publish(6, FRAME_US);
  expect(watched.starts).toEqual([false]);
});

it("a camera that begins with B-frames gets an init segment without the statement", () => {
  const watched = new Watched();
  watched.publish(3);
  watched.watch();
  watched.publish(2, FRAME_US);
  expect(watched.starts).toEqual([true, false]);
});
