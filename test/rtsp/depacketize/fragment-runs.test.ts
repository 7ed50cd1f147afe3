import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { SlabPool } from "../../../src/live/index.js";
import { ACCESS_UNIT_BYTES_MAX, WINDOW_SLAB_BYTES_MIN } from "../../../src/rtsp/index.js";
import {
  filler,
  H264_RECOVERY_SEI,
  H264_SPROP,
  H265_FMTP,
  h265Slice,
  idr,
  intraSlice,
  slice,
} from "../../support/media/sample-nal-units.js";
import { fuA, h265Fu, interleaved, type RtpFields, rtpPacket } from "../../support/rtsp/rtp-packets.js";
import type { HarnessOptions } from "../../support/rtsp/track-harness.js";
import { TrackSession } from "../../support/rtsp/track-session.js";

const WHOLE = [1_000_000];
/** Of each property; the seed of one that fails is printed. */
const RUNS = 150;
/** As many as a turn of the main thread allows between two looks at the clock. */
const RUN_PACKETS = 64;

interface Syntax {
  readonly options: HarnessOptions;
  readonly picture: (bytes: number, key: boolean, first: boolean) => Buffer;
  readonly fragments: (nal: Buffer, sizeMax: number) => Buffer[];
  readonly fuHeaderAt: number;
  /** How many pictures of ORDINARY begin in a run. */
  readonly begun: number;
}

const SYNTAXES: readonly (readonly [string, Syntax])[] = [
  [
    "H.264",
    {
      options: { codec: Codec.H264, keepsOrder: true, fmtp: { "sprop-parameter-sets": H264_SPROP } },
      picture: (bytes, key, first) => (key ? idr(bytes, 1, first) : slice(bytes, 2, first)),
      fragments: fuA,
      fuHeaderAt: 1,
      begun: 1,
    },
  ],
  [
    "H.265",
    {
      options: { codec: Codec.H265, keepsOrder: true, fmtp: H265_FMTP },
      picture: (bytes, key, first) => h265Slice(key ? 19 : 1, bytes, first),
      fragments: h265Fu,
      fuHeaderAt: 2,
      begun: 1,
    },
  ],
  [
    "H.265 with DONL",
    {
      options: { codec: Codec.H265, keepsOrder: true, fmtp: { ...H265_FMTP, "sprop-max-don-diff": "4" } },
      picture: (bytes, key, first) => h265Slice(key ? 19 : 1, bytes, first),
      fragments: (nal, sizeMax) => h265Fu(nal, sizeMax, true),
      fuHeaderAt: 2,
      begun: 0,
    },
  ],
];

/** What may be wrong with a packet, or unusual. */
const ODDITIES = [
  "lost",
  "twice",
  "all again",
  "late",
  "marker",
  "end bit",
  "start bit",
  "structure",
  "padding",
  "extension",
  "csrc",
  "version",
  "ssrc",
  "payload type",
  "timestamp",
  "sequence",
  "empty",
  "header alone",
  "annex b",
  "channel",
  "unknown channel",
  "sound between",
  "report between",
  "stray bytes",
  "message between",
] as const;
type Oddity = (typeof ODDITIES)[number];

interface Sent {
  readonly channel: number;
  readonly fields: RtpFields;
  readonly payload: Buffer;
}

