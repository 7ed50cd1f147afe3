import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { builtScript, createLog, SystemClock } from "../../../src/base/index.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { Hardware, type HardwareCandidate, type HardwareProbe } from "../../../src/picture/codec/hardware.js";
import { TEST_CLIPS } from "../../../src/picture/codec/hardware-clip.js";
import { childProbe, PROBE_MS_MAX } from "../../../src/picture/codec/hardware-probe.js";
import { tryDecoder, tryEncoder } from "../../../src/picture/codec/hardware-trial.js";
import { NativeCodec, type Picture, type VideoDecoder } from "../../../src/picture/index.js";
import { temporaryDirectory } from "../../support/archive/archive-fixture.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const DIRECTORY = temporaryDirectory();
const [H264_CLIP, H265_CLIP] = TEST_CLIPS;
if (H264_CLIP === undefined || H265_CLIP === undefined) throw new Error("no test clips");
const CODEC = new NativeCodec();

const V4L2: HardwareCandidate = { kind: "decoder", name: "h264_v4l2m2m", codec: Codec.H264, device: "video" };
const MPP: HardwareCandidate = {
  kind: "decoder",
  name: "h264_rkmpp",
  codec: Codec.H264,
  device: "mpp_service",
};
const ENCODER: HardwareCandidate = {
  kind: "encoder",
  name: "h264_v4l2m2m",
  codec: Codec.H264,
  device: "video",
};

function choose(options: { probe: HardwareProbe; candidates: HardwareCandidate[]; devices: string[] }) {
  const lines: { name?: string; reason?: string; msg?: string; level?: number }[] = [];
  const log = createLog({ level: "info", destination: { write: (line) => lines.push(JSON.parse(line)) } });
  return { hardware: new Hardware({ ...options, log }), lines };
}

describe("the choice of hardware", () => {
  it("takes the first candidate of a codec that works, and tries no further one of it", async () => {
    const tried: string[] = [];
    const { hardware, lines } = choose({
      candidates: [MPP, V4L2, ENCODER],
      devices: ["null", "mpp_service", "video10"],
      probe: async ({ kind, name }) => {
        tried.push(`${kind} ${name}`);
        return name === MPP.name ? "its picture differs by 40.0 a byte" : undefined;
      },
    });
    expect(hardware.decoderFor(Codec.H264)).toBeUndefined();
    await hardware.start();
    expect(tried).toEqual(["decoder h264_rkmpp", "decoder h264_v4l2m2m", "encoder h264_v4l2m2m"]);
    expect(hardware.decoderFor(Codec.H264)).toBe("h264_v4l2m2m");
    expect(hardware.decoderFor(Codec.H265)).toBeUndefined();
    expect(hardware.encoder).toBe("h264_v4l2m2m");
    expect(lines.map((line) => line.reason)).toEqual([
      "its picture differs by 40.0 a byte",
      undefined,
      undefined,
    ]);
  });

  it("tries nothing where there is no device", async () => {
    const probe: HardwareProbe = () => Promise.reject(new Error("tried"));
    const { hardware, lines } = choose({ candidates: [MPP, V4L2, ENCODER], devices: ["null", "sda"], probe });
    await hardware.start();
    expect(hardware.decoderFor(Codec.H264)).toBeUndefined();
    expect(lines).toEqual([]);
  });

  it("no longer uses hardware that failed, with one log line", async () => {
    const probe: HardwareProbe = async () => undefined;
    const { hardware, lines } = choose({ candidates: [V4L2, ENCODER], devices: ["video0"], probe });
    await hardware.start();
    for (let at = 0; at < 3; at++) hardware.failed("decoder", V4L2.name, "it shows nothing");
    expect(hardware.decoderFor(Codec.H264)).toBeUndefined();
    expect(hardware.encoder).toBe(ENCODER.name);
    expect(lines.filter((line) => line.level === 40)).toHaveLength(1);
    expect(lines.at(-1)?.msg).toMatch(/software decodes from now on/);
  });
});

/** A decoder that returns the correct pictures as altered by `change`. */
function wrongDecoder(change: (picture: Picture) => Picture | undefined): VideoDecoder {
  const right = CODEC.openVideoDecoder(H264_CLIP?.format ?? expect.fail("no clip"));
  const changed = (out: readonly (readonly Picture[])[]): Picture[][] =>
    out.map((row) => row.map(change).filter((picture) => picture !== undefined));
  return {
    name: "wrong",
    busyUs: 0,
    decode: async (unit, targets) => changed(await right.decode(unit, targets)),
    flush: async (targets) => changed(await right.flush(targets)),
    close: () => right.close(),
  };
}

