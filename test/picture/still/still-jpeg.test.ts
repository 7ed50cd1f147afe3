import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { Rotation } from "../../../src/picture/index.js";
import { clampSize, JPEG_BYTES_MAX, StillJpegs } from "../../../src/picture/still/still-jpeg.js";

const jpegs = new StillJpegs();
const ALL = { sizes: [{ width: 64, height: 36 }], rotation: 0 as Rotation, mayBeDamaged: false };

/** A JPEG whose left half is red and whose right half is blue. */
async function halves(width = 320, height = 180): Promise<Buffer> {
  const data = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at++) data[at * 3 + (at % width < width / 2 ? 0 : 2)] = 255;
  return await sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 95 })
    .toBuffer();
}

/** Red, green, blue of a pixel, by its place in shares of the picture. */
async function colourAt(jpeg: Uint8Array, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
  return [...data.subarray(at, at + 3)];
}

const isRed = ([red = 0, , blue = 0]: number[]): boolean => red > 180 && blue < 80;

describe("the size of a still", () => {
  const source = { width: 1920, height: 1080 };
  it.each([
    ["both sides as asked", { width: 64, height: 36 }, { width: 64, height: 36 }],
    ["both sides against the shape", { width: 100, height: 100 }, { width: 100, height: 100 }],
    ["the width alone", { width: 640 }, { width: 640, height: 360 }],
    ["the height alone", { height: 360 }, { width: 640, height: 360 }],
    ["none: the source's", {}, source],
    ["each side clamped", { width: 5000, height: 50 }, { width: 1920, height: 50 }],
    ["a clamped width keeps the shape", { width: 5000 }, source],
    ["never less than a pixel", { width: 1 }, { width: 1, height: 1 }],
  ])("%s", (_title, asked, size) => {
    expect(clampSize(asked, source)).toEqual(size);
  });
});

describe("a camera's JPEG", () => {
  it.each<[Rotation, number, number, [number, number]]>([
    [0, 64, 36, [0.2, 0.5]],
    [90, 36, 64, [0.5, 0.2]],
    [180, 64, 36, [0.8, 0.5]],
    [270, 36, 64, [0.5, 0.8]],
  ])("turned by %d degrees has its red half where it belongs", async (rotation, width, height, [x, y]) => {
    const [made] = await jpegs.resize(await halves(), { ...ALL, rotation, sizes: [{ width, height }] });
    const { jpeg = new Uint8Array(0) } = made ?? {};
    expect(await sharp(jpeg).metadata()).toMatchObject({ format: "jpeg", width, height });
    expect(isRed(await colourAt(jpeg, x, y))).toBe(true);
    expect(isRed(await colourAt(jpeg, 1 - x, 1 - y))).toBe(false);
  });

  it("is encoded again: JFIF first, without hidden data", async () => {
    const hidden = await sharp(await halves())
      .withMetadata({ exif: { IFD0: { Copyright: "a secret" } } })
      .toBuffer();
    expect(hidden.includes("a secret")).toBe(true);
    const [made] = await jpegs.resize(hidden, { ...ALL, sizes: [{}] });
    const jpeg = Buffer.from(made?.jpeg ?? []);
    expect(jpeg.subarray(0, 4).toString("hex")).toBe("ffd8ffe0");
    expect(jpeg.includes("a secret")).toBe(false);
    expect([made?.width, made?.height]).toEqual([320, 180]);
  });

  it("comes in several sizes", async () => {
    const sizes = [{ width: 64, height: 36 }, { width: 100 }, { width: 9999, height: 9999 }];
    const made = await jpegs.resize(await halves(), { ...ALL, sizes });
    expect(made.map(({ width, height }) => [width, height])).toEqual([
      [64, 36],
      [100, 56],
      [320, 180],
    ]);
  });

  it("that is truncated is refused from a camera's snapshot, and shown as far as possible from a damaged frame", async () => {
    const whole = await halves();
    const half = whole.subarray(0, whole.length >> 1);
    await expect(jpegs.resize(half, ALL)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
    expect(await jpegs.resize(half, { ...ALL, mayBeDamaged: true })).toHaveLength(1);
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ["a page", Buffer.from("<html>401 Unauthorized</html>")],
    ["a beginning alone", Buffer.from("ffd8ffe000104a464946", "hex")],
    ["too many bytes", Buffer.alloc(JPEG_BYTES_MAX + 1, "ffd8", "hex")],
  ])("that is %s is refused", async (_title, bytes) => {
    await expect(jpegs.resize(bytes, ALL)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  });

  it("with too many pixels is refused before it is decoded", async () => {
    const jpeg = await halves(64, 64);
    // The size in the frame header (ITU-T T.81, B.2.2): 65,500 each way.
    const sof = jpeg.indexOf(Buffer.from("ffc0", "hex"));
    jpeg.writeUInt16BE(65_500, sof + 5);
    jpeg.writeUInt16BE(65_500, sof + 7);
    await expect(jpegs.resize(jpeg, ALL)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  });
});
