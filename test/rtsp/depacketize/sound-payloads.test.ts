import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAdtsFrame } from "../../../src/live/codec/adts-frame.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { pcmToG711 } from "../../../src/live/codec/g711.js";
import { G726Decoder } from "../../../src/rtsp/depacketize/sound/g726-decoder.js";
import { LATM_TRIES_MAX } from "../../../src/rtsp/depacketize/sound/latm-depacketizer.js";
import { filler } from "../../support/media/sample-nal-units.js";
import { type HarnessOptions, TrackHarness } from "../../support/rtsp/track-harness.js";

/** Sound of a second with silence, a tone, and noise, as ffmpeg codes it. */
const coded = (rate: number, channels: number, ...coding: string[]): Buffer => {
  const source = `aevalsrc=if(lt(t\\,0.3)\\,0\\,if(lt(t\\,0.7)\\,0.5*sin(2000*t)\\,0.6*random(0)-0.3)):s=${rate}:d=1`;
  return ffmpeg(Buffer.alloc(0), "-f", "lavfi", "-i", source, "-ac", String(channels), ...coding, "-");
};

function ffmpeg(input: Buffer, ...args: string[]): Buffer {
  return execFileSync("ffmpeg", ["-loglevel", "error", ...args], { input, maxBuffer: 16 * 1024 * 1024 });
}

/** The frames of an ADTS stream. */
function adtsFrames(stream: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; ; ) {
    const frame = readAdtsFrame(stream, at, stream.length);
    if (frame === undefined) return frames;
    frames.push(stream.subarray(at, at + frame.frameBytes));
    at += frame.frameBytes;
  }
}

const unitsOf = (frames: readonly Buffer[]): Buffer[] => frames.map((frame) => frame.subarray(7));

