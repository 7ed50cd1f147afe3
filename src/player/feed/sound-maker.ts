import { US_PER_SECOND } from "../../base/index.js";
import {
  type AudioFormat,
  Codec,
  g711LawOf,
  g711ToPcm,
  l16ToPcm,
  OPUS_RATE,
  opusPacketSamples,
  parseAacConfig,
} from "../../live/index.js";
import { codecString } from "../mp4/codec-string.js";
import { flacEntry, sampleEntry } from "../mp4/sample-entry.js";
import { FLAC_SAMPLES_MAX, FLAC_SAMPLES_MIN, flacFrame, flacStreamInfo } from "./flac-frame.js";
import type { FeedSoundTrack } from "./sound-track.js";

/** Channels of FLAC. */
const CHANNELS_MAX = 8;
const FLAC_RATE_MAX = 0xffff;
/** G.711 and L16 are gathered up to this much: a camera's packet is 20 ms, and each piece has 150 bytes of headers. */
const GATHERED_US = 40_000;
/** Sound that comes later or earlier than expected by more than this does not follow what came before. */
const JUMP_US = 100_000;
/** Bits that are zero in the 16-bit value of a sample (ITU-T G.711, tables 1 and 2). */
const WASTED_BITS = { mu: 2, a: 3 } as const;

/** A piece of sound that is one sample of an MP4 track. */
export interface SoundPiece {
  readonly timeUs: number;
  /** Duration in samples of sound. */
  readonly samples: number;
  readonly bytes: Uint8Array;
}

/** Makes pieces for a track of a camera's sound: AAC and Opus as they are, G.711 and L16 as FLAC, which loses nothing and needs no encoder. */
export interface SoundMaker {
  readonly format: AudioFormat;
  readonly track: FeedSoundTrack;
  /** The pieces that are complete with the camera's next unit. */
  push(bytes: Uint8Array, timeUs: number): readonly SoundPiece[];
}

/** Undefined if the sound cannot be sent: AAC without a configuration. */
export function soundMaker(format: AudioFormat): SoundMaker | undefined {
  if (format.codec === Codec.AAC) return aacMaker(format);
  return format.codec === Codec.OPUS ? opusMaker(format) : pcmMaker(format);
}

function opusMaker(format: AudioFormat): SoundMaker {
  return {
    format,
    track: { entry: sampleEntry(format), codec: "opus", rate: OPUS_RATE },
    push: (bytes, timeUs) => {
      const samples = opusPacketSamples(bytes);
      return samples === 0 ? [] : [{ timeUs, samples, bytes }];
    },
  };
}

function aacMaker(format: AudioFormat): SoundMaker | undefined {
  const config = parseAacConfig(format.initialization);
  const codec = codecString(format);
  if (config === undefined || codec === undefined) return undefined;
  const { sampleRate: rate, frameSamples: samples } = config;
  return {
    format,
    track: { entry: sampleEntry(format), codec, rate },
    push: (bytes, timeUs) => (bytes.length === 0 ? [] : [{ timeUs, samples, bytes }]),
  };
}

/** The samples of G.711 or L16, the channels' in turn; undefined for other codecs. */
function samplesOf(codec: Codec): ((bytes: Uint8Array) => Int16Array) | undefined {
  const law = g711LawOf(codec);
  if (law === undefined && codec !== Codec.L16) return undefined;
  return (bytes) => {
    const pcm = law === undefined ? l16ToPcm([bytes]) : g711ToPcm([bytes], law);
    return new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length >> 1);
  };
}

function pcmMaker(format: AudioFormat): SoundMaker | undefined {
  const samples = samplesOf(format.codec);
  const { sampleRate: rate, channels } = format;
  if (samples === undefined || channels < 1 || channels > CHANNELS_MAX || rate < 1 || rate > FLAC_RATE_MAX)
    return undefined;
  const law = g711LawOf(format.codec);
  const wastedBits = law === undefined ? 0 : WASTED_BITS[law];
  const track = {
    entry: flacEntry(format, flacStreamInfo(rate, channels)),
    codec: "flac",
    rate,
  };
  const gathering = new PcmGathering(rate, channels);
  const push = (bytes: Uint8Array, timeUs: number): readonly SoundPiece[] => {
    return gathering.push(samples(bytes), timeUs).map((block) => ({
      timeUs: block.timeUs,
      samples: block.samples,
      bytes: flacFrame({
        sampleRate: rate,
        firstSample: block.firstSample,
        channels: block.channels,
        wastedBits,
      }),
    }));
  };
  return { format, track, push };
}

interface Block {
  readonly timeUs: number;
  readonly samples: number;
  readonly firstSample: number;
  readonly channels: readonly Int16Array[];
}

/** Gathers samples, the channels' in turn, into blocks of a size that is worth a frame. */
class PcmGathering {
  readonly #rate: number;
  readonly #channels: number;
  readonly #samplesWanted: number;
  #waiting: number[] = [];
  #waitingUs = 0;
  #sent = 0;

  constructor(rate: number, channels: number) {
    this.#rate = rate;
    this.#channels = channels;
    this.#samplesWanted = Math.max(FLAC_SAMPLES_MIN, Math.round((rate * GATHERED_US) / US_PER_SECOND));
  }

  push(samples: Int16Array, timeUs: number): readonly Block[] {
    const blocks: Block[] = [];
    const expectedUs = this.#waitingUs + (this.#waitingSamples * US_PER_SECOND) / this.#rate;
    if (this.#waiting.length > 0 && Math.abs(timeUs - expectedUs) > JUMP_US) blocks.push(...this.#take(true));
    if (this.#waiting.length === 0) this.#waitingUs = timeUs;
    for (const sample of samples) this.#waiting.push(sample);
    blocks.push(...this.#take(false));
    return blocks;
  }

  get #waitingSamples(): number {
    return Math.floor(this.#waiting.length / this.#channels);
  }

  /** `isLast`: what waits does not go on. */
  #take(isLast: boolean): readonly Block[] {
    const blocks: Block[] = [];
    const least = isLast ? FLAC_SAMPLES_MIN : this.#samplesWanted;
    while (this.#waitingSamples >= least)
      blocks.push(this.#block(Math.min(this.#waitingSamples, FLAC_SAMPLES_MAX)));
    if (isLast) this.#waiting = [];
    return blocks;
  }

  #block(samples: number): Block {
    const values = this.#waiting.splice(0, samples * this.#channels);
    const channels = Array.from({ length: this.#channels }, (_, channel) =>
      Int16Array.from({ length: samples }, (__, at) => values[at * this.#channels + channel] ?? 0),
    );
    const block = { timeUs: this.#waitingUs, samples, firstSample: this.#sent, channels };
    this.#sent += samples;
    this.#waitingUs += (samples * US_PER_SECOND) / this.#rate;
    return block;
  }
}
