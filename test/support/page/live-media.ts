import type { MediaHeader } from "../../../src/page/player/media-header.js";
import { fragmentHead } from "../../../src/player/mp4/fragment.js";
import { movieHeader, VIDEO_TIMESCALE } from "../../../src/player/mp4/movie-header.js";

const KINDS = { init: 1, fragment: 2 } as const;
export const SOUND_RATE = 8000;

/** A binary message of the live socket, as docs/ref/live-socket.md describes it. */
export function mediaMessage(header: Partial<MediaHeader>, body: Uint8Array): ArrayBuffer {
  const bytes = Buffer.alloc(32 + body.length);
  bytes.writeUInt8(KINDS[header.kind ?? "fragment"], 0);
  const flags = [header.isKey, header.isDiscontinuity, header.isSound, header.isPlayback];
  bytes.writeUInt8(
    flags.reduce((sum, flag, bit) => sum + (flag === true ? 1 << bit : 0), 0),
    1,
  );
  bytes.writeUInt32BE(header.feed ?? 0, 4);
  bytes.writeBigUInt64BE(BigInt(Math.round((header.wallMs ?? 0) * 1000)), 8);
  bytes.writeBigUInt64BE(BigInt(Math.round((header.handOverMs ?? 0) * 1000)), 16);
  bytes.writeUInt32BE((header.durationMs ?? 0) * 1000, 24);
  bytes.writeUInt32BE(header.sequence ?? 0, 28);
  bytes.set(body, 32);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}

/** An init segment with a track of pictures (1) and one of sound (2). */
export function initSegment(): Uint8Array {
  const entry = Buffer.from([0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65]);
  return movieHeader({
    tracks: [
      { id: 1, kind: "video", timescale: VIDEO_TIMESCALE, entries: [entry], width: 640, height: 360 },
      { id: 2, kind: "audio", timescale: SOUND_RATE, entries: [entry] },
    ],
  });
}

/** One sample; times in seconds. */
export function fragment(
  decodeS: number,
  durationS: number,
  options: { isSound?: boolean; offsetS?: number } = {},
) {
  const scale = options.isSound === true ? SOUND_RATE : VIDEO_TIMESCALE;
  const sample = {
    bytes: 4,
    durationTicks: Math.round(durationS * scale),
    compositionTicks: Math.round((options.offsetS ?? 0) * scale),
    sync: true,
  };
  const trackId = options.isSound === true ? 2 : 1;
  const run = { trackId, decodeTicks: Math.round(decodeS * scale), samples: [sample] };
  return new Uint8Array(Buffer.concat([fragmentHead({ sequence: 1, runs: [run] }), Buffer.alloc(4)]));
}
