import { errorText, type Log, US_PER_SECOND } from "../../base/index.js";
import { Codec } from "../../live/index.js";
import {
  type Codec as CodecLibrary,
  type G711Law,
  g711ToPcm,
  pcmToG711,
  type SoundTranscoder,
} from "../../picture/index.js";
import type { BackChannel, SoundWanted } from "../../rtsp/index.js";

/** Samples of G.711 a second. */
export const VOICE_RATE = 8000;
/** Pieces of sound that wait for the codec; more are left out. */
const WAITING_MAX = 25;
const ADTS_HEADER_BYTES = 7;

/** The byte of no sound in either law. */
export const SILENCE: Readonly<Record<G711Law, number>> = { mu: 0xff, a: 0xd5 };

/** Sends sound in the camera's codec. */
export interface Voice {
  /**
   * @param sound G.711 in the speaker's law.
   * @param position Samples since the beginning, silence included.
   * @param isFirst The first after silence.
   */
  say(sound: Buffer, position: number, isFirst: boolean): void;
  close(): void;
}

export interface VoiceOptions {
  readonly channel: Pick<BackChannel, "send">;
  readonly wanted: SoundWanted;
  /** What the speaker sends. */
  readonly law: G711Law;
  /** 0 to 1. */
  readonly gain: number;
  readonly codec: CodecLibrary;
  readonly log: Log;
}

export function createVoice(options: VoiceOptions): Voice {
  const { wanted } = options;
  if (wanted.codec === Codec.AAC) return new AacVoice(options);
  return new G711Voice(options, wanted.codec === Codec.PCMU ? "mu" : "a");
}

/** Byte by byte from one law to another, louder or softer. */
export function lawTable(from: G711Law, to: G711Law, gain: number): Uint8Array {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  if (from === to && gain === 1) return bytes;
  const pcm = Buffer.from(g711ToPcm([bytes], from));
  for (let at = 0; at < pcm.length; at += 2) {
    const value = Math.round(pcm.readInt16LE(at) * gain);
    pcm.writeInt16LE(Math.max(-32_768, Math.min(32_767, value)), at);
  }
  return pcmToG711(pcm, to);
}

class G711Voice implements Voice {
  readonly #options: VoiceOptions;
  readonly #table: Uint8Array;

  constructor(options: VoiceOptions, law: G711Law) {
    this.#options = options;
    this.#table = lawTable(options.law, law, options.gain);
  }

  say(sound: Buffer, position: number, isFirst: boolean): void {
    this.#options.channel.send(
      sound.map((byte) => this.#table[byte] ?? byte),
      position,
      isFirst,
    );
  }

  close(): void {
    // Nothing is open.
  }
}

/** Encodes by the codec, in order. */
class AacVoice implements Voice {
  readonly #options: VoiceOptions;
  readonly #table: Uint8Array;
  readonly #transcoder: SoundTranscoder;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #hasFailed = false;

  constructor(options: VoiceOptions) {
    this.#options = options;
    this.#table = lawTable(options.law, "mu", options.gain);
    const input = {
      codec: Codec.PCMU,
      sampleRate: VOICE_RATE,
      channels: 1,
      initialization: new Uint8Array(0),
    };
    this.#transcoder = options.codec.openSoundTranscoder({
      ...{ input, output: "aac", sampleRate: options.wanted.clockRate },
    });
  }

  say(sound: Buffer, position: number): void {
    if (this.#waiting >= WAITING_MAX) return;
    this.#waiting += 1;
    const bytes = sound.map((byte) => this.#table[byte] ?? byte);
    this.#last = this.#last.then(async () => {
      try {
        const timeUs = Math.round((position * US_PER_SECOND) / VOICE_RATE);
        const pieces = await this.#transcoder.push([bytes], timeUs);
        for (const piece of pieces) this.#send(piece.data, piece.timeUs);
      } catch (error) {
        if (!this.#hasFailed)
          this.#options.log.warn({ error: errorText(error) }, "sound for a camera is not encoded");
        this.#hasFailed = true;
      } finally {
        this.#waiting -= 1;
      }
    });
  }

  close(): void {
    this.#transcoder.close();
  }

  /** An access unit without its ADTS header, in a packet of its own (RFC 3640, 3.2.1). */
  #send(adts: Uint8Array, timeUs: number): void {
    const { channel, wanted } = this.#options;
    const unit = adts.subarray(ADTS_HEADER_BYTES);
    const headers = Buffer.from([0, 16, unit.length >> 5, (unit.length << 3) & 0xff]);
    const timestamp = Math.round((timeUs * wanted.clockRate) / US_PER_SECOND);
    channel.send(Buffer.concat([headers, unit]), timestamp, true);
  }
}
