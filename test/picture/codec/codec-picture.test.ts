// Own process: its codec has two threads, and a process has one number of them.
import { beforeAll, describe, expect, it } from "vitest";
import { freeMemory } from "../../../src/base/index.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { NativeCodec, type Picture, type PictureTarget } from "../../../src/picture/index.js";
import {
  type CodedClip,
  codedClip,
  ffmpegPicture,
  ffmpegPictures,
  psnr,
  yuv420Bytes,
} from "../../support/media/coded-clip.js";

const WIDTH = 320;
const HEIGHT = 180;
const codec = new NativeCodec({ threads: 2 });
let clip: CodedClip;

beforeAll(async () => {
  const options = { codec: Codec.H264, width: WIDTH, height: HEIGHT, frames: 1, flags: ["-bf", "0"] };
  clip = await codedClip(options);
});

async function picturesOf(targets: readonly PictureTarget[], of = clip): Promise<readonly Picture[]> {
  return codec.decodeStill({ format: of.format, units: of.units, targets });
}

async function pictureOf(target: PictureTarget, of = clip): Promise<Picture> {
  const [picture] = await picturesOf([target], of);
  if (picture === undefined) throw new Error("no picture");
  return picture;
}

async function ffmpegRgb(of: CodedClip, width: number, height: number, filter: string): Promise<Buffer> {
  const [picture] = await ffmpegPictures(of.file, {
    pixelFormat: "rgb24",
    pictureBytes: width * height * 3,
    filter,
  });
  return picture ?? Buffer.alloc(0);
}

describe("sizes", () => {
  it.each([
    [{}, 320, 180],
    [{ width: 64 }, 64, 36],
    [{ height: 90 }, 160, 90],
    [{ width: 64, height: 64 }, 64, 64],
    [{ width: 64, height: 64, fit: "inside" }, 64, 36],
    [{ width: 400, height: 20, fit: "inside" }, 36, 20],
    [{ width: 5000 }, 320, 180],
    [{ width: 5000, height: 10 }, 320, 10],
    [{ width: 1, height: 1 }, 1, 1],
    [{ width: 1 }, 1, 1],
    [{ width: 63, height: 37 }, 63, 37],
    [{ rotation: 90 }, 180, 320],
    [{ rotation: 90, width: 90 }, 90, 160],
    [{ rotation: 270, width: 64, height: 64, fit: "inside" }, 36, 64],
    [{ rotation: 90, height: 5000 }, 180, 320],
  ] as const)("%o: %i x %i", async (wanted, width, height) => {
    const forms = ["rgb", "gray", "yuv420", "jpeg"] as const;
    const pictures = await picturesOf(forms.map((form) => ({ form, ...wanted })));
    const bytes = { rgb: width * height * 3, gray: width * height, yuv420: yuv420Bytes(width, height) };
    for (const [at, picture] of pictures.entries()) {
      const turned = "rotation" in wanted;
      const source = { sourceWidth: turned ? 180 : 320, sourceHeight: turned ? 320 : 180 };
      expect(picture).toMatchObject({ form: forms[at], width, height, ...source });
      if (picture.form === "jpeg") expect(jpegSize(picture.data)).toEqual({ width, height });
      else expect(picture.data.length).toBe(bytes[picture.form as keyof typeof bytes]);
    }
  });

  it.each([{ width: 0 }, { width: 1.5 }, { height: -1 }, { quality: 0 }, { quality: 101 }, { bytesMax: 0 }])(
    "%o is refused",
    async (wrong) => {
      await expect(pictureOf({ form: "jpeg", ...wrong })).rejects.toThrow(RangeError);
    },
  );
});

describe("a part", () => {
  /** Columns and lines of a grey picture. */
  const crop = (picture: Picture, [left, top, width, height]: readonly [number, number, number, number]) =>
    Buffer.concat(
      Array.from({ length: height }, (_, line) => {
        const from = (top + line) * picture.width + left;
        return picture.data.subarray(from, from + width);
      }),
    );

  it.each([0, 90, 180, 270] as const)("is what is shown there, turned by %i degrees", async (rotation) => {
    const whole = await pictureOf({ form: "gray", rotation });
    const { width, height } = whole;
    const [columns, lines] = [width / 2, height / 2];
    const part = { left: 16 / width, top: 20 / height, width: 0.5, height: 0.5 };
    const picture = await pictureOf({ form: "gray", rotation, part });
    expect(picture).toMatchObject({
      width: columns,
      height: lines,
      sourceWidth: width,
      sourceHeight: height,
    });
    expect(Buffer.from(picture.data).equals(crop(whole, [16, 20, columns, lines]))).toBe(true);
  });

  it("has the colours that are shown there", async () => {
    const part = { left: 0.25, top: 0.25, width: 0.5, height: 0.5 };
    const { data } = await pictureOf({ form: "rgb", part });
    expect(psnr(data, await ffmpegRgb(clip, 160, 90, "crop=160:90:80:44:exact=1"))).toBeGreaterThan(40);
  });

  it("is scaled as a picture is", async () => {
    const part = { left: 0.5, top: 0, width: 0.5, height: 1 };
    await expect(pictureOf({ form: "rgb", part, width: 32, height: 32 })).resolves.toMatchObject({
      width: 32,
      height: 32,
    });
  });

  it("that is hardly in the picture has a pixel", async () => {
    const part = { left: 1, top: 1, width: 1, height: 1 };
    const { width, height } = await pictureOf({ form: "rgb", part });
    expect(width * height).toBeGreaterThan(0);
  });

  it.each([{ left: -0.1 }, { top: 1.1 }, { width: 0 }, { height: Number.NaN }, { width: 1.01 }])(
    "%o is refused",
    async (wrong) => {
      const part = { left: 0, top: 0, width: 1, height: 1, ...wrong };
      await expect(pictureOf({ form: "rgb", part })).rejects.toThrow(RangeError);
    },
  );
});