describe("AAC in AudioMuxElements (LATM)", () => {
  const adts = coded(16_000, 1, "-c:a", "aac", "-f", "adts");
  const units = unitsOf(adtsFrames(adts));
  /** LOAS (ISO/IEC 14496-3, 1.7.2): 11 bits of mark, 13 of length, an AudioMuxElement with its configuration. */
  const elements = (): Buffer[] => {
    const loas = ffmpeg(
      adts,
      "-f",
      "aac",
      "-i",
      "-",
      "-c:a",
      "copy",
      "-f",
      "latm",
      "-smc-interval",
      "8",
      "-",
    );
    const found: Buffer[] = [];
    for (let at = 0; at + 3 < loas.length; ) {
      const length = loas.readUIntBE(at, 3) & 0x1fff;
      found.push(loas.subarray(at + 3, at + 3 + length));
      at += 3 + length;
    }
    return found;
  };
  const latm = (fmtp: Record<string, string>): TrackHarness =>
    new TrackHarness({ codec: Codec.AAC, clockRate: 16_000, payload: { kind: "latm" }, fmtp });

  it("with the configuration in the elements become the access units that were wrapped", () => {
    const track = latm({});
    elements().forEach((element, index) => {
      track.clock.advance(64_000);
      track.send({ timestamp: index * 1024, marker: true }, element);
    });
    expect(track.frames.map(({ bytes }) => bytes)).toEqual(units);
    expect(track.frames[0]?.format).toMatchObject({ codec: Codec.AAC, sampleRate: 16_000, channels: 1 });
    expect(ffmpeg(withAdts(track.frames), "-f", "aac", "-i", "-", "-f", "s16le", "-").length).toBe(
      units.length * 2048,
    );
  });

  it("with the configuration in the session description, one or several to a packet, or one in several", () => {
    const track = latm({ cpresent: "0", config: "40002810 3fc0".replace(" ", "") });
    const wrapped = units.slice(0, 6).map((unit) => Buffer.concat([lengthOf(unit), unit]));
    track.send({ timestamp: 0, marker: true }, wrapped[0] ?? filler(0));
    track.send({ timestamp: 1024, marker: true }, Buffer.concat(wrapped.slice(1, 3)));
    track.send({ timestamp: 3072 }, (wrapped[3] ?? filler(0)).subarray(0, 9));
    track.send({ timestamp: 3072, marker: true }, (wrapped[3] ?? filler(0)).subarray(9));
    track.send({ timestamp: 4096 }, wrapped[4] ?? filler(0));
    track.send({ timestamp: 5120, marker: true }, wrapped[5] ?? filler(0));
    expect(track.frames.map(({ bytes }) => bytes)).toEqual(units.slice(0, 6));
    expect(track.frames[2]?.decodeTimeUs).toBe((track.frames[1]?.decodeTimeUs ?? 0) + 64_000);
  });

  it("with an AudioSpecificConfig, or a configuration cut at its end, in the session description", () => {
    for (const config of ["1408", "40002810"]) {
      const track = latm({ cpresent: "0", config });
      const unit = units[0] ?? filler(0);
      track.send({ timestamp: 0, marker: true }, Buffer.concat([lengthOf(unit), unit]));
      expect(track.frames.map(({ bytes }) => bytes)).toEqual([unit]);
      expect(track.frames[0]?.format).toMatchObject({ sampleRate: 16_000, channels: 1 });
    }
  });

  it("that lost a packet are dropped, and those behind them are not", () => {
    const [first = filler(0), second = filler(0)] = elements();
    const track = latm({});
    track.send({ timestamp: 0, marker: true }, first);
    track
      .send({ timestamp: 1024 }, second.subarray(0, 2))
      .lose()
      .send({ timestamp: 1024, marker: true }, second.subarray(4));
    track.send({ timestamp: 2048, marker: true }, first);
    expect(track.frames.map(({ bytes }) => bytes)).toEqual([units[0], units[0]]);
  });

  it("in a packet a byte are read at the marker, or when their timestamp is over", () => {
    const unit = units.find(({ length }) => length > 2 * LATM_TRIES_MAX) ?? filler(0);
    const element = Buffer.concat([lengthOf(unit), unit]);
    expect(element.length).toBeGreaterThan(2 * LATM_TRIES_MAX);
    for (const marksAll of [false, true]) {
      const track = latm({ cpresent: "0", config: "400028103fc0" });
      for (let at = 0; at < element.length; at += 1)
        track.send(
          { timestamp: 0, marker: marksAll || at === element.length - 1 },
          element.subarray(at, at + 1),
        );
      expect(track.frames.length).toBe(marksAll ? 0 : 1);
      track.send({ timestamp: 1024, marker: true }, element);
      expect(track.frames.map(({ bytes }) => bytes)).toEqual([unit, unit]);
    }
  });

  it("never throw and stay within bounds, whatever they say", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 8 }),
        fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("hex")),
        (payloads, config) => {
          const track = latm({ config, cpresent: String(payloads.length % 2) });
          for (const payload of payloads)
            track.send({ timestamp: payload.length, marker: true }, Buffer.from(payload));
          for (const { bytes } of track.flush().frames) expect(bytes.length).toBeLessThan(81);
        },
      ),
      { numRuns: 500 },
    );
  });

  function lengthOf(unit: Buffer): Buffer {
    return Buffer.from([...Array(Math.floor(unit.length / 255)).fill(255), unit.length % 255]);
  }

  function withAdts(frames: readonly { readonly bytes: Buffer }[]): Buffer {
    const head = adts.subarray(0, 7);
    return Buffer.concat(
      frames.flatMap(({ bytes }) => {
        const header = Buffer.from(head);
        const length = bytes.length + 7;
        header[3] = ((header[3] ?? 0) & 0xfc) | (length >> 11);
        header[4] = (length >> 3) & 0xff;
        header[5] = ((length & 7) << 5) | ((header[5] ?? 0) & 0x1f);
        return [header, bytes];
      }),
    );
  }
});

