import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { BitReader, rawPayload } from "../../../src/live/codec/bit-reader.js";
import { BitWriter, preventEmulation } from "../../../src/live/codec/bit-writer.js";
import { Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import { h264Reordering } from "../../../src/live/codec/h264-sps.js";
import { nalUnitsOf } from "../../../src/player/mp4/length-prefixed.js";
import { nalType } from "../../../src/player/mp4/parameter-sets.js";
import { withStatedOrder } from "../../../src/player/mp4/stated-order.js";
import { forAllTests } from "../../support/base/for-tests.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { type CodedClip, codedClip } from "../../support/media/coded-clip.js";

const run = promisify(execFile);
const START_CODE = Buffer.from([0, 0, 0, 1]);
const SPS = 7;

const directory = forAllTests(() => new TemporaryDirectory("stated-order"));

function clip(flags: readonly string[]): Promise<CodedClip> {
  return codedClip({ codec: Codec.H264, width: 160, height: 128, frames: 20, flags });
}

/** As many cameras send it: without a VUI. */
function withoutVui(sps: Buffer): Buffer {
  const { vuiAt = 0 } = h264Reordering(sps) ?? {};
  const reader = new BitReader(rawPayload(sps, 1));
  const writer = new BitWriter();
  for (let bit = 0; bit < vuiAt; bit += 1) writer.bit(reader.bit());
  writer.bit(0);
  writer.bit(1);
  return Buffer.concat([sps.subarray(0, 1), preventEmulation(writer.bytes)]);
}

const annexB = (nals: readonly Uint8Array[]): Buffer =>
  Buffer.concat(nals.flatMap((nal) => [START_CODE, nal]));

/** The clip's NAL units with another SPS. */
function withSps({ units }: CodedClip, change: (sps: Buffer) => Buffer): Buffer {
  const nals = units.flatMap(({ bytes }) => nalUnitsOf(Buffer.concat(bytes)));
  return annexB(nals.map((nal) => (nalType(Codec.H264, nal) === SPS ? change(nal) : nal)));
}

function formatOf(stream: Buffer): VideoFormat {
  return { codec: Codec.H264, width: 160, height: 128, initialization: stream };
}

/** The SPS that a stream's pictures would have in an init segment. */
function statedSps(stream: Buffer): Buffer {
  const { initialization } = withStatedOrder(formatOf(stream), stream);
  const sps = nalUnitsOf(Buffer.from(initialization)).find((nal) => nalType(Codec.H264, nal) === SPS);
  if (sps === undefined) throw new Error("no SPS");
  return sps;
}

/** What ffmpeg reads in the SPS, name and value. */
async function fieldsOf(name: string, stream: Buffer): Promise<ReadonlyMap<string, number>> {
  const file = directory.join(`${name}.h264`);
  writeFileSync(file, stream);
  const args = [
    "-hide_banner",
    "-f",
    "h264",
    "-i",
    file,
    "-c",
    "copy",
    "-bsf:v",
    "trace_headers",
    "-f",
    "null",
    "-",
  ];
  const { stderr } = await run("ffmpeg", args, { maxBuffer: 64 * 1024 * 1024 });
  return new Map(
    [...stderr.matchAll(/\s(\w+)\s+[01]+ = (-?\d+)/g)].map(([, field = "", value]) => [field, Number(value)]),
  );
}

async function picturesOf(name: string, stream: Buffer): Promise<string> {
  const file = directory.join(`${name}.h264`);
  writeFileSync(file, stream);
  const { stdout, stderr } = await run("ffmpeg", [
    "-v",
    "error",
    "-f",
    "h264",
    "-i",
    file,
    "-f",
    "framemd5",
    "-",
  ]);
  expect(stderr).toBe("");
  return stdout;
}

describe("parameter sets that state the order of pictures", () => {
  it("are made of an SPS without VUI, in the baseline profile", async () => {
    const plain = withSps(await clip(["-profile:v", "baseline", "-refs", "3"]), withoutVui);
    const sps = statedSps(plain);
    const stated = withSps(await clip(["-profile:v", "baseline", "-refs", "3"]), () => sps);
    const fields = await fieldsOf("baseline-stated", stated);
    expect(Object.fromEntries(fields)).toMatchObject({
      profile_idc: 66,
      vui_parameters_present_flag: 1,
      bitstream_restriction_flag: 1,
      max_num_reorder_frames: 0,
      max_dec_frame_buffering: fields.get("max_num_ref_frames"),
    });
    expect(await picturesOf("stated", stated)).toBe(await picturesOf("plain", plain));
  });

  it("stay as they are where the SPS says it, or pictures may be out of order", async () => {
    const said = withSps(await clip(["-profile:v", "baseline"]), (sps) => sps);
    expect(withStatedOrder(formatOf(said), said)).toMatchObject({ initialization: said });
    const main = withSps(await clip(["-profile:v", "main", "-bf", "2"]), withoutVui);
    expect(withStatedOrder(formatOf(main), main)).toMatchObject({ initialization: main });
  });

  it("are made of one whose VUI ends without it, and of pictures shown as they are decoded", async () => {
    const camera = await clip(["-profile:v", "main", "-bf", "0", "-g", "1", "-color_primaries", "bt709"]);
    const cut = (sps: Buffer): Buffer => {
      const { restrictionAt = 0 } = h264Reordering(sps) ?? {};
      const reader = new BitReader(rawPayload(sps, 1));
      const writer = new BitWriter();
      for (let bit = 0; bit < restrictionAt; bit += 1) writer.bit(reader.bit());
      writer.bit(0);
      writer.bit(1);
      return Buffer.concat([sps.subarray(0, 1), preventEmulation(writer.bytes)]);
    };
    const plain = withSps(camera, cut);
    expect(h264Reordering(statedSps(plain))).toMatchObject({ orderType: 2, isRestricted: true });
    const stated = withSps(camera, () => statedSps(plain));
    expect(Object.fromEntries(await fieldsOf("intra-stated", stated))).toMatchObject({
      max_num_reorder_frames: 0,
    });
    expect(await picturesOf("intra-after", stated)).toBe(await picturesOf("intra-before", plain));
  });

  it("are left alone where the SPS is damaged", () => {
    const random = Buffer.from([0x67, 66, 0, 30, 0xff]);
    const stream = annexB([random, Buffer.from([0x68, 0xce, 0x3c, 0x80])]);
    expect(withStatedOrder(formatOf(stream), stream).initialization).toBe(stream);
  });
});