function withOddity(sent: Sent, oddity: Oddity, fuHeaderAt: number): Sent {
  const { fields } = sent;
  const payload = Buffer.from(sent.payload);
  const flip = (at: number, bits: number): void => {
    if (at < payload.length) payload[at] = (payload[at] ?? 0) ^ bits;
  };
  const fieldsOf = (more: RtpFields): Sent => ({ ...sent, fields: { ...fields, ...more } });
  switch (oddity) {
    case "marker":
      return fieldsOf({ marker: fields.marker !== true });
    case "padding":
      return fieldsOf({ padding: 3 });
    case "extension":
      return fieldsOf({ extension: filler(8) });
    case "csrc":
      return fieldsOf({ csrc: 2 });
    case "ssrc":
      return fieldsOf({ ssrc: 0x99 });
    case "payload type":
      return fieldsOf({ payloadType: 97 });
    case "timestamp":
      return fieldsOf({ timestamp: (fields.timestamp ?? 0) + 1 });
    case "sequence":
      return fieldsOf({ sequence: (fields.sequence ?? 0) + 5000 });
    case "end bit":
      flip(fuHeaderAt, 0x40);
      break;
    case "start bit":
      flip(fuHeaderAt, 0x80);
      break;
    case "structure":
      flip(0, 0x02);
      break;
    case "annex b":
      return { ...sent, payload: Buffer.concat([payload, Buffer.from([0, 0, 0, 1, 0x41, 0x9a]), filler(9)]) };
    case "empty":
      return { ...sent, payload: Buffer.alloc(0) };
    case "header alone":
      return { ...sent, payload: payload.subarray(0, fuHeaderAt + 1) };
    case "channel":
      return { ...sent, channel: 1 };
    case "unknown channel":
      return { ...sent, channel: 6 };
    default:
      return sent;
  }
  return { ...sent, payload };
}

function bytesOf({ channel, fields, payload }: Sent, oddity?: Oddity): Buffer {
  const packet = interleaved(channel, rtpPacket(fields, payload));
  if (oddity === "version") packet[4] = (packet[4] ?? 0) ^ 0xc0;
  return packet;
}

const BETWEEN: Partial<Record<Oddity, Buffer>> = {
  "sound between": interleaved(1, rtpPacket({ sequence: 7, payloadType: 8 }, filler(160))),
  "report between": interleaved(0, rtpPacket({ payloadType: 72 }, filler(12))),
  "stray bytes": Buffer.from("stray $ R bytes"),
  "message between": Buffer.from("RTSP/1.0 200 OK\r\nCSeq: 3\r\n\r\n"),
};

interface Picture {
  readonly key: boolean;
  readonly slices: readonly number[];
  readonly fragmentBytes: number;
}

interface Feed {
  readonly pictures: readonly Picture[];
  readonly sequence: number;
  readonly odd: readonly { readonly at: number; readonly oddity: Oddity }[];
}

function packetsOf(syntax: Syntax, { pictures, sequence }: Feed): Sent[] {
  const sent: Sent[] = [];
  pictures.forEach(({ key, slices, fragmentBytes }, index) => {
    slices.forEach((bytes, at) => {
      const nal = syntax.picture(bytes, key || index === 0, at === 0);
      const fragments = syntax.fragments(nal, fragmentBytes);
      for (const payload of fragments) {
        const marker = at === slices.length - 1 && payload === fragments.at(-1);
        const fields = { sequence: sequence + sent.length, timestamp: index * 3600, marker };
        sent.push({ channel: 0, fields, payload });
      }
    });
  });
  return sent;
}

/** The bytes of a connection on which `feed.odd` happens, each to the packet `at` in a row of all of them. */
function bytesOfFeed(syntax: Syntax, feed: Feed): Buffer {
  const packets = packetsOf(syntax, feed);
  const oddities = new Map(feed.odd.map(({ at, oddity }) => [at % packets.length, oddity]));
  const pieces: Buffer[] = [];
  let late: Buffer | undefined;
  packets.forEach((sent, at) => {
    const oddity = oddities.get(at);
    const packet =
      oddity === undefined ? bytesOf(sent) : bytesOf(withOddity(sent, oddity, syntax.fuHeaderAt), oddity);
    const between = oddity === undefined ? undefined : BETWEEN[oddity];
    if (between !== undefined) pieces.push(between);
    if (oddity === "late") late = packet;
    else if (oddity !== "lost") pieces.push(packet);
    if (oddity === "twice") pieces.push(packet);
    if (oddity === "all again") pieces.push(...pieces.slice(-6));
    if (late !== undefined && oddity !== "late") {
      pieces.push(late);
      late = undefined;
    }
  });
  return Buffer.concat(pieces);
}

