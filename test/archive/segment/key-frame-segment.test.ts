import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { fragmentOrigin, isKeyFramesFragment, keyFramesFragmentId } from "../../../src/archive/index.js";
import { newCameraFragmentId } from "../../../src/archive/segment/fragment-origin.js";
import { isKeyFramesHead, keyFrameSegment } from "../../../src/archive/segment/key-frame-segment.js";
import { newGuid } from "../../../src/base/index.js";
import { AUDIO, newStreamKey, patternBytes } from "../../support/archive/archive-fixture.js";
import { type MadeFrame, segmentOfFrames } from "../../support/archive/segment-bytes.js";

const FROM_US = 1_704_067_200_000_000;
const FRAME_US = 40_000;

/** 50 frames a GOP of two seconds, and sound between; the first frame is sound where `soundFirst` says so. */
function framesOf(gops: number, soundFirst = false): MadeFrame[] {
  const frames: MadeFrame[] = soundFirst
    ? [{ decodeTimeUs: FROM_US, isSound: true, payload: patternBytes(160, 7) }]
    : [];
  const beginUs = FROM_US + (soundFirst ? 10_000 : 0);
  for (let at = 0; at < gops * 50; at++) {
    const key = at % 50 === 0;
    const payload = patternBytes(key ? 9000 + at : 700, at);
    frames.push({ decodeTimeUs: beginUs + at * FRAME_US, key, payload });
    if (at % 5 === 0)
      frames.push({ decodeTimeUs: beginUs + at * FRAME_US, isSound: true, payload: patternBytes(160, at) });
  }
  return frames;
}

const identity = () => ({
  ...{ key: newStreamKey(), nonce: randomBytes(8) },
  ...{ fragmentId: newGuid(), volumeId: newGuid(), bootId: newGuid() },
});

/** As a file is read; chunks of an odd size. */
function sourceOf(bytes: Buffer) {
  return {
    bytes: bytes.length,
    read: (position: number, length: number) => bytes.subarray(position, position + length),
    async *chunks(from: number, to: number) {
      for (let at = from; at < to; at += 1000) yield bytes.subarray(at, Math.min(to, at + 1000));
    },
  };
}

async function keyFramesOf(bytes: Buffer): Promise<Buffer | undefined> {
  const made = await keyFrameSegment(sourceOf(bytes));
  if (made === undefined) return undefined;
  const records = made.records.map(({ offset, bytes: length }) => bytes.subarray(offset, offset + length));
  const all = Buffer.concat([made.head, ...records, made.end]);
  expect(made.bytes).toBe(all.length);
  return all;
}

it.each([false, true])(
  "are what a writer would have made of them alone, byte for byte; sound first: %s",
  async (first) => {
    const frames = framesOf(4, first);
    const toUs = FROM_US + 8_000_000;
    const fields = { ...identity(), fromUs: FROM_US, toUs };
    const whole = segmentOfFrames(frames, { ...fields, audio: AUDIO });
    const alone = segmentOfFrames(
      frames.filter(({ key }) => key),
      { ...fields, fragmentId: keyFramesFragmentId(fields.fragmentId) ?? "" },
    );
    expect(await keyFramesOf(whole.closed)).toEqual(alone.closed);
    expect(isKeyFramesHead(alone.closed)).toBe(true);
    expect(isKeyFramesHead(whole.closed)).toBe(false);
  },
);

it("leave out those that are closer than a second: of MJPEG each picture is one", async () => {
  const frames = Array.from({ length: 100 }, (_, at) => ({
    ...{ decodeTimeUs: FROM_US + at * FRAME_US, key: true, payload: patternBytes(2000, at) },
  }));
  const made = await keyFrameSegment(sourceOf(segmentOfFrames(frames, { toUs: FROM_US + 4_000_000 }).closed));
  expect(made?.gops.map(({ decodeTimeUs }) => (decodeTimeUs - FROM_US) / FRAME_US)).toEqual([
    0, 23, 46, 69, 92,
  ]);
});

it("leave out one that is damaged, and keep the others", async () => {
  const { closed, gops } = segmentOfFrames(framesOf(3), { toUs: FROM_US + 6_000_000 });
  const damaged = Buffer.from(closed);
  const at = (gops[1]?.offset ?? 0) + 4000;
  damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
  const made = await keyFrameSegment(sourceOf(damaged));
  expect(made?.records.map(({ offset }) => offset)).toEqual([gops[0]?.offset, gops[2]?.offset]);
});

it("are nothing where there is none, and an error where the segment was not closed", async () => {
  const frames = framesOf(1).filter(({ key }) => key !== true);
  const keyless = segmentOfFrames(frames, { fromUs: FROM_US, toUs: FROM_US + 2_000_000 });
  expect(await keyFrameSegment(sourceOf(keyless.closed))).toBeUndefined();
  const { open } = segmentOfFrames(framesOf(2), { toUs: FROM_US + 4_000_000 });
  await expect(keyFrameSegment(sourceOf(open))).rejects.toThrow("footer");
});

it("of key frames are the same again", async () => {
  const whole = segmentOfFrames(framesOf(3), { ...identity(), toUs: FROM_US + 6_000_000, audio: AUDIO });
  const once = await keyFramesOf(whole.closed);
  expect(await keyFramesOf(once ?? Buffer.alloc(0))).toEqual(once);
});

it("are a fragment of their own, which says where they come from as the whole one does", () => {
  for (const [id, origin] of [[newGuid(), "recorder"] as const, [newCameraFragmentId(), "camera"] as const]) {
    const own = keyFramesFragmentId(id) ?? "";
    expect([isKeyFramesFragment(id), isKeyFramesFragment(own)]).toEqual([false, true]);
    expect([fragmentOrigin(id), fragmentOrigin(own)]).toEqual([origin, origin]);
    expect(keyFramesFragmentId(own)).toBeUndefined();
    expect(own.replace(/./g, (sign, at) => (at === 14 ? "" : sign))).toBe(
      id.replace(/./g, (sign, at) => (at === 14 ? "" : sign)),
    );
  }
});
