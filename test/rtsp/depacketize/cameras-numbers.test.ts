import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { ReorderBuffer } from "../../../src/rtsp/index.js";
import { H264_SETS, H264_SPROP, idr, slice } from "../../support/media/sample-nal-units.js";
import { annexB, fuA, rtpPacket } from "../../support/rtsp/rtp-packets.js";
import { TrackHarness } from "../../support/rtsp/track-harness.js";

const SECOND_US = 1_000_000;
const FPS = 10;
const GOP = 20;
const PICTURES = 300;
const APART_US_MAX = 500_000;

interface Place {
  readonly picture: number;
  /** Of all packets. */
  readonly packet: number;
}

/** Numbers of a camera's packets: how they begin anew, repeat or are missing. */
interface Numbering {
  readonly ssrc: (place: Place) => number;
  readonly sequence: (place: Place) => number;
}

const group = ({ picture }: Place) => Math.floor(picture / GOP);
const counted = ({ packet }: Place) => packet;
const one = () => 0x1234;
/** Packets of a group are fewer than this. */
const GROUP_PACKETS = 200;
const ofGroup = (place: Place) => place.packet % GROUP_PACKETS;

const NUMBERINGS: readonly (readonly [string, Numbering, "any" | "tcp"])[] = [
  ["are as they should", { ssrc: one, sequence: counted }, "any"],
  ["have another SSRC for each group", { ssrc: group, sequence: counted }, "any"],
  [
    "have another SSRC and sequence for each group",
    { ssrc: group, sequence: (place) => group(place) * 7919 + place.packet },
    "any",
  ],
  ["have another SSRC for each packet", { ssrc: ({ packet }) => packet, sequence: counted }, "any"],
  ["have two SSRCs in turn", { ssrc: ({ packet }) => packet % 2, sequence: counted }, "any"],
  ["begin their sequence anew now and then", { ssrc: one, sequence: ofGroup }, "any"],
  ["have a sequence that stands still", { ssrc: one, sequence: () => 7 }, "any"],
  ["have each number twice", { ssrc: one, sequence: ({ packet }) => packet >> 1 }, "any"],
  ["wrap", { ssrc: one, sequence: ({ packet }) => packet + 65_000 }, "any"],
  ["count by two", { ssrc: one, sequence: ({ packet }) => 2 * packet }, "tcp"],
  ["count backwards", { ssrc: one, sequence: ({ packet }) => 65_535 - packet }, "tcp"],
  ["are at random", { ssrc: one, sequence: ({ packet }) => packet * 40_503 }, "tcp"],
];

/** How many of the newest packets are sent once more behind this one. */
type Again = (place: Place) => number;

const AGAIN: readonly (readonly [string, Again])[] = [
  ["each packet", () => 1],
  ["one packet in 20", ({ packet }) => (packet % 20 === 19 ? 1 : 0)],
  ["the newest seven packets now and then", ({ packet }) => (packet % 50 === 49 ? 7 : 0)],
  ["the newest 300 packets now and then", ({ packet }) => (packet % 400 === 399 ? 300 : 0)],
];

/** Timestamps of picture `picture`, in ticks of 90 kHz. */
type Stamps = (picture: number) => number;

const STAMPS: readonly (readonly [string, Stamps])[] = [
  ["sane", (picture) => picture * 9000],
  ["wild now and then", (picture) => (picture % 23 === 22 ? picture * 777_777 : picture * 9000)],
  ["stamped 25 a second", (picture) => picture * 3600],
  ["of 1000 Hz", (picture) => picture * 100],
  ["standing still", () => 0],
  ["begun anew with each group", (picture) => (picture % GOP) * 9000],
  ["about to wrap", (picture) => 2 ** 32 - 900_000 + picture * 9000],
];

function pictureOf(index: number): Buffer {
  return index % GOP === 0 ? idr(900 + index, index) : slice(300 + (index % 200), index);
}

