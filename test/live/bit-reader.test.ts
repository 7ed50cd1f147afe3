import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BitReader, rawPayload } from "../../src/live/codec/bit-reader.js";

const bytesOf = (bits: string): Buffer =>
  Buffer.from(
    bits
      .padEnd(Math.ceil(bits.length / 8) * 8, "0")
      .match(/.{8}/g)
      ?.map((byte) => Number.parseInt(byte, 2)) ?? [],
  );
const golomb = (value: number): string => {
  const code = (value + 1).toString(2);
  return "0".repeat(code.length - 1) + code;
};
const all = fc
  .array(fc.constantFrom("0", "1"), { minLength: 40, maxLength: 200 })
  .map((bits) => bits.join(""));

describe("bits that are read", () => {
  it("are those that stand there, from wherever", () => {
    fc.assert(
      fc.property(all, fc.nat(39), fc.integer({ min: 0, max: 32 }), (bits, from, count) => {
        const reader = new BitReader(bytesOf(bits));
        const whole = Math.ceil(bits.length / 8) * 8;
        reader.skip(from);
        expect(reader.position).toBe(from);
        expect(reader.bitsLeft).toBe(whole - from);
        const padded = bits.padEnd(whole, "0").padEnd(80, "0");
        expect(reader.bits(count)).toBe(
          count === 0 ? 0 : Number.parseInt(padded.slice(from, from + count), 2),
        );
        expect(reader.overrun).toBe(from + count > whole);
      }),
    );
  });

  it("are zeros behind the end, and it is said", () => {
    const reader = new BitReader(Buffer.of(0xff));
    expect(reader.bits(8)).toBe(255);
    expect([reader.overrun, reader.bitsLeft]).toEqual([false, 0]);
    expect([reader.flag(), reader.bit()]).toEqual([false, 0]);
    expect([reader.overrun, reader.position]).toEqual([true, 8]);
  });

  it("may be left out up to the end, and no further", () => {
    const reader = new BitReader(Buffer.alloc(2));
    reader.skip(16);
    expect([reader.overrun, reader.bitsLeft]).toEqual([false, 0]);
    reader.skip(1);
    expect([reader.overrun, reader.position]).toEqual([true, 16]);
  });

  it("are numbers of Exp-Golomb", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff_fffe), { maxLength: 20 }), (values) => {
        const reader = new BitReader(bytesOf(values.map(golomb).join("")));
        expect(values.map(() => reader.unsignedGolomb())).toEqual(values);
        expect(reader.overrun).toBe(false);
      }),
    );
  });

  it.each([
    [0, 0],
    [1, 1],
    [2, -1],
    [3, 2],
    [4, -2],
    [509, 255],
    [510, -255],
  ])("of code %i are the signed number %i", (code, signed) => {
    expect(new BitReader(bytesOf(golomb(code))).signedGolomb() + 0).toBe(signed);
  });

  it("have codes of 32 zeros at the most", () => {
    const longest = new BitReader(bytesOf(`${"0".repeat(32)}1${"0".repeat(32)}`));
    expect(longest.unsignedGolomb()).toBe(2 ** 32 - 1);
    expect(longest.overrun).toBe(false);
    const longer = new BitReader(bytesOf(`${"0".repeat(33)}1${"0".repeat(100)}`));
    expect(longer.unsignedGolomb()).toBe(0);
    expect(longer.overrun).toBe(true);
  });

  it("end with a code that is not whole", () => {
    const reader = new BitReader(Buffer.of(0));
    expect(reader.unsignedGolomb()).toBe(0);
    expect(reader.overrun).toBe(true);
  });
});

describe("a raw payload", () => {
  it.each([
    ["has no emulation prevention bytes", "6700000301", 1, "000001"],
    ["keeps a 3 behind one zero", "67000301", 1, "000301"],
    ["keeps a 3 behind others", "67010203", 1, "010203"],
    ["counts zeros anew behind each", "67000003000003000003", 1, "000000000000"],
    ["begins behind the header", "42010000030a", 2, "00000a"],
  ])("%s", (_name, nal, header, payload) => {
    expect(Buffer.from(rawPayload(Buffer.from(nal, "hex"), header)).toString("hex")).toBe(payload);
  });
});
