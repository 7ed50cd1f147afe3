import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { H264_SETS, H264_SPROP, idr, slice } from "../../support/media/sample-nal-units.js";
import { annexB, fuA } from "../../support/rtsp/rtp-packets.js";
import { TrackHarness } from "../../support/rtsp/track-harness.js";

const FRAME_TICKS = 3600;
const START = 0x80;
const END = 0x40;
const WITH_SPROP = { codec: Codec.H264, fmtp: { "sprop-parameter-sets": H264_SPROP } };

/** Fragments with other bits. */
function fragments(unit: Buffer, change: (bits: number) => number): Buffer[] {
  return fuA(unit, 1000).map((fragment) => {
    const copy = Buffer.from(fragment);
    copy[1] = change(copy[1] ?? 0);
    return copy;
  });
}

/** The timestamp of a fragment of a picture. */
type Stamp = (picture: number, fragment: number) => number;
const BY_PICTURE: Stamp = (picture) => picture * FRAME_TICKS;

/** Sends the fragments of each unit as a picture. */
function sendPictures(
  track: TrackHarness,
  units: readonly Buffer[],
  change: (bits: number) => number,
  stamp = BY_PICTURE,
): void {
  for (const [at, unit] of units.entries())
    fragments(unit, change).forEach((fragment, index, all) => {
      track.send({ timestamp: stamp(at, index), marker: index === all.length - 1 }, fragment);
    });
}

describe("bits of fragments that say nothing", () => {
  const KINDS: readonly (readonly [string, (bits: number) => number])[] = [
    ["no start bit", (bits) => bits & ~START],
    ["neither bit", (bits) => bits & ~(START | END)],
    ["a start bit each", (bits) => bits | START],
    ["an end bit each", (bits) => bits | END],
    ["both bits each", (bits) => bits | START | END],
  ];

  const STAMPS: readonly (readonly [string, Stamp])[] = [
    ["a timestamp for each picture", BY_PICTURE],
    ["one for each fragment", (picture, fragment) => picture * FRAME_TICKS + 10 * fragment],
    ["one for two pictures", (picture) => (picture >> 1) * FRAME_TICKS],
    ["one that stands still", () => 0],
  ];
  const CASES = STAMPS.flatMap(([stamped, stamp]) =>
    KINDS.map(([bits, change]) => ({ bits, stamped, change, stamp })),
  );

  it.each(CASES)("$bits, and $stamped: each picture is whole, once", ({ change, stamp }) => {
    const track = new TrackHarness(WITH_SPROP);
    const pictures = [idr(5000), slice(3500, 4), slice(2500, 5), idr(4000, 6), slice(3000, 7)];
    // What a session begins with has to be known for the beginning of a unit.
    track.send({ timestamp: 2 ** 32 - FRAME_TICKS, marker: true }, slice());
    sendPictures(track, pictures, change, stamp);
    track.flush();
    const bytes = pictures.map((unit) =>
      unit[0] === 0x65 ? Buffer.concat([H264_SETS, annexB(unit)]) : annexB(unit),
    );
    expect(track.frames.map((frame) => frame.bytes)).toEqual(bytes);
    expect(track.frames.map(({ damaged }) => damaged)).toEqual(bytes.map(() => false));
  });

  it("a session that begins within a key frame has no key frame of what is left of it", () => {
    const track = new TrackHarness(WITH_SPROP);
    for (const fragment of fuA(idr(5000), 1000).slice(2)) track.send({ timestamp: 0 }, fragment);
    for (const fragment of fuA(idr(5000, 9, false), 1000)) track.send({ timestamp: 0 }, fragment);
    track.send({ timestamp: FRAME_TICKS, marker: true }, slice());
    expect(track.frames.filter(({ key }) => key)).toEqual([]);
  });

  it("a loss of a unit's beginning is one where start bits are set", () => {
    const track = new TrackHarness(WITH_SPROP);
    sendPictures(track, [idr(3000)], (bits) => bits);
    track.lose();
    const [, ...rest] = fuA(slice(3000, 4), 1000);
    for (const [index, fragment] of rest.entries())
      track.send({ timestamp: FRAME_TICKS, marker: index === rest.length - 1 }, fragment);
    sendPictures(track, [slice(30)], (bits) => bits);
    expect(track.frames.slice(1).every(({ damaged }) => damaged)).toBe(true);
  });
});