describe("ADTS in packets", () => {
  const frames = adtsFrames(coded(44_100, 2, "-c:a", "aac", "-f", "adts"));
  const units = unitsOf(frames);
  const WRONG: HarnessOptions = { codec: Codec.AAC, clockRate: 16_000, fmtp: { config: "1408" } };
  const section = (...sizes: number[]): Buffer => {
    const bytes = Buffer.alloc(2 + 2 * sizes.length);
    bytes.writeUInt16BE(16 * sizes.length, 0);
    sizes.forEach((size, index) => {
      bytes.writeUInt16BE(size << 3, 2 + 2 * index);
    });
    return bytes;
  };

  it("in place of RFC 3640 are removed, and say rate and channels", () => {
    const track = new TrackHarness(WRONG);
    track.send({ timestamp: 0, marker: true }, Buffer.concat(frames.slice(0, 2)));
    const cut = frames[2]?.subarray(0, 50) ?? filler(0);
    track
      .send({ timestamp: 2048 }, cut)
      .send({ timestamp: 2048, marker: true }, frames[2]?.subarray(50) ?? filler(0));
    track.send({ timestamp: 3072, marker: true }, frames[3] ?? filler(0));
    expect(track.frames.map(({ bytes }) => bytes)).toEqual(units.slice(0, 4));
    expect(track.frames[0]?.format).toMatchObject({ sampleRate: 44_100, channels: 2 });
    expect(Buffer.from(track.frames[0]?.format.initialization ?? []).toString("hex")).toBe("1210");
  });

  it("within the units of RFC 3640 are removed", () => {
    const track = new TrackHarness(WRONG);
    const [first = filler(0), second = filler(0)] = frames;
    track.send(
      { timestamp: 0, marker: true },
      Buffer.concat([section(first.length, second.length), first, second]),
    );
    expect(track.frames.map(({ bytes }) => bytes)).toEqual(units.slice(0, 2));
  });

  it("never throw and stay within bounds, whatever they say", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 6 }), (payloads) => {
        const track = new TrackHarness(WRONG);
        for (const payload of payloads)
          track.send(
            { timestamp: 0, marker: true },
            Buffer.concat([(frames[0] ?? filler(0)).subarray(0, payload.length % 9), Buffer.from(payload)]),
          );
        for (const { bytes } of track.frames) expect(bytes.length).toBeLessThan(8192);
      }),
    );
  });
});

describe("AAC with a description that says too little", () => {
  it("is taken for AAC-LC of the rate and channels that it names", () => {
    const track = new TrackHarness({ codec: Codec.AAC, clockRate: 16_000, channels: 2, fmtp: {} });
    track.send({ timestamp: 0, marker: true }, Buffer.from([0, 16, (3 << 3) >> 8, 3 << 3, 1, 2, 3]));
    expect(Buffer.from(track.frames[0]?.format.initialization ?? []).toString("hex")).toBe("1410");
    expect(track.frames[0]?.bytes).toEqual(Buffer.from([1, 2, 3]));
    expect(() => new TrackHarness({ codec: Codec.AAC, clockRate: 12_345, fmtp: {} })).toThrow(/config/);
  });

  it("has one unit a packet, or units of one size, without lengths", () => {
    const one = new TrackHarness({
      codec: Codec.AAC,
      clockRate: 16_000,
      fmtp: { config: "1408", sizelength: "0" },
    });
    one.send({ timestamp: 0, marker: true }, filler(30));
    expect(one.frames.map(({ bytes }) => bytes)).toEqual([filler(30)]);
    const fmtp = { config: "1408", sizelength: "0", constantsize: "10" };
    const many = new TrackHarness({ codec: Codec.AAC, clockRate: 16_000, fmtp });
    many.send({ timestamp: 0, marker: true }, Buffer.concat([filler(10), filler(10, 2)]));
    expect(many.frames.map(({ bytes }) => bytes)).toEqual([filler(10), filler(10, 2)]);
  });

  it("has lengths of the usual size where the description names impossible ones", () => {
    const fmtp = { config: "1408", sizelength: "thirteen", indexlength: "999" };
    const track = new TrackHarness({ codec: Codec.AAC, clockRate: 16_000, fmtp });
    track.send({ timestamp: 0, marker: true }, Buffer.from([0, 16, 0, 3 << 3, 1, 2, 3]));
    expect(track.frames[0]?.bytes).toEqual(Buffer.from([1, 2, 3]));
  });
});

