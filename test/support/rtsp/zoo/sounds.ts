import { AAC_SOUNDS } from "./aac-sounds.js";
import { type SoundSpec, soundBytes } from "./sound-spec.js";

function g711(name: string, payloadType: number, rate = 8000): SoundSpec {
  const samples = rate / 25;
  const payload = (index: number) => soundBytes(samples, index);
  return {
    payloadType,
    sdp: [`m=audio 0 RTP/AVP ${payloadType}`, `a=rtpmap:${payloadType} ${name}/${rate}`],
    ...{ clockRate: rate, ticks: samples, unitMs: 40, payload, recorded: payload },
  };
}

function l16(rate: number, channels: number, payloadType: number): SoundSpec {
  const samples = rate / 50;
  const payload = (index: number) => soundBytes(samples * channels * 2, index);
  return {
    payloadType,
    sdp: [`m=audio 0 RTP/AVP ${payloadType}`, `a=rtpmap:${payloadType} L16/${rate}/${channels}`],
    ...{ clockRate: rate, ticks: samples, unitMs: 20, payload, recorded: payload },
  };
}

function g726(bits: number, name: string): SoundSpec {
  const payload = (index: number) => soundBytes((320 * bits) / 8, index);
  return {
    payloadType: 98,
    sdp: ["m=audio 0 RTP/AVP 98", `a=rtpmap:98 ${name}/8000`],
    ...{ clockRate: 8000, ticks: 320, unitMs: 40, payload, recorded: payload, recordedBytes: 320 },
  };
}

/** Opus, CELT at 48 kHz, one frame of 20 ms (RFC 6716, 3.1). */
const opusPacket = (index: number) =>
  Buffer.concat([Buffer.from([0xf8]), soundBytes(60 + (index % 20), index)]);

export const SOUNDS = {
  pcmu: g711("PCMU", 0),
  pcma: g711("PCMA", 8),
  pcma16: g711("PCMA", 98, 16_000),
  ...AAC_SOUNDS,
  unknown: {
    payloadType: 98,
    sdp: ["m=audio 0 RTP/AVP 98", "a=rtpmap:98 SPEEX/16000"],
    ...{ clockRate: 16_000, ticks: 320, unitMs: 20 },
    payload: (index: number) => soundBytes(50, index),
    recorded: () => Buffer.alloc(0),
  },
  l16: l16(16_000, 1, 98),
  l16Stereo: l16(44_100, 2, 10),
  opus: {
    payloadType: 98,
    sdp: ["m=audio 0 RTP/AVP 98", "a=rtpmap:98 opus/48000/2"],
    clockRate: 48_000,
    ticks: 960,
    unitMs: 20,
    payload: opusPacket,
    recorded: opusPacket,
  },
  l16Mono: l16(44_100, 1, 11),
  opusLow: {
    payloadType: 98,
    sdp: ["m=audio 0 RTP/AVP 98", "a=rtpmap:98 OPUS/16000/1"],
    clockRate: 48_000,
    ticks: 960,
    unitMs: 20,
    payload: opusPacket,
    recorded: opusPacket,
  },
  g726Static: { ...g726(4, "G726-32"), payloadType: 2, sdp: ["m=audio 0 RTP/AVP 2"] },
  g726High: g726(5, "G726-40"),
  g726: g726(4, "G726-32"),
  g726Aal2: g726(4, "AAL2-G726-32"),
  g726Low: g726(2, "G726-16"),
} as const satisfies Record<string, SoundSpec>;

export type SoundName = keyof typeof SOUNDS;