/** Width and height of the frame header (ITU-T T.81, B.2.2). */
function jpegSize(data: Uint8Array): { width: number; height: number } {
  const bytes = Buffer.from(data);
  const header = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  return { width: bytes.readUInt16BE(header + 7), height: bytes.readUInt16BE(header + 5) };
}

describe("looks, compared with ffmpeg's", () => {
  it.each([
    [64, 36, "area"],
    [160, 90, "area"],
    [240, 135, "bicubic"],
    [63, 37, "area"],
  ] as const)("scaled to %i x %i", async (width, height, flags) => {
    const expected = await ffmpegRgb(clip, width, height, `scale=${width}:${height}:flags=${flags}`);
    expect(psnr((await pictureOf({ form: "rgb", width, height })).data, expected)).toBeGreaterThan(45);
  });

  it.each([
    ["bt709", "tv"],
    ["bt709", "pc"],
    ["smpte170m", "tv"],
    ["smpte170m", "pc"],
  ])("matrix %s, range %s of the stream", async (matrix, range) => {
    const full = range === "pc" ? "on" : "off";
    const flags = [
      "-x264-params",
      `colormatrix=${matrix}:fullrange=${full}`,
      "-colorspace",
      matrix,
      "-color_range",
      range,
    ];
    const options = { codec: Codec.H264, width: 192, height: 108, frames: 1, flags };
    const signalled = await codedClip(options);
    const matrixName = matrix === "bt709" ? "bt709" : "bt601";
    const filter = `scale=in_color_matrix=${matrixName}:in_range=${range}`;
    const [rgb, gray, jpeg] = await picturesOf(
      [{ form: "rgb" }, { form: "gray" }, { form: "jpeg", quality: 98 }],
      signalled,
    );
    const expected = await ffmpegRgb(signalled, 192, 108, filter);
    expect(psnr(rgb?.data ?? Buffer.alloc(0), expected)).toBeGreaterThan(40);
    // JFIF has one matrix, and full range.
    const shown = await ffmpegPicture(jpeg?.data ?? Buffer.alloc(0), "mjpeg", "rgb24");
    expect(psnr(shown, expected)).toBeGreaterThan(25);
    expect(meanOf(shown).map(Math.round)).toEqual(meanOf(expected).map((mean) => within(mean, 2)));
    const luma = await ffmpegPictures(signalled.file, {
      pixelFormat: "gray",
      pictureBytes: 192 * 108,
      filter: `scale=in_range=${range}:out_range=pc,format=gray`,
    });
    expect(psnr(gray?.data ?? Buffer.alloc(0), luma[0] ?? Buffer.alloc(0))).toBeGreaterThan(45);
  });

  it.each([
    [319, 179],
    [320, 179],
    [319, 180],
    [33, 17],
  ])("odd size %i x %i, all columns and lines", async (width, height) => {
    const options = {
      codec: Codec.MJPEG,
      width,
      height,
      frames: 1,
      flags: ["-q:v", "2", "-pix_fmt", "yuvj420p"],
    };
    const odd = await codedClip(options);
    const expected = await ffmpegRgb(odd, width, height, "scale=flags=bicubic+accurate_rnd+full_chroma_int");
    const { data } = await pictureOf({ form: "rgb" }, odd);
    expect(psnr(data, expected)).toBeGreaterThan(28);
    expect(psnr(lastColumn(data, width), lastColumn(expected, width))).toBeGreaterThan(22);
    expect(psnr(data.subarray(-width * 3), expected.subarray(-width * 3))).toBeGreaterThan(22);
  });

  it.each([
    [90, "transpose=clock"],
    [180, "hflip,vflip"],
    [270, "transpose=cclock"],
  ] as const)("turned by %i degrees", async (rotation, filter) => {
    const [width, height] = rotation === 180 ? [WIDTH, HEIGHT] : [HEIGHT, WIDTH];
    const expected = await ffmpegRgb(clip, width, height, `format=rgb24,${filter}`);
    const [rgb, jpeg] = await picturesOf([
      { form: "rgb", rotation },
      { form: "jpeg", rotation, quality: 95 },
    ]);
    expect(psnr(rgb?.data ?? Buffer.alloc(0), expected)).toBeGreaterThan(90);
    expect(
      psnr(await ffmpegPicture(jpeg?.data ?? Buffer.alloc(0), "mjpeg", "rgb24"), expected),
    ).toBeGreaterThan(27);
  });
});

