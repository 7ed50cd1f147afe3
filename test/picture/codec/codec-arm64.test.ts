import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { deserialize, serialize } from "node:v8";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { crossBuild, crossBuildMissing, crossNode } from "../../../scripts/cross-build.mjs";
import { Codec } from "../../../src/live/codec/codec.js";
import type {
  CodedUnit,
  EncodedUnit,
  Picture,
  PictureTarget,
  SoundPiece,
} from "../../../src/picture/index.js";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { type CodedClip, codedClip, ffmpegPicture, psnr } from "../../support/media/coded-clip.js";
import { hear, toneAac, tonePcm } from "../../support/media/tone.js";

const run = promisify(execFile);
/** The addons are built with another compiler, and one core is emulated. */
const PREPARING_MS = 600_000;
const RATE = 16_000;
const TONE = { frequency: 440, level: 0.5 };
/** Two decoders with arithmetic of their own differ by less; a wrong picture has some 10 to 20 dB. */
const SAME_DB = 40;
const WHOLE: PictureTarget = { form: "yuv420" };
const SMALL: readonly PictureTarget[] = [
  { form: "rgb", width: 71 },
  { form: "gray", height: 40, rotation: 90 },
  { form: "jpeg", width: 80, height: 80, fit: "inside", quality: 85 },
];

interface Answer {
  readonly name: string;
  readonly pictures?: readonly Picture[];
  readonly pieces?: readonly SoundPiece[];
  readonly units?: readonly EncodedUnit[];
  readonly errors: readonly string[];
  readonly load?: unknown;
}
interface Answers {
  readonly machine: string;
  readonly answers: readonly Answer[];
}

const CLIPS = [
  { name: "H.264", codec: Codec.H264, flags: ["-g", "5", "-bf", "2"] },
  { name: "H.265", codec: Codec.H265, flags: ["-g", "5", "-bf", "2"] },
  { name: "MPEG-4", codec: Codec.MPEG4, flags: ["-g", "5", "-q:v", "3"] },
  { name: "MJPEG", codec: Codec.MJPEG, flags: ["-q:v", "3"] },
];

const missing = crossBuildMissing("arm64");
const directory = new TemporaryDirectory("nvrd-arm64");
let here: Answers;
let there: Answers;

async function answersOf(command: readonly string[], addon: string, name: string): Promise<Answers> {
  const [program = "", ...args] = command;
  const script = `${REPOSITORY_ROOT}/test/support/picture/codec-cases.mjs`;
  const file = directory.join(name);
  await run(program, [...args, script, addon, directory.join("cases"), file]);
  return deserialize(readFileSync(file)) as Answers;
}

/** Bytes whose end is missing, as of a unit that lost its last packets. */
function cut(unit: CodedUnit): CodedUnit {
  const bytes = Buffer.concat(unit.bytes);
  return { ...unit, bytes: [bytes.subarray(0, bytes.length / 2)] };
}

function videoCases({ format, units }: CodedClip, name: string): object[] {
  const last = units.length - 1;
  const torn = units.map((unit, at) => (at === 2 ? cut(unit) : unit));
  return [
    { kind: "stream", name, format, units, targets: [WHOLE] },
    { kind: "still", name: `${name} still`, options: { format, units, targets: SMALL } },
    { kind: "stream", name: `${name} torn`, format, units: torn, targets: [{ form: "gray", width: 16 }] },
    {
      kind: "still",
      name: `${name} empty`,
      options: { format, units: [{ ...units[last], bytes: [new Uint8Array(0)] }], targets: SMALL },
    },
  ];
}

async function cases(): Promise<object[]> {
  const size = { width: 142, height: 98, frames: 10 };
  const clips = await Promise.all(CLIPS.map((clip) => codedClip({ ...size, ...clip })));
  const { format, units } = clips[0] as CodedClip;
  const aac = await toneAac({ ...TONE, rate: RATE, seconds: 1 });
  const aacUnits = aac.units.map((bytes, at) => ({ bytes, timeUs: at * 64_000 }));
  const pcm = tonePcm({ ...TONE, rate: 8000, seconds: 1 });
  const pictures = Array.from({ length: 6 }, (_, at) => ({
    ...{ form: "yuv420", width: 64, height: 48, timeUs: at * 40_000, damaged: false },
    ...{
      sourceWidth: 64,
      sourceHeight: 48,
      data: new Uint8Array(64 * 48 * 1.5).map((_byte, pixel) => pixel + 9 * at),
    },
  }));
  const law = { codec: Codec.PCMU, sampleRate: 8000, channels: 1, initialization: new Uint8Array(0) };
  const lawUnits = Array.from({ length: 20 }, (_, at) => ({
    bytes: pcm.subarray(at * 400, (at + 1) * 400),
    timeUs: at * 50_000,
  }));
  const encoding = { width: 64, height: 48, framesPerSecond: 25, bitsPerSecond: 400_000, gopLength: 3 };
  const still = { format, units: units.slice(0, 1), targets: SMALL };
  return [
    ...clips.flatMap((clip, at) => videoCases(clip, CLIPS[at]?.name ?? "")),
    {
      kind: "sound",
      name: "AAC",
      options: { input: aac.format, output: "pcm", sampleRate: 8000 },
      units: aacUnits,
    },
    {
      kind: "sound",
      name: "to AAC",
      options: { input: law, output: "aac", sampleRate: RATE },
      units: lawUnits,
    },
    { kind: "encode", name: "encoder", options: encoding, pictures },
    { kind: "busy", name: "busy", still },
    { kind: "closing", name: "closing", format, units, targets: [WHOLE] },
  ];
}

