/**
 * The page's sound thread while somebody speaks to a camera: hands on what the microphone hears as G.711. A file of its own, because
 * a browser loads it into that thread by its address.
 */
import { VoiceEncoder } from "./wall/talk/voice-encoder.js";

/** What of the sound thread is used; the page is compiled with the types of a window. */
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: typeof AudioWorkletProcessor): void;

/** 40 ms. */
const PIECE_BYTES = 320;

class Microphone extends AudioWorkletProcessor {
  readonly #encoder = new VoiceEncoder(sampleRate);
  #bytes: number[] = [];

  process([input]: readonly (readonly Float32Array[])[]): boolean {
    const samples = input?.[0];
    if (samples !== undefined) this.#bytes.push(...this.#encoder.push(samples));
    if (this.#bytes.length >= PIECE_BYTES) {
      this.port.postMessage(Uint8Array.from(this.#bytes));
      this.#bytes = [];
    }
    return true;
  }
}

registerProcessor("m", Microphone);