describe("G.726", () => {
  const RATES = [
    [2, "16k"],
    [3, "24k"],
    [4, "32k"],
    [5, "40k"],
  ] as const;

  /** Codes of one stream, with the first in the low or high bits of a byte. */
  function codesOf(bytes: Buffer, bits: number, order: "first-low" | "first-high"): number[] {
    const binary = [...bytes].map((byte) => {
      const text = byte.toString(2).padStart(8, "0");
      return order === "first-low" ? [...text].reverse().join("") : text;
    });
    const all = binary.join("");
    return Array.from({ length: Math.floor(all.length / bits) }, (_, index) => {
      const code = all.slice(index * bits, (index + 1) * bits);
      return Number.parseInt(order === "first-low" ? [...code].reverse().join("") : code, 2);
    });
  }

  for (const [bits, rate] of RATES)
    for (const [name, order] of [
      ["g726le", "first-low"],
      ["g726", "first-high"],
    ] as const)
      it(`of ${rate}, ${order}, is decoded to the samples that libavcodec makes of it, as µ-law`, () => {
        const stream = coded(8000, 1, "-c:a", name, "-b:a", rate, "-f", name);
        const raw = ["-f", name, "-code_size", String(bits), "-ar", "8000", "-i", "-"];
        const expected = ffmpeg(stream, ...raw, "-f", "s16le", "-");
        const decoder = new G726Decoder(bits);
        const codes = codesOf(stream, bits, order).slice(0, expected.length / 2);
        const own = Buffer.alloc(2 * codes.length);
        codes.forEach((code, index) => {
          own.writeInt16LE(decoder.decode(code), 2 * index);
        });
        expect(own.equals(expected.subarray(0, own.length))).toBe(true);
        const payload = { kind: "g726", bits, order } as const;
        const track = new TrackHarness({ codec: Codec.PCMU, clockRate: 8000, payload });
        const packetBytes = 20 * bits;
        for (let at = 0; at < stream.length; at += packetBytes)
          track.send({ timestamp: (8 * at) / bits, marker: true }, stream.subarray(at, at + packetBytes));
        const heard = Buffer.concat(track.frames.map(({ bytes }) => bytes));
        expect(heard.equals(Buffer.from(pcmToG711(own, "mu")).subarray(0, heard.length))).toBe(true);
        expect(heard.length).toBeGreaterThan(7900);
        expect(track.frames[0]?.format).toMatchObject({ codec: Codec.PCMU, sampleRate: 8000, channels: 1 });
      });

  it("never throws, whatever codes come", () => {
    fc.assert(
      fc.property(fc.constantFrom(2, 3, 4, 5), fc.array(fc.nat(31), { maxLength: 500 }), (bits, codes) => {
        const decoder = new G726Decoder(bits as 2);
        for (const code of codes) {
          const sample = decoder.decode(code & ((1 << bits) - 1));
          expect(Number.isInteger(sample) && Math.abs(sample) <= 32_768).toBe(true);
        }
      }),
    );
  });
});

describe("L16 and Opus", () => {
  it("L16 is recorded in network order, whole samples of all channels, timed by them", () => {
    const track = new TrackHarness({ codec: Codec.L16, clockRate: 16_000, channels: 2 });
    track.send({ timestamp: 0 }, filler(643)).send({ timestamp: 160 }, filler(640));
    expect(track.frames.map(({ bytes }) => bytes)).toEqual([filler(640), filler(640)]);
    expect(track.frames[0]?.format).toMatchObject({ codec: Codec.L16, sampleRate: 16_000, channels: 2 });
    const large = new TrackHarness({ codec: Codec.L16, clockRate: 48_000, channels: 2 });
    large.send({ timestamp: 0 }, filler(40_000));
    const [first, second] = large.frames;
    const samples = (first?.bytes.length ?? 0) / 4;
    expect(Buffer.concat(large.frames.map(({ bytes }) => bytes))).toEqual(filler(40_000));
    expect((second?.decodeTimeUs ?? 0) - (first?.decodeTimeUs ?? 0)).toBe(
      Math.round((samples * 1e6) / 48_000),
    );
  });

  it("Opus is recorded packet by packet, with the header that decoders need", () => {
    const track = new TrackHarness({ codec: Codec.OPUS, clockRate: 48_000, channels: 2 });
    const packet = Buffer.concat([Buffer.from([0xfc]), filler(40)]);
    track
      .send({ timestamp: 0 }, packet)
      .send({ timestamp: 960 }, Buffer.alloc(0))
      .send({ timestamp: 1920 }, packet);
    expect(track.frames.map(({ bytes }) => bytes)).toEqual([packet, packet]);
    expect(track.frames[0]?.format).toMatchObject({ sampleRate: 48_000, channels: 2 });
    expect(Buffer.from(track.frames[0]?.format.initialization ?? []).toString("latin1", 0, 8)).toBe(
      "OpusHead",
    );
    track.send({ timestamp: 2880 }, Buffer.from([0xff, 0x3f, 1]));
    expect(track.receiver.statistics.droppedUnits).toBe(1);
  });
});
