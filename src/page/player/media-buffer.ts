import { mediaSourceClass } from "./media-source.js";

/** More than this waiting for the browser: it is too slow, and what waits is old. */
const WAITING_BYTES_MAX = 16 * 2 ** 20;
/** Fragments that wait are joined up to this size, as each append costs the same whatever its size. */
const APPEND_BYTES_MAX = 512 * 1024;

type Work =
  | { readonly kind: "append"; readonly bytes: Uint8Array }
  | { readonly kind: "type"; readonly mime: string }
  | { readonly kind: "remove"; readonly fromS: number; readonly toS: number };

export interface MediaBufferListener {
  /** The browser has taken what was given to it. */
  onAppended(): void;
  /** Nothing more can be shown without a new start. The text is for the log. */
  onFault(text: string): void;
}

/** A video element's buffer: one SourceBuffer, its work in order, bounded. */
export class MediaBuffer {
  readonly #video: HTMLVideoElement;
  readonly #listener: MediaBufferListener;
  #source: MediaSource | undefined;
  #buffer: SourceBuffer | undefined;
  #mime = "";
  #address = "";
  #work: Work[] = [];
  #waitingBytes = 0;

  readonly #durationS: number | undefined;

  /** `durationS`: behind all that may be played; without one a browser moves a seek to the end of what it has got so far. */
  constructor(video: HTMLVideoElement, listener: MediaBufferListener, durationS?: number) {
    this.#video = video;
    this.#durationS = durationS;
    this.#listener = listener;
  }

  /**
   * Takes another kind of stream. True when the element begins anew with an empty buffer: at first, and where the number of
   * tracks differs, which a buffer cannot change.
   */
  begin(mime: string): boolean {
    const isNew =
      this.#source === undefined ||
      this.#source.readyState === "ended" ||
      tracksOf(mime) !== tracksOf(this.#mime);
    if (isNew) this.#open(mime);
    else if (mime !== this.#mime) this.#add({ kind: "type", mime });
    this.#mime = mime;
    return isNew;
  }

  append(bytes: Uint8Array): void {
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > WAITING_BYTES_MAX)
      this.#fault("the browser does not take the pictures quickly enough");
    else this.#add({ kind: "append", bytes });
  }

  /** Gives back the memory of what was shown. */
  trimBefore(seconds: number): void {
    const start = this.#buffer === undefined ? undefined : rangesOf(this.#buffer)[0]?.startS;
    if (start === undefined || start >= seconds || this.#work.some(({ kind }) => kind === "remove")) return;
    this.#add({ kind: "remove", fromS: 0, toS: seconds });
  }

  /** Stretches of the buffer that can be played. */
  get ranges(): readonly BufferRange[] {
    return this.#buffer === undefined ? [] : rangesOf(this.#buffer);
  }

  close(): void {
    this.#work = [];
    this.#waitingBytes = 0;
    this.#source = undefined;
    this.#buffer = undefined;
    if (this.#address !== "") {
      URL.revokeObjectURL(this.#address);
      this.#address = "";
      this.#video.removeAttribute("src");
      this.#video.load();
    }
  }

  #open(mime: string): void {
    this.close();
    const Source = mediaSourceClass();
    if (Source === undefined) {
      this.#fault("this browser cannot play streams");
      return;
    }
    const source = new Source();
    this.#source = source;
    this.#address = URL.createObjectURL(source);
    source.addEventListener("sourceopen", () => this.#opened(source, mime), { once: true });
    this.#video.disableRemotePlayback = true;
    this.#video.src = this.#address;
  }

  #opened(source: MediaSource, mime: string): void {
    if (this.#source !== source) return;
    try {
      if (this.#durationS !== undefined) source.duration = this.#durationS;
      const buffer = source.addSourceBuffer(mime);
      this.#buffer = buffer;
      buffer.addEventListener("updateend", () => {
        if (this.#buffer !== buffer) return;
        this.#listener.onAppended();
        this.#next();
      });
      buffer.addEventListener("error", () => {
        if (this.#buffer === buffer)
          this.#fault(`the browser refuses a fragment: ${this.#video.error?.message ?? ""}`);
      });
      this.#next();
    } catch (error) {
      this.#fault(String(error));
    }
  }

  #add(work: Work): void {
    this.#work.push(work);
    this.#next();
  }

  #next(): void {
    const buffer = this.#buffer;
    if (buffer === undefined || buffer.updating || this.#source?.readyState !== "open") return;
    const work = this.#work.shift();
    if (work === undefined) return;
    try {
      if (work.kind === "append") buffer.appendBuffer(this.#joined(work.bytes));
      else if (work.kind === "remove") buffer.remove(work.fromS, work.toS);
      else {
        buffer.changeType(work.mime);
        this.#next();
      }
    } catch (error) {
      this.#fault(String(error));
    }
  }

  /** The bytes and those of the work behind them, in one piece. */
  #joined(first: Uint8Array): Uint8Array<ArrayBuffer> {
    const parts = [first];
    let length = first.length;
    for (;;) {
      const next = this.#work[0];
      if (next?.kind !== "append" || length + next.bytes.length > APPEND_BYTES_MAX) break;
      parts.push(next.bytes);
      length += next.bytes.length;
      this.#work.shift();
    }
    this.#waitingBytes -= length;
    if (parts.length === 1) return first as Uint8Array<ArrayBuffer>;
    const whole = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  #fault(text: string): void {
    this.close();
    this.#listener.onFault(text);
  }
}

export interface BufferRange {
  readonly startS: number;
  readonly endS: number;
}

function rangesOf({ buffered }: SourceBuffer): readonly BufferRange[] {
  return Array.from({ length: buffered.length }, (_, index) => ({
    startS: buffered.start(index),
    endS: buffered.end(index),
  }));
}

function tracksOf(mime: string): number {
  return mime.split(",").length;
}
