import { describe, expect, it } from "vitest";
import { Codec, SlabPool } from "../../../src/live/index.js";
import { AccessUnit } from "../../../src/rtsp/depacketize/access-unit.js";
import { EntryPolicy } from "../../../src/rtsp/depacketize/entry-policy.js";
import { FrameBuilder } from "../../../src/rtsp/depacketize/frame-builder.js";
import { NalAssembler } from "../../../src/rtsp/depacketize/nal-assembler.js";
import type { NalSyntax } from "../../../src/rtsp/depacketize/nal-syntax.js";
import { ParameterSets } from "../../../src/rtsp/depacketize/parameter-sets.js";
import type { FragmentRun } from "../../../src/rtsp/rtp/fragment-run.js";
import { SlabWindow } from "../../../src/rtsp/rtp/slab-window.js";
import type { RtpPacket } from "../../../src/rtsp/rtp/types.js";

const BROKEN = { order: "packet-order", unit: "unit-order", run: "run-in-slab" } as const;
const broken = (code: string) => expect.objectContaining({ name: "InvariantError", code });

const SYNTAX: NalSyntax = {
  headerBytes: 1,
  fragments: { structureMask: 0x1f, structure: 28, headerBytes: 2, beginTypes: [1, 1] },
  type: (buffer, at) => (buffer[at] ?? 0) & 0x1f,
  isPicture: (type) => type <= 5,
  isFirstSlice: () => true,
  precedesPicture: () => false,
  followsPicture: () => false,
  parameterSetKind: () => undefined,
};

function packetOf(bytes: Buffer): RtpPacket {
  const place = { buffer: bytes, payloadStart: 0, payloadEnd: bytes.length, extensionStart: -1 };
  return { ...place, sequence: 1, timestamp: 3600, marker: true, lost: 0 };
}

function makeAssembler(): NalAssembler {
  return new NalAssembler({
    syntax: SYNTAX,
    keys: {
      begin: () => undefined,
      see: () => undefined,
      rank: 3,
      needsSlices: false,
      keySign: true,
      isKeyFragment: () => true,
    },
    entries: new EntryPolicy(),
    sets: new ParameterSets({
      codec: Codec.H264,
      required: [],
      setId: () => 0,
      parseSps: () => undefined,
    }),
    requiredSets: [],
    builder: new FrameBuilder(new SlabPool({ slabBytes: 256 * 1024, totalBytesMax: 1024 * 1024 })),
    sink: { onUnit: () => undefined, onLoss: () => undefined },
  });
}

describe("packets of a track", () => {
  const packet = packetOf(Buffer.from([0x65, 0x88, 1, 2]));

  it("are begun one after the other", () => {
    const assembler = makeAssembler();
    const used = assembler.begin(packet, "starts");
    expect(() => assembler.begin(packet, "starts")).toThrow(broken(BROKEN.order));
    used.end(packet);
    assembler.begin(packet, "starts").end(packet);
  });

  it("are not used without being begun", () => {
    const assembler = makeAssembler();
    expect(() => assembler.next(packet, "starts")).toThrow(broken(BROKEN.order));
    expect(() => assembler.end(packet)).toThrow(broken(BROKEN.order));
  });

  it("are begun anew when the source has changed", () => {
    const assembler = makeAssembler();
    assembler.begin(packet, "starts");
    assembler.reset();
    assembler.begin(packet, "starts").end(packet);
  });
});

describe("an access unit", () => {
  const makeUnit = () =>
    new AccessUnit({
      isInFragment: false,
      mayHaveFields: false,
      endFragment: () => undefined,
      endUnit: () => undefined,
    });
  const packet = packetOf(Buffer.from([0x65]));

  it("has no picture before its first packet, and none behind its end", () => {
    const unit = makeUnit();
    expect(() => unit.addPicture(true)).toThrow(broken(BROKEN.unit));
    unit.begin(packet, "starts");
    unit.addPicture(true);
    unit.finish();
    expect(() => unit.addPicture(true)).toThrow(broken(BROKEN.unit));
  });

  it("does not end with a packet that was not begun", () => {
    const unit = makeUnit();
    expect(() => unit.end(packet)).toThrow(broken(BROKEN.unit));
  });

  it("is not begun by a run amid another", () => {
    const unit = makeUnit();
    unit.begin(packet, "starts");
    expect(() => unit.beginRun({ timestamp: 7200 } as FragmentRun)).toThrow(broken(BROKEN.unit));
  });
});

describe("a run of fragments", () => {
  function builderOver(): { readonly builder: FrameBuilder; readonly window: SlabWindow } {
    const window = new SlabWindow(new SlabPool({ slabBytes: 256 * 1024, totalBytesMax: 1024 * 1024 }));
    const builder = new FrameBuilder(window);
    window.target();
    window.committed(1000);
    builder.open(window.buffer, window.rawStart);
    builder.append(window.buffer, window.rawStart, window.rawStart + 100);
    return { builder, window };
  }

  it.each([
    ["behind what it has read", (start: number) => ({ written: start + 901, position: start + 900 })],
    ["before what was written", () => ({ written: 0, position: 5000 })],
    ["behind its slab", () => ({ written: 300, position: 256 * 1024 + 1 })],
  ])("does not write %s", (_where, numbers) => {
    const { builder, window } = builderOver();
    const { byteLength } = builder;
    expect(() => builder.noteRun(numbers(window.rawStart) as FragmentRun)).toThrow(broken(BROKEN.run));
    expect(builder.byteLength).toBe(byteLength);
  });

  it("that lies in its slab is taken", () => {
    const { builder, window } = builderOver();
    builder.noteRun({ written: 300, position: window.rawStart + 900 } as FragmentRun);
    expect(builder.byteLength).toBe(300);
  });
});