function within(value: number, tolerance: number): unknown {
  return expect.toSatisfy((other: number) => Math.abs(other - value) <= tolerance);
}

/** Mean of red, green and blue. */
function meanOf(rgb: Uint8Array): number[] {
  const sums = [0, 0, 0];
  for (let at = 0; at < rgb.length; at += 1) sums[at % 3] = (sums[at % 3] ?? 0) + (rgb[at] ?? 0);
  return sums.map((sum) => (sum * 3) / rgb.length);
}

function lastColumn(rgb: Uint8Array, width: number): Uint8Array {
  const stride = width * 3;
  return Uint8Array.from({ length: rgb.length / width }, (_, at) => {
    const [line, color] = [Math.floor(at / 3), at % 3];
    return rgb[line * stride + stride - 3 + color] ?? 0;
  });
}

describe("JPEG", () => {
  it("is JFIF: SOI, APP0 and nothing of another application, EOI at the end", async () => {
    const { data } = await pictureOf({ form: "jpeg", width: 64 });
    const bytes = Buffer.from(data);
    expect(bytes.subarray(0, 4).toString("hex")).toBe("ffd8ffe0");
    expect(bytes.toString("latin1", 6, 11)).toBe("JFIF\0");
    expect(bytes.subarray(-2).toString("hex")).toBe("ffd9");
    expect(
      markersOf(bytes).filter((marker) => (marker >= 0xe1 && marker <= 0xef) || marker === 0xfe),
    ).toEqual([]);
  });

  it("gets larger and more exact with its quality", async () => {
    const plain = await pictureOf({ form: "rgb" });
    const qualities = [10, 40, 75, 95];
    const files = await picturesOf(qualities.map((quality) => ({ form: "jpeg", quality })));
    const sizes = files.map((file) => file.data.length);
    expect(sizes).toEqual([...sizes].sort((left, right) => left - right));
    const truth = await Promise.all(
      files.map(async (file) => psnr(await ffmpegPicture(file.data, "mjpeg", "rgb24"), plain.data)),
    );
    expect(truth).toEqual([...truth].sort((left, right) => left - right));
    expect(truth[2]).toBeGreaterThan(25);
  });

  it("has at most bytesMax bytes, and is not made smaller than that needs", async () => {
    const [free, bounded] = await picturesOf([
      { form: "jpeg", quality: 90 },
      { form: "jpeg", quality: 90, bytesMax: 9000 },
    ]);
    expect(free?.data.length).toBeGreaterThan(9000);
    expect(bounded?.data.length).toBeLessThanOrEqual(9000);
    expect(bounded?.data.length).toBeGreaterThan(6000);
  });

  it("has the same bytes if the next picture is the same, and a better quality if more bytes are allowed", async () => {
    const bounded = (bytesMax: number) => pictureOf({ form: "jpeg", quality: 90, bytesMax });
    const first = await bounded(9000);
    const again = await bounded(9000);
    expect(Buffer.from(again.data)).toEqual(Buffer.from(first.data));
    expect((await bounded(18_000)).data.length).toBeGreaterThan(first.data.length);
  });

  it("that no quality makes small enough is an error", async () => {
    await expect(pictureOf({ form: "jpeg", bytesMax: 300 })).rejects.toMatchObject({
      name: "CodecError",
      kind: "too-large",
    });
  });
});

/** Markers of a JPEG file up to its scan. */
function markersOf(file: Buffer): number[] {
  const markers: number[] = [];
  for (let at = 2; at + 4 <= file.length && markers.at(-1) !== 0xda; at += 2 + file.readUInt16BE(at + 2))
    markers.push(file.readUInt8(at + 1));
  return markers;
}

it("a picture's bytes are the caller's own, tightly packed", async () => {
  const [large, again] = [await pictureOf({ form: "rgb" }), await pictureOf({ form: "rgb" })];
  expect(large.data.byteLength).toBe(large.data.buffer.byteLength);
  large.data.fill(0);
  expect(again.data.some((byte) => byte !== 0)).toBe(true);
});

it("a picture's memory can be freed, a small one's and a large one's", async () => {
  for (const width of [16, WIDTH]) {
    const { data } = await pictureOf({ form: "rgb", width });
    expect([data.length > 32 * 1024, freeMemory?.(data), data.length]).toEqual([width === WIDTH, true, 0]);
  }
});