describe("the trial of a decoder", () => {
  it.each([
    ["H.264", H264_CLIP],
    ["H.265", H265_CLIP],
  ])("passes libavcodec's own for %s", async (_, clip) => {
    expect(await tryDecoder(CODEC.openVideoDecoder(clip.format), clip)).toBeUndefined();
  });

  it.each([
    ["red and blue swapped", (picture: Picture) => ({ ...picture, data: swapped(picture.data) })],
    [
      "a green picture",
      (picture: Picture) => ({ ...picture, data: picture.data.map((_, at) => (at % 3 === 1 ? 128 : 0)) }),
    ],
    ["the size of its buffer", (picture: Picture) => ({ ...picture, sourceHeight: 256 })],
    ["damaged pictures", (picture: Picture) => ({ ...picture, damaged: true })],
    ["nothing", () => undefined],
    ["the key frame again and again", frozen()],
  ])("refuses one that shows %s", async (_, change) => {
    expect(await tryDecoder(wrongDecoder(change), H264_CLIP)).toMatch(
      /^it(s picture differs| shows| does not return)/,
    );
  });
});

describe("the trial of an encoder", () => {
  const options = { width: 320, height: 240, framesPerSecond: 5, bitsPerSecond: 500_000, gopLength: 50 };
  const open = () => CODEC.openVideoEncoder(options) ?? expect.fail("no software encoder");

  it("passes libx264", async () => {
    expect(
      await tryEncoder(open(), H264_CLIP, () => CODEC.openVideoDecoder(H264_CLIP.format)),
    ).toBeUndefined();
  });

  it("refuses one that loses the colours", async () => {
    const encoder = open();
    const gray = (picture: Picture) => ({
      ...picture,
      data: picture.data.map((byte, at) => (at < 320 * 240 ? byte : 128)),
    });
    const broken = {
      name: "gray",
      encode: (picture: Picture) => encoder.encode(gray(picture)),
      close: () => encoder.close(),
    };
    expect(await tryEncoder(broken, H264_CLIP, () => CODEC.openVideoDecoder(H264_CLIP.format))).toMatch(
      /differs/,
    );
  });
});

describe("the child that tries hardware", () => {
  afterEach(() => DIRECTORY.remove());

  it("finds none on a machine without any, and libavcodec's own", async () => {
    const probe = childProbe(new SystemClock());
    expect(await probe(V4L2)).toMatch(/.+/);
    expect(await probe(MPP)).toMatch(/.+/);
    expect(await probe(ENCODER)).toMatch(/.+/);
    expect(await probe({ ...V4L2, name: "h264" })).toBeUndefined();
    expect(await probe({ ...ENCODER, name: "libx264" })).toBeUndefined();
  });

  it("is built beside the service", () => {
    expect(
      builtScript(
        new URL("../../../src/picture/codec/hardware-probe.ts", import.meta.url).href,
        "hardware-child",
      ),
    ).toMatch(/dist\/picture\/codec\/hardware-child\.js$/);
  });

  it.each([
    ["hangs", "setInterval(() => {}, 1000)", /did not answer within/],
    ["crashes", "process.kill(process.pid, 'SIGSEGV'); setInterval(() => {}, 1000)", /ended with SIGSEGV/],
    ["says nothing", "", /ended with status 0/],
    ["is not there", undefined, /ended with status 1/],
  ])("costs no more than itself when the driver %s", async (_, code, reason) => {
    const { path } = temporaryDirectory();
    const script = join(path, "child.mjs");
    if (code !== undefined) writeFileSync(script, code);
    const clock = new SimulatedClock(0);
    const answer = childProbe(clock, script)(V4L2);
    if (reason.source.includes("answer")) clock.advance(PROBE_MS_MAX * 1000);
    expect(await answer).toMatch(reason);
  });
});

function swapped(rgb: Uint8Array): Uint8Array {
  return rgb.map((_, at) => rgb[at - (at % 3) + (2 - (at % 3))] ?? 0);
}

/** Shows the first picture at the time of each. */
function frozen(): (picture: Picture) => Picture {
  let first: Picture | undefined;
  return (picture) => {
    first ??= picture;
    return { ...first, timeUs: picture.timeUs };
  };
}
