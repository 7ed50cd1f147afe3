import { expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import type { LossId } from "../../../src/contract/answer/index.js";
import { LossWatch } from "../../../src/rtsp/client/loss-watch.js";
import type { TrackReceiver } from "../../../src/rtsp/depacketize/track-receiver.js";
import { UnitLosses } from "../../../src/rtsp/depacketize/unit-losses.js";

const SECOND_US = 1_000_000;

function setUp({ withSound = false, stray = 0 } = {}) {
  const track = () => ({ packets: 0, frames: 0, lost: 0, malformed: 0, wrongPayloadType: 0 });
  const [video, sound] = [track(), track()];
  const counted = { stray };
  const losses = new UnitLosses(createLog({ level: "silent" }));
  const receiverOf = (counts: object): TrackReceiver => counts as TrackReceiver;
  const tracks = [video, ...(withSound ? [sound] : [])].map((one) => ({ receiver: receiverOf(one) }));
  const watch = new LossWatch({ losses, tracks, strayPackets: () => counted.stray }, 0);
  const at = (second: number): void => watch.onTick(second * SECOND_US);
  const total = (id: LossId): number => losses.losses.total(id);
  /** The camera sends another payload type than it announced: another receiver takes it. */
  const turn = (at: number): ReturnType<typeof track> => {
    const statistics = track();
    tracks[at] = { receiver: receiverOf(statistics) };
    return statistics;
  };
  return { video, sound, counted, losses, at, total, turn };
}

it("what another receiver of a track gets counts, from nothing on", () => {
  const { video, sound, at, total, turn, losses } = setUp({ withSound: true });
  Object.assign(video, { packets: 90, lost: 50 });
  at(2);
  const [pictures, heard] = [turn(0), turn(1)];
  Object.assign(pictures, { packets: 20, lost: 7, wrongPayloadType: 3 });
  Object.assign(heard, { packets: 20 });
  for (const second of [4, 6, 8, 10]) at(second);
  expect([total("packets-lost"), total("other-payload-type")]).toEqual([57, 3]);
  expect(sound.packets).toBe(0);
  expect(losses.losses.isNamed("sound-not-sent")).toBe(false);
});

it("what was received is compared every two seconds, and each difference counted once", () => {
  const { video, sound, at, total } = setUp({ withSound: true });
  Object.assign(video, { lost: 3, malformed: 4 });
  Object.assign(sound, { lost: 5, malformed: 6 });
  const ids = ["packets-lost", "malformed-packets", "sound-packets-lost", "sound-unreadable"] as const;
  at(1.9);
  expect(ids.map(total)).toEqual([0, 0, 0, 0]);
  at(2);
  at(3.9);
  at(4);
  expect(ids.map(total)).toEqual([3, 4, 5, 6]);
  Object.assign(video, { lost: 10 });
  at(6);
  expect(ids.map(total)).toEqual([10, 4, 5, 6]);
});

it("packets on other channels count from the session's beginning", () => {
  const { counted, at, total } = setUp({ stray: 7 });
  at(2);
  expect(total("other-channel")).toBe(0);
  counted.stray = 9;
  at(4);
  at(6);
  expect(total("other-channel")).toBe(2);
});

it("pictures are missing after three comparisons with packets and without one, where there were some before", () => {
  const { video, at, total } = setUp();
  let second = 0;
  const compare = (packets: number, frames: number): number => {
    video.packets += packets;
    video.frames += frames;
    second += 2;
    at(second);
    return total("no-picture");
  };
  expect([5, 5, 5, 5].map((packets) => compare(packets, 0))).toEqual([0, 0, 0, 0]);
  compare(5, 1);
  expect([compare(5, 0), compare(5, 0), compare(0, 0), compare(5, 0), compare(5, 0)]).toEqual([
    0, 0, 0, 1, 2,
  ]);
  compare(5, 1);
  expect([compare(5, 0), compare(5, 0), compare(5, 0)]).toEqual([2, 2, 3]);
});

it("sound that was set up is missing after eight seconds without any, while pictures come, until it comes", () => {
  const { video, sound, losses, at } = setUp({ withSound: true });
  const isMissing = (second: number): boolean => {
    at(second);
    return losses.losses.isNamed("sound-not-sent");
  };
  video.packets = 10;
  expect([isMissing(2), isMissing(7)]).toEqual([false, false]);
  // Nothing comes at all.
  expect(isMissing(9)).toBe(false);
  video.packets = 20;
  expect(isMissing(11)).toBe(true);
  sound.packets = 1;
  expect(isMissing(13)).toBe(false);
  expect(isMissing(15)).toBe(false);
});

it("sound is missing at eight seconds, and not before", () => {
  const missingAt = (second: number): boolean => {
    const { video, losses, at } = setUp({ withSound: true });
    video.packets = 10;
    at(second);
    return losses.losses.isNamed("sound-not-sent");
  };
  expect([missingAt(7.999), missingAt(8)]).toEqual([false, true]);
});

it("packets of another type are counted, but not those of the other track on a channel that both share", () => {
  const alone = setUp();
  alone.video.wrongPayloadType = 4;
  alone.at(2);
  expect(alone.total("other-payload-type")).toBe(4);
  const apart = setUp({ withSound: true });
  Object.assign(apart.video, { packets: 10, wrongPayloadType: 1 });
  Object.assign(apart.sound, { packets: 10, wrongPayloadType: 2 });
  apart.at(2);
  expect(apart.total("other-payload-type")).toBe(3);
  const shared = setUp({ withSound: true });
  Object.assign(shared.video, { packets: 30, wrongPayloadType: 12 });
  Object.assign(shared.sound, { packets: 10, wrongPayloadType: 32 });
  shared.at(2);
  expect(shared.total("other-payload-type")).toBe(2);
});
