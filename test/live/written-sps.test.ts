import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BitWriter, preventEmulation } from "../../src/live/codec/bit-writer.js";
import { h264Reordering, parseH264Sps } from "../../src/live/codec/h264-sps.js";
import { parseH265Sps } from "../../src/live/codec/h265-sps.js";

/** Syntax elements as text, a character a bit: obviously right, and nothing of the program's. */
const u = (value: number, count: number): string =>
  count === 0 ? "" : value.toString(2).padStart(count, "0");
const flag = (isSet: boolean): string => (isSet ? "1" : "0");
function ue(value: number): string {
  const code = (value + 1).toString(2);
  return "0".repeat(code.length - 1) + code;
}
const se = (value: number): string => ue(value > 0 ? 2 * value - 1 : -2 * value);

/** A NAL unit of these bits, with the stop bit and emulation prevention. */
function nalOf(header: readonly number[], bits: string): Buffer {
  const whole = `${bits}1`;
  const padded = whole.padEnd(Math.ceil(whole.length / 8) * 8, "0");
  const bytes = [...header];
  let zeros = 0;
  for (let at = 0; at < padded.length; at += 8) {
    const byte = Number.parseInt(padded.slice(at, at + 8), 2);
    if (zeros === 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Buffer.from(bytes);
}

const PROFILES_WITH_CHROMA = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135];
const small = (max: number) => fc.integer({ min: 0, max });
const crops = fc.option(fc.record({ left: small(3), right: small(3), top: small(3), bottom: small(3) }), {
  nil: undefined,
});
type Crops = { left: number; right: number; top: number; bottom: number } | undefined;
const cropBits = (crop: Crops): string =>
  crop === undefined ? "0" : `1${ue(crop.left)}${ue(crop.right)}${ue(crop.top)}${ue(crop.bottom)}`;

/** A scaling list: each value as the difference from the one before; a list may end early, with 0. */
const scalingList = (size: number) =>
  fc.oneof(
    fc.constant("0"),
    fc.array(fc.integer({ min: 1, max: 255 }), { minLength: size, maxLength: size }).map((values) => {
      const differences = values.map((value, at) => value - (values[at - 1] ?? 8));
      return `1${differences.map((difference) => se(((difference + 384) % 256) - 128)).join("")}`;
    }),
    fc.integer({ min: 1, max: 255 }).map((value) => {
      return `1${se(((value - 8 + 384) % 256) - 128)}${se(((-value + 384) % 256) - 128)}`;
    }),
  );
const scaling = (format: number) =>
  fc.oneof(
    fc.constant("0"),
    fc
      .tuple(...Array.from({ length: format === 3 ? 12 : 8 }, (_, at) => scalingList(at < 6 ? 16 : 64)))
      .map((lists) => `1${lists.join("")}`),
  );
const chroma = small(3).chain((format) =>
  fc.record({
    format: fc.constant(format),
    separate: format === 3 ? fc.boolean() : fc.constant(false),
    luma: small(6),
    chroma: small(6),
    scaling: scaling(format),
  }),
);
const order = fc.oneof(
  small(12).map((value) => ({ type: 0, bits: ue(value) })),
  fc
    .tuple(
      fc.boolean(),
      fc.integer({ min: -99, max: 99 }),
      fc.integer({ min: -99, max: 99 }),
      fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 255 }),
    )
    .map(([isZero, a, b, cycle]) => ({
      type: 1,
      bits: `${flag(isZero)}${se(a)}${se(b)}${ue(cycle.length)}${cycle.map(se).join("")}`,
    })),
  fc.constant({ type: 2, bits: "" }),
);
const hrd = fc
  .tuple(small(31), small(255), fc.array(fc.tuple(small(99), small(99)), { minLength: 32, maxLength: 32 }))
  .map(([last, scales, values]) => {
    const each = values.slice(0, last + 1).map(([rate, size]) => `${ue(rate)}${ue(size)}0`);
    return `1${ue(last)}${u(scales, 8)}${each.join("")}${u(0x5_5555, 20)}`;
  });
const optional = (bits: fc.Arbitrary<string>) => fc.oneof(fc.constant("0"), bits);
const vui = fc.record({
  aspect: fc.constantFrom("0", `1${u(1, 8)}`, `1${u(255, 8)}${u(7, 16)}${u(9, 16)}`),
  overscan: fc.constantFrom("0", "10", "11"),
  signal: fc.constantFrom("0", `1${u(5, 3)}10`, `1${u(5, 3)}11${u(1, 24)}`),
  location: fc.constantFrom("0", `1${ue(2)}${ue(5)}`),
  timing: fc.constantFrom("0", `1${u(1, 32)}${u(50, 32)}1`),
  nal: optional(hrd),
  vcl: optional(hrd),
  delay: fc.boolean(),
  structure: fc.boolean(),
  depth: fc.option(small(20), { nil: undefined }),
});