/** What is published of a camera's pictures over TCP or UDP. */
function play(
  numbering: Numbering,
  stamps: Stamps,
  transport: "tcp" | "udp",
  again: Again = () => 0,
): TrackHarness & { arrivals: number[] } {
  const track = new TrackHarness({
    codec: Codec.H264,
    fmtp: { "sprop-parameter-sets": H264_SPROP },
    transport,
    keepsOrder: transport === "tcp",
  });
  const reorder = new ReorderBuffer({
    clock: track.clock,
    deliver: (buffer, start, end) => track.receiver.receive(buffer, start, end),
  });
  const arrivals: number[] = [];
  const sent: Buffer[] = [];
  let packet = 0;
  for (let picture = 0; picture < PICTURES; picture += 1) {
    arrivals.push(track.clock.nowUs());
    const fragments = fuA(pictureOf(picture), 250);
    for (const payload of fragments) {
      const place = { picture, packet };
      const marker = payload === fragments.at(-1);
      const numbers = { ssrc: numbering.ssrc(place), sequence: numbering.sequence(place) };
      const bytes = rtpPacket({ ...numbers, timestamp: stamps(picture) % 2 ** 32, marker }, payload);
      sent.push(bytes);
      const repeated = again(place);
      const due = repeated > 0 ? [bytes, ...sent.slice(-repeated)] : [bytes];
      for (const one of due)
        if (transport === "tcp") track.packet(one);
        else reorder.push(one, 0, one.length);
      packet += 1;
    }
    track.clock.advance(SECOND_US / FPS);
  }
  track.clock.advance(SECOND_US);
  reorder.flush();
  track.flush();
  return Object.assign(track, { arrivals });
}

/** Each picture once, whole, in order, in one fragment, and near its arrival. */
function expectWhole({ frames, arrivals }: ReturnType<typeof play>): void {
  const sent = Array.from({ length: PICTURES }, (_, index) =>
    index % GOP === 0 ? Buffer.concat([H264_SETS, annexB(pictureOf(index))]) : annexB(pictureOf(index)),
  );
  expect(frames).toHaveLength(PICTURES);
  frames.forEach(({ bytes }, index) => {
    if (!bytes.equals(sent[index] ?? Buffer.alloc(0))) expect.unreachable(`picture ${index} is another one`);
  });
  expect(frames.filter(({ damaged, undecodable }) => damaged || undecodable)).toEqual([]);
  expect(frames.filter(({ discontinuity }) => discontinuity)).toHaveLength(1);
  frames.forEach(({ decodeTimeUs, presentationOffsetUs }, index) => {
    const apartUs = decodeTimeUs + presentationOffsetUs - (arrivals[index] ?? 0);
    if (Math.abs(apartUs) > APART_US_MAX)
      expect.unreachable(`picture ${index} is ${apartUs} µs from its arrival`);
    if (index > 0 && decodeTimeUs <= (frames[index - 1]?.decodeTimeUs ?? 0))
      expect.unreachable(`${index} goes back`);
  });
}

describe("packets whose numbers", () => {
  it.each(NUMBERINGS)("%s lose no picture over TCP", (_name, numbering) => {
    expectWhole(play(numbering, (picture) => picture * 9000, "tcp"));
  });

  it.each(NUMBERINGS.filter(([, , transport]) => transport === "any"))(
    "%s lose no picture over UDP",
    (_name, numbering) => {
      expectWhole(play(numbering, (picture) => picture * 9000, "udp"));
    },
  );
});

describe.each(["tcp", "udp"] as const)("a camera over %s", (transport) => {
  // A reorder buffer remembers fewer packets.
  const few = AGAIN.filter(([, again]) => transport === "tcp" || again({ packet: 399, picture: 0 }) < 64);

  it.each(few)("that sends %s once more records each picture once", (_name, again) => {
    expectWhole(play(NUMBERINGS[0]?.[1] ?? expect.fail(), (picture) => picture * 9000, transport, again));
  });
});

describe("pictures whose timestamps are", () => {
  it.each(STAMPS)("%s are recorded whole, in one fragment, near their arrival", (_name, stamps) => {
    expectWhole(play({ ssrc: one, sequence: counted }, stamps, "tcp"));
  });

  it("any of these, with any numbers, are recorded likewise", () => {
    fc.assert(
      fc.property(fc.constantFrom(...NUMBERINGS), fc.constantFrom(...STAMPS), ([, numbering], [, stamps]) =>
        expectWhole(play(numbering, stamps, "tcp")),
      ),
      { numRuns: 25 },
    );
  });
});
