import { afterEach, expect, it } from "vitest";
import { AdtsReader, aacFormat } from "../../../src/camera/talk/adts.js";
import { createVoice, type Voice } from "../../../src/camera/talk/voice.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { g711ToPcm } from "../../../src/live/codec/g711.js";
import { NativeCodec } from "../../../src/picture/index.js";
import type { SoundWanted } from "../../../src/rtsp/index.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { ffmpegFilter, hear, tonePcm } from "../../support/media/tone.js";
import { silentLog } from "../../support/site/site-samples.js";

const RATE = 16_000;
const FORMAT = aacFormat(RATE, 1);

interface Packet {
  readonly payload: Buffer;
  readonly timestamp: number;
  readonly isMarked: boolean;
}

let voice: Voice | undefined;
afterEach(() => voice?.close());

function speak(wanted: SoundWanted, gain = 1): Packet[] {
  const packets: Packet[] = [];
  voice = createVoice({
    ...{ wanted, gain, codec: new NativeCodec(), log: silentLog, format: { kind: "aac", ...FORMAT } },
    channel: {
      send: (payload, timestamp, isMarked) =>
        packets.push({ payload: Buffer.from(payload), timestamp, isMarked }),
    },
  });
  return packets;
}

/** The access units of a second of a tone. */
async function units(): Promise<Buffer[]> {
  const pcm = tonePcm({ frequency: 1000, level: 0.5, rate: RATE, seconds: 1 });
  const input = ["-f", "s16le", "-ar", `${RATE}`, "-ac", "1", "-i", "pipe:0"];
  const adts = await ffmpegFilter([...input, "-c:a", "aac", "-b:a", "32k", "-f", "adts", "pipe:1"], pcm);
  return new AdtsReader(FORMAT).push(adts);
}

it("passes AAC on as it is where the camera takes it", async () => {
  const packets = speak({ codec: Codec.AAC, clockRate: RATE, isAsSpoken: true });
  const spoken = await units();
  for (const [index, unit] of spoken.entries()) voice?.say(unit, index * 1024, index === 0);
  expect(packets.map(({ payload }) => payload.subarray(4))).toEqual(spoken);
  expect(packets.map(({ timestamp }) => timestamp)).toEqual(spoken.map((_, index) => index * 1024));
  expect(packets.every(({ isMarked }) => isMarked)).toBe(true);
  const headers = packets.map(({ payload }) => [payload.readUInt16BE(0), payload.readUInt16BE(2) >> 3]);
  expect(headers).toEqual(spoken.map(({ length }) => [16, length]));
});

it("sends a unit that is larger than a packet in fragments, the marker on the last", () => {
  const packets = speak({ codec: Codec.AAC, clockRate: RATE, isAsSpoken: true });
  const unit = Buffer.alloc(3000, 9);
  voice?.say(unit, 5, true);
  expect(packets.map(({ isMarked }) => isMarked)).toEqual([false, false, true]);
  expect(Buffer.concat(packets.map(({ payload }) => payload.subarray(4)))).toEqual(unit);
  expect(packets.map(({ payload }) => payload.readUInt16BE(2) >> 3)).toEqual([3000, 3000, 3000]);
});

it.each([
  ["G.711", { codec: Codec.PCMA, clockRate: 8000 }, 1],
  ["G.711, softer", { codec: Codec.PCMA, clockRate: 8000 }, 0.5],
] as const)("converts AAC for a camera that takes %s, in packets of 20 ms", async (_, wanted, gain) => {
  const packets = speak(wanted, gain);
  const spoken = await units();
  // In real time, as a speech sends: the codec is given time.
  for (const [index, unit] of spoken.entries()) {
    voice?.say(unit, index * 1024, index === 0);
    await expect.poll(() => packets.length, { timeout: PATIENCE_MS }).toBeGreaterThanOrEqual(3 * (index - 2));
  }
  const sound = () => Buffer.concat(packets.map(({ payload }) => payload));
  await expect.poll(() => sound().length, { timeout: PATIENCE_MS }).toBeGreaterThan(7000);
  expect(Math.max(...packets.map(({ payload }) => payload.length))).toBe(160);
  const heard = hear(g711ToPcm([sound()], "a").subarray(2 * 2400), 8000);
  expect(heard).toMatchObject({ frequency: 1000, level: expect.closeTo(0.5 * gain, 1) });
});

it("encodes AAC anew for a camera that takes it, where it is to be softer", async () => {
  const packets = speak({ codec: Codec.AAC, clockRate: RATE, isAsSpoken: true }, 0.5);
  const spoken = await units();
  for (const unit of spoken.slice(0, 8)) voice?.say(unit, spoken.indexOf(unit) * 1024, false);
  await expect.poll(() => packets.length, { timeout: PATIENCE_MS }).toBeGreaterThan(3);
  const said = new Set(spoken.map((unit) => unit.toString("hex")));
  expect(packets.some(({ payload }) => said.has(payload.subarray(4).toString("hex")))).toBe(false);
});