describe("an H.264 SPS that is written by the standard", () => {
  const sps = fc.record({
    profile: fc.constantFrom(...PROFILES_WITH_CHROMA, 66, 77, 88),
    id: small(31),
    chroma,
    order,
    references: small(16),
    blocks: fc.tuple(small(60), small(40)),
    isFrames: fc.boolean(),
    crop: crops,
    vui: fc.option(vui, { nil: undefined }),
  });

  it("says what was written, whatever stands before it", () => {
    fc.assert(
      fc.property(sps, ({ profile, id, chroma: given, order: pictureOrder, references, blocks, ...rest }) => {
        const { isFrames, crop, vui: usability } = rest;
        const hasChroma = PROFILES_WITH_CHROMA.includes(profile);
        const { format, separate, luma, chroma: depth, scaling: matrix } = given;
        const planes = format === 3 ? flag(separate) : "";
        const chromaBits = hasChroma ? `${ue(format)}${planes}${ue(luma)}${ue(depth)}0${matrix}` : "";
        const [wide, high] = [blocks[0] + 2, blocks[1] + 2];
        const before =
          `${u(profile, 8)}${u(0, 8)}${u(40, 8)}${ue(id)}${chromaBits}${ue(3)}` +
          `${ue(pictureOrder.type)}${pictureOrder.bits}${ue(references)}0${ue(wide - 1)}${ue(high - 1)}` +
          `${flag(isFrames)}${isFrames ? "" : "1"}1${cropBits(crop)}`;
        const ends = usability === undefined ? "0" : "1";
        let known = "";
        if (usability !== undefined) {
          const { aspect, overscan, signal, location, timing, nal, vcl, delay, structure } = usability;
          const isDelayed = nal === "0" && vcl === "0" ? "" : flag(delay);
          known = `${aspect}${overscan}${signal}${location}${timing}${nal}${vcl}${isDelayed}${flag(structure)}`;
        }
        const most = usability?.depth;
        const restricted =
          usability === undefined
            ? ""
            : most === undefined
              ? "0"
              : `11${ue(1)}${ue(2)}${ue(9)}${ue(9)}${ue(most)}${ue(16)}`;
        const nal = nalOf([0x67], `${before}${ends}${known}${restricted}`);

        const seen = hasChroma ? given : { format: 1, separate: false, luma: 0, chroma: 0 };
        const shared = seen.separate ? 0 : seen.format;
        const factor = isFrames ? 1 : 2;
        const taken = crop ?? { left: 0, right: 0, top: 0, bottom: 0 };
        const implied = pictureOrder.type === 2 || profile === 66 ? 0 : undefined;
        expect(parseH264Sps(nal)).toEqual({
          id,
          width: wide * 16 - (taken.left + taken.right) * (shared === 1 || shared === 2 ? 2 : 1),
          height: (high * 16 - (taken.top + taken.bottom) * (shared === 1 ? 2 : 1)) * factor,
          mayHaveFields: !isFrames,
          reorderDepth: most !== undefined && most <= 16 ? most : implied,
          chromaFormat: seen.format,
          lumaBits: 8 + seen.luma,
          chromaBits: 8 + seen.chroma,
        });
        expect(h264Reordering(nal)).toEqual({
          profile,
          orderType: pictureOrder.type,
          referenceFrames: references,
          vuiAt: before.length,
          restrictionAt: usability === undefined ? undefined : before.length + 1 + known.length,
          isRestricted: most !== undefined,
        });
      }),
      { numRuns: 500 },
    );
  });

  interface Fields {
    readonly id?: number;
    readonly wide?: number;
    readonly header?: number;
    readonly crop?: Crops;
  }

  it.each<[string, Fields]>([
    ["an id of 32", { id: 32 }],
    ["a width of 0", { crop: { left: 8, right: 0, top: 0, bottom: 0 } }],
    ["a height of 0", { crop: { left: 0, right: 0, top: 4, bottom: 4 } }],
    ["a width of more than level 6.2 allows", { wide: 1056 }],
    ["another type of NAL unit", { header: 0x68 }],
  ])("is refused with %s", (_name, { id = 31, wide = 1, header = 0x67, crop }) => {
    const size = `${ue(wide - 1)}${ue(0)}11${cropBits(crop)}`;
    const bits = `${u(77, 8)}${u(0, 16)}${ue(id)}${ue(0)}${ue(2)}${ue(1)}0${size}0`;
    expect(parseH264Sps(nalOf([header], bits))).toBeUndefined();
  });

  it("is taken with the greatest id and width", () => {
    const bits = `${u(77, 8)}${u(0, 16)}${ue(31)}${ue(0)}${ue(2)}${ue(1)}0${ue(1054)}${ue(0)}1100`;
    expect(parseH264Sps(nalOf([0x67], bits))).toMatchObject({ id: 31, width: 16_880, height: 16 });
  });
});

