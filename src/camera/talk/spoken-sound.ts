import { MS_PER_SECOND } from "../../base/index.js";
import type { G711Law } from "../../live/index.js";
import { AAC_SAMPLES, type AacFormat, AdtsReader } from "./adts.js";
import { VOICE_RATE } from "./sound-bounds.js";
import { VoiceQueue } from "./voice-queue.js";

/** What a speaker sends: G711 of 8 kHz, mono, or AAC in ADTS. */
export type SpokenFormat =
  | { readonly kind: "g711"; readonly law: G711Law }
  | ({ readonly kind: "aac" } & AacFormat);

/** What was said and waits to be sent: two seconds. */
export const WAITING_SECONDS_MAX = 2;
/** A packet of G.711 has 20 ms, as ONVIF's cameras expect (RFC 3551, 4.2). */
const PACKET_MS = 20;
const PACKET_SAMPLES = (VOICE_RATE * PACKET_MS) / MS_PER_SECOND;

/** The byte of no sound in either law. */
const SILENCE: Readonly<Record<G711Law, number>> = { mu: 0xff, a: 0xd5 };

/** A piece that is sent in one packet. */
export interface SpokenPiece {
  readonly bytes: Buffer;
  /** Samples that were said in it; the rest is silence. */
  readonly said: number;
}

/** What was said and not yet sent, in the speaker's own format. Lengths are in samples. */
export interface SpokenSound {
  /** Samples a second. */
  readonly rate: number;
  readonly packetSamples: number;
  readonly waiting: number;
  /** Left out since the beginning, because more was said than may wait. */
  readonly dropped: number;
  /** A packet of silence; undefined where time passes without one. */
  readonly silence: Buffer | undefined;
  /** Bytes that can be pushed without leaving anything out; 0 while there is no room. */
  readonly room: number;
  /** What does not fit pushes out the oldest. Throws NvrdError BAD_REQUEST for what is not of the format. */
  push(bytes: Uint8Array): void;
  /** Undefined: nothing waits. */
  take(): SpokenPiece | undefined;
}

export function createSpokenSound(format: SpokenFormat): SpokenSound {
  return format.kind === "aac" ? new SpokenAac(format) : new SpokenG711(format.law);
}

class SpokenG711 implements SpokenSound {
  readonly rate = VOICE_RATE;
  readonly packetSamples = PACKET_SAMPLES;
  readonly silence: Buffer;
  readonly #queue = new VoiceQueue(WAITING_SECONDS_MAX * VOICE_RATE);
  readonly #law: G711Law;

  constructor(law: G711Law) {
    this.#law = law;
    this.silence = Buffer.alloc(PACKET_SAMPLES, SILENCE[law]);
  }

  get waiting(): number {
    return this.#queue.bytes;
  }

  get dropped(): number {
    return this.#queue.dropped;
  }

  get room(): number {
    return WAITING_SECONDS_MAX * VOICE_RATE - this.#queue.bytes;
  }

  push(bytes: Uint8Array): void {
    this.#queue.push(bytes);
  }

  take(): SpokenPiece | undefined {
    const sound = this.#queue.take(PACKET_SAMPLES);
    if (sound.length === 0) return undefined;
    const missing = Buffer.alloc(PACKET_SAMPLES - sound.length, SILENCE[this.#law]);
    return { bytes: Buffer.concat([sound, missing]), said: sound.length };
  }
}

/** Access units, one a packet. */
class SpokenAac implements SpokenSound {
  readonly rate: number;
  readonly packetSamples = AAC_SAMPLES;
  readonly silence = undefined;
  readonly #reader: AdtsReader;
  readonly #units: Buffer[] = [];
  readonly #unitsMax: number;
  #dropped = 0;

  constructor(format: AacFormat) {
    this.rate = format.sampleRate;
    this.#reader = new AdtsReader(format);
    this.#unitsMax = Math.ceil((WAITING_SECONDS_MAX * this.rate) / AAC_SAMPLES);
  }

  get waiting(): number {
    return this.#units.length * AAC_SAMPLES;
  }

  get dropped(): number {
    return this.#dropped * AAC_SAMPLES;
  }

  get room(): number {
    return this.#units.length >= this.#unitsMax ? 0 : this.#reader.missing;
  }

  push(bytes: Uint8Array): void {
    this.#units.push(...this.#reader.push(bytes));
    this.#dropped += this.#units.splice(0, Math.max(0, this.#units.length - this.#unitsMax)).length;
  }

  take(): SpokenPiece | undefined {
    const bytes = this.#units.shift();
    return bytes === undefined ? undefined : { bytes, said: AAC_SAMPLES };
  }
}