function pair(name: string): [Answer, Answer] {
  const [one, other] = [here, there].map(({ answers }) => answers.find((answer) => answer.name === name));
  if (one === undefined || other === undefined) throw new Error(`no answer of ${name}`);
  return [one, other];
}

const shapes = (pictures: readonly Picture[] = []) => pictures.map(({ data: _, ...shape }) => shape);

async function expectAlike(one: Picture, other: Picture): Promise<void> {
  const [left, right] =
    one.form === "jpeg"
      ? await Promise.all([one, other].map(({ data }) => ffmpegPicture(data, "mjpeg", "rgb24")))
      : [one.data, other.data];
  expect(psnr(left ?? new Uint8Array(0), right ?? new Uint8Array(0))).toBeGreaterThan(SAME_DB);
}

describe.skipIf(missing !== undefined)(`the codec built for arm64${notHere(missing)}`, () => {
  beforeAll(async () => {
    const addons = crossBuild("arm64", "codec");
    const node = crossNode("arm64");
    writeFileSync(directory.join("cases"), serialize(await cases()));
    [here, there] = await Promise.all([
      answersOf([process.execPath], `${REPOSITORY_ROOT}/build/codec.node`, "here"),
      answersOf(node, `${addons}/codec.node`, "there"),
    ]);
  }, PREPARING_MS);
  afterAll(() => directory.remove());

  it("ran on arm64, and beside it on this machine", () => {
    expect([here.machine, there.machine]).toEqual(["x64", "arm64"]);
    expect(there.answers.map(({ name }) => name)).toEqual(here.answers.map(({ name }) => name));
  });

  it.each(CLIPS.map(({ name }) => name))("decodes each picture of %s like this machine", async (name) => {
    const [one, other] = pair(name);
    expect(one.pictures).toHaveLength(10);
    expect(other.errors).toEqual([]);
    expect(shapes(other.pictures)).toEqual(shapes(one.pictures));
    for (const [at, picture] of (one.pictures ?? []).entries())
      await expectAlike(picture, other.pictures?.[at] as Picture);
  });

  it.each(CLIPS.map(({ name }) => name))("scales, rotates and encodes a still of %s alike", async (name) => {
    const [one, other] = pair(`${name} still`);
    expect(one.pictures).toHaveLength(SMALL.length);
    expect(shapes(other.pictures)).toEqual(shapes(one.pictures));
    for (const [at, picture] of (one.pictures ?? []).entries())
      await expectAlike(picture, other.pictures?.[at] as Picture);
  });

  it.each(CLIPS.map(({ name }) => name))("marks and refuses broken units of %s alike", (name) => {
    const [torn, tornThere] = pair(`${name} torn`);
    expect(shapes(tornThere.pictures)).toEqual(shapes(torn.pictures));
    expect(tornThere.errors).toEqual(torn.errors);
    const [, empty] = pair(`${name} empty`);
    expect(empty).toMatchObject({ pictures: [], errors: ["corrupt"] });
  });

  it("makes the same tone of AAC, at the same times", () => {
    const [one, other] = pair("AAC");
    const times = ({ pieces = [] }: Answer) =>
      pieces.map(({ timeUs, durationUs }) => ({ timeUs, durationUs }));
    expect(times(other)).toEqual(times(one));
    const [heard, heardThere] = [one, other].map(({ pieces = [] }) =>
      hear(Buffer.concat(pieces.map(({ data }) => data)), 8000),
    );
    expect(heardThere?.frequency).toBe(TONE.frequency);
    expect(heardThere?.level).toBeGreaterThan(0.8 * TONE.level);
    expect(heardThere?.level).toBeCloseTo(heard?.level ?? 0, 3);
  });

  it("makes as many AAC frames of G.711, at the same times", () => {
    const [one, other] = pair("to AAC");
    expect(other.errors).toEqual([]);
    expect(other.pieces?.length).toBeGreaterThan(10);
    expect(other.pieces?.map(({ timeUs }) => timeUs)).toEqual(one.pieces?.map(({ timeUs }) => timeUs));
    for (const { data } of other.pieces ?? []) expect([data[0], data[1]]).toEqual([0xff, 0xf1]);
  });

  it("encodes H.264 with its key frames where they belong", () => {
    const [one, other] = pair("encoder");
    expect(other.units?.map(({ key }) => key)).toEqual([true, false, false, true, false, false]);
    expect(other.units?.map(({ timeUs }) => timeUs)).toEqual(one.units?.map(({ timeUs }) => timeUs));
  });

  it("refuses work beyond its queue, and rejects waiting work when it is closed", () => {
    const idle = { running: 0, queued: 0, open: 0 };
    expect(pair("busy")[1]).toMatchObject({ errors: ["NOT_AVAILABLE"], load: idle });
    expect(pair("closing")[1]).toMatchObject({ errors: ["closed"], load: idle });
  });
});