describe("an H.265 SPS that is written by the standard", () => {
  const layers = fc.array(fc.record({ profile: fc.boolean(), level: fc.boolean() }), { maxLength: 6 });
  const sps = fc.record({
    layers,
    id: small(15),
    format: small(3),
    separate: fc.boolean(),
    size: fc.tuple(fc.integer({ min: 32, max: 4096 }), fc.integer({ min: 32, max: 4096 })),
    crop: crops,
    depths: fc.tuple(small(6), small(6)),
    ordering: fc.boolean(),
    reorder: fc.array(small(20), { minLength: 7, maxLength: 7 }),
  });

  it("says what was written, whatever stands before it", () => {
    fc.assert(
      fc.property(sps, ({ layers: lower, id, format, separate, size, crop, depths, ordering, reorder }) => {
        const present = lower.map(({ profile, level }) => flag(profile) + flag(level)).join("");
        const reserved = lower.length > 0 ? "0".repeat(2 * (8 - lower.length)) : "";
        const levels = lower
          .map(({ profile, level }) => "10".repeat(profile ? 44 : 0) + "01".repeat(level ? 4 : 0))
          .join("");
        const written = ordering ? reorder.slice(0, lower.length + 1) : reorder.slice(0, 1);
        const bits =
          `${u(0, 4)}${u(lower.length, 3)}1${"01".repeat(48)}${present}${reserved}${levels}${ue(id)}${ue(format)}` +
          `${format === 3 ? flag(separate) : ""}${ue(size[0])}${ue(size[1])}${cropBits(crop)}` +
          `${ue(depths[0])}${ue(depths[1])}${ue(4)}${flag(ordering)}` +
          `${written.map((depth) => `${ue(5)}${ue(depth)}${ue(0)}`).join("")}${ue(0)}`;
        const shared = format === 3 && separate ? 0 : format;
        const taken = crop ?? { left: 0, right: 0, top: 0, bottom: 0 };
        const depth = written.at(-1) ?? 0;
        expect(parseH265Sps(nalOf([0x42, 1], bits))).toEqual({
          id,
          width: size[0] - (taken.left + taken.right) * (shared === 1 || shared === 2 ? 2 : 1),
          height: size[1] - (taken.top + taken.bottom) * (shared === 1 ? 2 : 1),
          mayHaveFields: false,
          reorderDepth: depth > 16 ? undefined : depth,
          chromaFormat: format,
          lumaBits: 8 + depths[0],
          chromaBits: 8 + depths[1],
        });
      }),
      { numRuns: 500 },
    );
  });
});

describe("bits that are written", () => {
  const step = fc.oneof(
    fc.tuple(small(32), fc.nat(0xffff_ffff)).map(([count, value]) => ({
      write: (writer: BitWriter) => writer.bits(value, count),
      text: count === 0 ? "" : u(value, 32).slice(-count),
    })),
    small(70_000).map((value) => ({
      write: (writer: BitWriter) => writer.unsignedGolomb(value),
      text: ue(value),
    })),
    small(20).map((zeros) => ({
      write: (writer: BitWriter) => writer.unary(zeros),
      text: `${"0".repeat(zeros)}1`,
    })),
  );

  it("stand one behind the other, whatever memory was there first", () => {
    fc.assert(
      fc.property(
        fc.array(step),
        fc.integer({ min: 1, max: 8 }),
        fc.boolean(),
        (steps, expected, isAligned) => {
          const writer = new BitWriter(expected);
          for (const { write } of steps) write(writer);
          const text = steps.map((one) => one.text).join("");
          expect(writer.bitLength).toBe(text.length);
          if (isAligned) writer.align();
          const whole = Math.ceil(text.length / 8) * 8;
          expect(writer.bitLength).toBe(isAligned ? whole : text.length);
          const read = [...writer.bytes].map((byte) => u(byte, 8)).join("");
          expect(read).toBe(text.padEnd(whole, "0"));
        },
      ),
    );
  });

  it("have emulation prevention as in a NAL unit", () => {
    const bytes = fc.array(fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 255)).map((values) => Buffer.from(values));
    fc.assert(
      fc.property(bytes, (payload) => {
        const bits = [...payload].map((byte) => u(byte, 8)).join("");
        // The unit of the test ends with a stop bit.
        expect(preventEmulation(Buffer.concat([payload, Buffer.from([0x80])]))).toEqual(nalOf([], bits));
      }),
    );
  });
});
