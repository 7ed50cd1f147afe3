import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { SlabPool } from "../../../src/live/index.js";
import {
  H264_PPS,
  H264_SPROP,
  H264_SPS,
  H265_FMTP,
  h265Slice,
  idr,
  slice,
} from "../../support/media/sample-nal-units.js";
import { annexB, fuA, stapA } from "../../support/rtsp/rtp-packets.js";
import { type HarnessOptions, TrackHarness } from "../../support/rtsp/track-harness.js";

const RUNS = 150;

const TRACKS: [string, HarnessOptions][] = [
  ["H.264", { codec: Codec.H264, fmtp: { "sprop-parameter-sets": H264_SPROP } }],
  ["H.265", { codec: Codec.H265, fmtp: H265_FMTP }],
  ["H.265 with DONL", { codec: Codec.H265, fmtp: { ...H265_FMTP, "sprop-max-don-diff": "4" } }],
  [
    "MPEG-4",
    {
      codec: Codec.MPEG4,
      fmtp: { config: "000001b0f1000001b5a913000001000000012008d48d0800cd05040f14103f" },
    },
  ],
  ["MJPEG", { codec: Codec.MJPEG }],
  ["G.711", { codec: Codec.PCMU, clockRate: 8000 }],
  [
    "AAC",
    {
      codec: Codec.AAC,
      clockRate: 16_000,
      fmtp: { config: "1408", auxiliarydatasizelength: "8", ctsdeltalength: "9" },
    },
  ],
];

const GOOD_PAYLOADS = [
  idr(),
  slice(),
  stapA(H264_SPS, H264_PPS),
  annexB(H264_SPS, H264_PPS, idr()),
  ...fuA(idr(900), 300),
  ...fuA(Buffer.concat([H264_SPS, annexB(H264_PPS, idr(500))]), 60),
  h265Slice(19),
  Buffer.from("000001b6101234", "hex"),
  Buffer.from([0, 0, 0, 0, 1, 50, 40, 30, 1, 2, 3, 4, 5]),
  Buffer.from([0, 0, 0, 0, 65, 255, 40, 30, 0, 1, 0, 0, 0, 0, 0, 4, 9, 9, 9, 9]),
];

/** A payload out of nothing, or a good one with some bytes changed, cut or repeated. */
const payload = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc
    .tuple(
      fc.constantFrom(...GOOD_PAYLOADS),
      fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { maxLength: 4 }),
      fc.nat(1000),
    )
    .map(([good, changes, cut]) => {
      const bytes = Buffer.from(good.subarray(0, cut < 300 ? cut : good.length));
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
      return bytes;
    }),
);

const packets = fc.array(
  fc.record({
    payload,
    timestamp: fc.oneof(
      fc.nat(4).map((step) => step * 3600),
      fc.nat(0xffffffff),
    ),
    marker: fc.boolean(),
    lost: fc.oneof(fc.constant(0), fc.nat(3)),
    ssrc: fc.constantFrom(1, 1, 1, 1, 1, 2),
    padding: fc.constantFrom(0, 0, 0, 3),
    paddingCount: fc.nat(255),
  }),
  { maxLength: 60 },
);

describe.each(TRACKS)("hostile packets: %s", (_name, options) => {
  it.each(["tcp", "udp"] as const)("never throw, leak or grow over %s", (transport) => {
    fc.assert(
      fc.property(packets, (list) => {
        const pool = new SlabPool({ slabBytes: 128 * 1024, totalBytesMax: 4 * 128 * 1024 });
        const track = new TrackHarness({ ...options, transport, pool });
        for (const { payload: bytes, lost, ...fields } of list) track.lose(lost).send(fields, bytes);
        track.flush();
        const sent = list.reduce((sum, packet) => sum + packet.payload.length, 0);
        const published = track.frames.reduce((sum, frame) => sum + frame.bytes.length, 0);
        expect(published).toBeLessThanOrEqual(5 * sent + track.frames.length * 5000);
        track.frames.reduce((last, frame) => {
          expect(frame.decodeTimeUs).toBeGreaterThan(last);
          expect(frame.presentationOffsetUs).toBeGreaterThanOrEqual(0);
          expect(frame.key && frame.damaged).toBe(false);
          return frame.decodeTimeUs;
        }, 0);
        track.close();
        expect(pool.idleBytes).toBe(pool.allocatedBytes);
      }),
      { numRuns: RUNS },
    );
  });

  it("gives the same frames from a window as from datagrams", () => {
    fc.assert(
      fc.property(packets, (list) => {
        const [overTcp, overUdp] = (["tcp", "udp"] as const).map((transport) => {
          const track = new TrackHarness({ ...options, transport });
          for (const { payload: bytes, lost, ...fields } of list) track.lose(lost).send(fields, bytes);
          return track
            .flush()
            .frames.map(({ bytes, key, damaged }) => ({ bytes: bytes.toString("hex"), key, damaged }));
        });
        expect(overTcp).toEqual(overUdp);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("a first fragment without a payload", () => {
  it("is judged by its own bytes, whatever lies behind it in memory", () => {
    const picture = Buffer.from("65880c31567ba0c5ea10355a7fa4c9ee14395e83", "hex");
    const longer = Buffer.concat([picture, Buffer.from("a8cdf2183d6287acd1f6", "hex")]);
    const frames = (["tcp", "udp"] as const).map((transport) => {
      const options = { codec: Codec.H264, fmtp: { "sprop-parameter-sets": H264_SPROP }, transport };
      const track = new TrackHarness(options);
      track.send({ timestamp: 0 }, longer);
      track.lose(1).send({ timestamp: 3600 }, Buffer.from([0x86, 0, 0, 0]));
      track.send({ timestamp: 1 }, picture).send({ timestamp: 0 }, Buffer.from([0x7c, 0x85]));
      return track.flush().frames.map(({ key, damaged }) => ({ key, damaged }));
    });
    expect(frames[0]).toEqual(frames[1]);
  });
});

describe("hostile bytes in place of RTP", () => {
  it("never throw", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 20 }), (datagrams) => {
        const track = new TrackHarness({ codec: Codec.H264, transport: "udp" });
        for (const datagram of datagrams) {
          track.packet(Buffer.from(datagram));
          track.packet(Buffer.concat([Buffer.from([0x80, 96]), datagram]));
        }
        track.close();
      }),
      { numRuns: 300 },
    );
  });
});