/** What comes of the bytes packet by packet, and in runs of at most `runPacketsMax`; equal, or the test fails. */
function expectSame(
  syntax: Syntax,
  bytes: Buffer,
  { reads = WHOLE, runPacketsMax = RUN_PACKETS, slabs = 400 } = {},
): { outcome: TrackSession["outcome"]; inRuns: number } {
  const [single, inRuns] = [0, runPacketsMax].map((packets) =>
    new TrackSession({ ...syntax.options, runPacketsMax: packets, slabs }).reads(bytes, reads),
  );
  if (single === undefined || inRuns === undefined) throw new Error("two sessions");
  expect(inRuns.outcome).toEqual(single.outcome);
  for (const session of [single, inRuns]) session.silence();
  expect(inRuns.outcome).toEqual(single.outcome);
  for (const session of [single, inRuns]) session.flush();
  const { outcome } = inRuns;
  expect(outcome).toEqual(single.outcome);
  for (const session of [single, inRuns]) {
    session.close();
    expect(session.pool.idleBytes).toBe(session.pool.allocatedBytes);
  }
  return { outcome, inRuns: inRuns.inRuns };
}

const ORDINARY: Feed = {
  pictures: [
    { key: true, slices: [900], fragmentBytes: 100 },
    { key: false, slices: [300, 400], fragmentBytes: 100 },
    { key: false, slices: [500], fragmentBytes: 60 },
  ],
  sequence: 65_530,
  odd: [],
};

const picture = fc.record({
  key: fc.boolean(),
  slices: fc.array(fc.integer({ min: 1, max: 6000 }), { minLength: 1, maxLength: 3 }),
  fragmentBytes: fc.integer({ min: 20, max: 1400 }),
});
const feed: fc.Arbitrary<Feed> = fc.record({
  pictures: fc.array(picture, { minLength: 1, maxLength: 8 }),
  sequence: fc.oneof(fc.integer({ min: 65_400, max: 65_535 }), fc.integer({ min: 0, max: 65_535 })),
  odd: fc.array(fc.record({ at: fc.nat(2000), oddity: fc.constantFrom(...ODDITIES) }), { maxLength: 12 }),
});

