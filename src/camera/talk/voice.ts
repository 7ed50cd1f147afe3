import { errorText, type Log, US_PER_SECOND } from "../../base/index.js";
import { Codec, type G711Law, g711ToPcm, pcmToG711 } from "../../live/index.js";
import type { Codec as CodecLibrary, SoundPiece, SoundTranscoder } from "../../picture/index.js";
import type { BackChannel, SoundWanted } from "../../rtsp/index.js";
import { type AacFormat, ADTS_HEADER_BYTES } from "./adts.js";
import { VOICE_RATE } from "./sound-bounds.js";
import type { SpokenFormat } from "./spoken-sound.js";

/** Pieces of sound that wait for the codec; more are left out. */
const WAITING_MAX = 25;
/** A packet of G.711 has 20 ms. */
const PACKET_SAMPLES = 160;
/** Bytes of an access unit in one packet, so that a packet fits a frame of Ethernet. */
const UNIT_BYTES_A_PACKET = 1400;

/** Sends sound in the camera's codec. */
export interface Voice {
  /**
   * @param sound G.711 in the speaker's law, or an access unit of AAC.
   * @param position Samples of the speaker since the beginning, silence included.
   * @param isFirst The first after silence.
   */
  say(sound: Buffer, position: number, isFirst: boolean): void;
  close(): void;
}

export interface VoiceOptions {
  readonly channel: Pick<BackChannel, "send">;
  readonly wanted: SoundWanted;
  /** What the speaker sends. */
  readonly format: SpokenFormat;
  /** 0 to 1. */
  readonly gain: number;
  readonly codec: CodecLibrary;
  readonly log: Log;
}

/** AAC that the camera takes as it is, and is not to be softer, is passed on; other AAC is decoded first. */
export function createVoice(options: VoiceOptions): Voice {
  const { format, wanted, gain } = options;
  if (format.kind === "aac")
    return wanted.isAsSpoken === true && gain === 1
      ? new PassedVoice(options)
      : new DecodedVoice(options, format);
  const { law } = format;
  if (wanted.codec === Codec.AAC) return new AacVoice(options, law);
  return new G711Voice(options, law);
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
    const wanted = options.wanted.codec === Codec.PCMU ? "mu" : "a";
    this.#table = lawTable(law, wanted, options.gain);
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

/** Sends the speaker's access units as they are. */
class PassedVoice implements Voice {
  readonly #options: VoiceOptions;

  constructor(options: VoiceOptions) {
    this.#options = options;
  }

  say(unit: Buffer, position: number): void {
    sendUnit(this.#options.channel, unit, position);
  }

  close(): void {
    // Nothing is open.
  }
}

/** Decodes the speaker's access units by the codec, in order, and has the camera sent what it takes. */
class DecodedVoice implements Voice {
  readonly #rate: number;
  readonly #inner: Voice;
  readonly #steps: CodecSteps;
  #isFirst = true;

  constructor(options: VoiceOptions, { sampleRate, channels, initialization }: AacFormat) {
    this.#rate = sampleRate;
    this.#inner = createVoice({ ...options, format: { kind: "g711", law: "mu" } });
    const input = { codec: Codec.AAC, sampleRate, channels, initialization };
    const transcoder = options.codec.openSoundTranscoder({ input, output: "g711u" });
    this.#steps = new CodecSteps(transcoder, "sound from a speaker is not decoded", options.log);
  }

  say(unit: Buffer, position: number, isFirst: boolean): void {
    this.#isFirst ||= isFirst;
    this.#steps.push(unit, (position * US_PER_SECOND) / this.#rate, ({ data, timeUs }) => {
      const at = Math.round((timeUs * VOICE_RATE) / US_PER_SECOND);
      for (let from = 0; from < data.length; from += PACKET_SAMPLES) {
        this.#inner.say(Buffer.from(data.subarray(from, from + PACKET_SAMPLES)), at + from, this.#isFirst);
        this.#isFirst = false;
      }
    });
  }

  close(): void {
    this.#steps.close();
    this.#inner.close();
  }
}

/** Encodes by the codec. */
class AacVoice implements Voice {
  readonly #options: VoiceOptions;
  readonly #table: Uint8Array;
  readonly #steps: CodecSteps;

  constructor(options: VoiceOptions, law: G711Law) {
    this.#options = options;
    this.#table = lawTable(law, "mu", options.gain);
    const input = {
      codec: Codec.PCMU,
      sampleRate: VOICE_RATE,
      channels: 1,
      initialization: new Uint8Array(0),
    };
    const { clockRate: sampleRate } = options.wanted;
    const transcoder = options.codec.openSoundTranscoder({ input, output: "aac", sampleRate });
    this.#steps = new CodecSteps(transcoder, "sound for a camera is not encoded", options.log);
  }

  say(sound: Buffer, position: number): void {
    const bytes = sound.map((byte) => this.#table[byte] ?? byte);
    const { channel, wanted } = this.#options;
    this.#steps.push(bytes, (position * US_PER_SECOND) / VOICE_RATE, ({ data, timeUs }) => {
      const timestamp = Math.round((timeUs * wanted.clockRate) / US_PER_SECOND);
      sendUnit(channel, data.subarray(ADTS_HEADER_BYTES), timestamp);
    });
  }

  close(): void {
    this.#steps.close();
  }
}

/** Sound through a transcoder, one piece after the other; what comes faster than the codec works is left out. */
class CodecSteps {
  readonly #transcoder: SoundTranscoder;
  readonly #words: string;
  readonly #log: Log;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #hasFailed = false;

  /** `words`: what is logged where it fails, once. */
  constructor(transcoder: SoundTranscoder, words: string, log: Log) {
    this.#transcoder = transcoder;
    this.#words = words;
    this.#log = log;
  }

  push(bytes: Uint8Array, timeUs: number, onPiece: (piece: SoundPiece) => void): void {
    if (this.#waiting >= WAITING_MAX) return;
    this.#waiting += 1;
    this.#last = this.#last.then(async () => {
      try {
        for (const piece of await this.#transcoder.push([bytes], Math.round(timeUs))) onPiece(piece);
      } catch (error) {
        if (!this.#hasFailed) this.#log.warn({ error: errorText(error) }, this.#words);
        this.#hasFailed = true;
      } finally {
        this.#waiting -= 1;
      }
    });
  }

  close(): void {
    this.#transcoder.close();
  }
}

/** An access unit in a packet of its own, or in fragments, the marker on the last (RFC 3640, 3.2.1 and 3.2.3; mode AAC-hbr). */
function sendUnit(channel: Pick<BackChannel, "send">, unit: Uint8Array, timestamp: number): void {
  const headers = Buffer.from([0, 16, unit.length >> 5, (unit.length << 3) & 0xff]);
  for (let at = 0; at < unit.length; at += UNIT_BYTES_A_PACKET) {
    const part = unit.subarray(at, at + UNIT_BYTES_A_PACKET);
    channel.send(Buffer.concat([headers, part]), timestamp, at + part.length === unit.length);
  }
}