describe.each(SYNTAXES)("runs of fragments, %s", (_name, syntax) => {
  it("take all fragments of a slice but the first, and that too where a marker that is trusted came before, across the end of the sequence", () => {
    const { outcome, inRuns } = expectSame(syntax, bytesOfFeed(syntax, ORDINARY));
    const packets = packetsOf(syntax, ORDINARY).length;
    expect(inRuns).toBe(packets - 4 + syntax.begun);
    expect(outcome.statistics).toMatchObject({ packets, lost: 0, extendedHighestSequence: 65_529 + packets });
    expect(outcome.frames.map(({ key, damaged }) => ({ key, damaged }))).toEqual([
      { key: true, damaged: false },
      { key: false, damaged: false },
      { key: false, damaged: false },
    ]);
  });

  it("give the pictures that were sent where packets come again, one by one or many", () => {
    const { outcome } = expectSame(syntax, bytesOfFeed(syntax, ORDINARY));
    const packets = packetsOf(syntax, ORDINARY).length;
    for (const oddity of ["twice", "all again"] as const)
      for (let at = 0; at < packets; at += 1) {
        const again = expectSame(syntax, bytesOfFeed(syntax, { ...ORDINARY, odd: [{ at, oddity }] }));
        expect(again.outcome.frames).toEqual(outcome.frames);
      }
  });

  it("give the same wherever a read ends", () => {
    const pictures = ORDINARY.pictures.map(({ key }) => ({ key, slices: [90], fragmentBytes: 30 }));
    const bytes = bytesOfFeed(syntax, { ...ORDINARY, pictures });
    for (let split = 1; split < bytes.length; split += 1)
      expectSame(syntax, bytes, { reads: [split, bytes.length] });
  });

  it("give the same byte by byte", () => {
    expectSame(syntax, bytesOfFeed(syntax, ORDINARY), { reads: [1] });
  });

  it.each(ODDITIES)("give the same where a packet is odd: %s", (oddity) => {
    const packets = packetsOf(syntax, ORDINARY).length;
    for (let at = 0; at < packets; at += 1)
      expectSame(syntax, bytesOfFeed(syntax, { ...ORDINARY, odd: [{ at, oddity }] }));
  });

  it("give the same frames, counts and memory whatever comes, however it is read and whatever the turn allows", () => {
    let inRuns = 0;
    fc.assert(
      fc.property(
        feed,
        fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 8 }),
        fc.constantFrom(1, 2, 3, 7, RUN_PACKETS),
        fc.constantFrom(1, 2, 400),
        (fed, reads, runPacketsMax, slabs) => {
          inRuns += expectSame(syntax, bytesOfFeed(syntax, fed), { reads, runPacketsMax, slabs }).inRuns;
        },
      ),
      { numRuns: RUNS },
    );
    expect(inRuns).toBeGreaterThan(RUNS);
  });

  it("give the same of bytes that are changed at random", () => {
    const bytes = bytesOfFeed(syntax, ORDINARY);
    const change = fc.record({ at: fc.nat(bytes.length - 1), value: fc.integer({ min: 0, max: 255 }) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const changed = Buffer.from(bytes);
        for (const { at, value } of changes) changed[at] = value;
        expectSame(syntax, changed);
      }),
      // The first fragment of an H.265 picture, of another layer.
      { numRuns: RUNS, examples: [[[{ at: 1981, value: 8 }]]] },
    );
  });

  it("end where the access unit has as many bytes as it may", () => {
    const slices = [ACCESS_UNIT_BYTES_MAX - 100_000, 200_000];
    const large = { key: true, slices, fragmentBytes: 60_000 };
    const small = { key: true, slices: [900], fragmentBytes: 100 };
    const { outcome } = expectSame(
      syntax,
      bytesOfFeed(syntax, { pictures: [small, large, small], sequence: 9, odd: [] }),
    );
    expect(outcome.failures).toEqual(["too-large"]);
    expect(outcome.frames).toHaveLength(2);
  });

  it("are not taken while no memory is free for frames", () => {
    const pool = new SlabPool({ slabBytes: WINDOW_SLAB_BYTES_MIN, totalBytesMax: WINDOW_SLAB_BYTES_MIN });
    const taken = pool.take();
    const session = new TrackSession({ ...syntax.options, runPacketsMax: RUN_PACKETS, pool });
    session.bytes(bytesOfFeed(syntax, ORDINARY));
    expect(session.inRuns).toBe(0);
    expect(session.outcome.frames).toEqual([]);
    session.close();
    taken?.release();
  });
});

it("runs of fragments begin no picture whose slices show a key frame: H.264 with open GOPs", () => {
  const gop = [[H264_RECOVERY_SEI, intraSlice(900)], [slice(300)], [slice(300)]];
  // The last key picture has no recovery point, and the end of its slice is lost: that it is an I slice is all that tells.
  const units = [...gop, ...gop, [intraSlice(900)], [slice(300)]];
  const sent = units.flatMap((nals, at) => {
    const payloads = nals.flatMap((nal) => (nal.length > 100 ? fuA(nal, 100) : [nal]));
    return payloads.map((payload, index) => ({
      payload,
      timestamp: at * 3600,
      marker: index === payloads.length - 1,
    }));
  });
  const lost = sent.findLastIndex(({ timestamp }) => timestamp === 6 * 3600);
  const packets = sent.map(({ payload, timestamp, marker }, sequence) =>
    interleaved(0, rtpPacket({ sequence, timestamp, marker }, payload)),
  );
  const [, h264] = SYNTAXES[0] ?? expect.fail("no syntax");
  const believingNumbers = { ...h264, options: { ...h264.options, keepsOrder: false } };
  const { outcome } = expectSame(believingNumbers, Buffer.concat(packets.toSpliced(lost, 1)));
  const keys = outcome.frames.map(({ key }) => key);
  expect(keys).toEqual([true, false, false, true, false, false, false]);
  expect(outcome.frames.at(-1)).toMatchObject({ undecodable: true });
});
