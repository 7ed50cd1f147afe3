import { US_PER_SECOND } from "../../base/index.js";
import { type MovieTrack, SampleTables, type WholeMovie, wholeMovieHeader } from "../../player/index.js";

/** What is written at once. */
const BUFFER_BYTES = 1024 * 1024;
/** Sound is put together for so long, and then lies behind the pictures of that time. */
const SOUND_GATHERED_US = US_PER_SECOND;

/** One sample of a track, in decode order. */
export interface MovieSample {
  /** Copied before `add` resolves. */
  readonly bytes: Uint8Array;
  readonly ticks: number;
  readonly compositionTicks: number;
  readonly sync: boolean;
  readonly description: number;
}

/** What a movie says of a track, besides its samples. */
export type TrackDescription = Omit<MovieTrack, "id" | "kind" | "timescale">;

/** Where the bytes of the samples go. */
export interface MediaSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Writes the samples of a movie as they come; its header is made at the end, and belongs before them. */
export class MovieWriter {
  readonly #sink: MediaSink;
  readonly #tracks: WrittenTrack[] = [];
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #filled = 0;
  #position = 0;

  constructor(sink: MediaSink) {
    this.#sink = sink;
  }

  /** Bytes of samples so far. */
  get mediaBytes(): number {
    return this.#position;
  }

  track(kind: MovieTrack["kind"], timescale: number): WrittenTrack {
    const track = new WrittenTrack(kind, timescale, (bytes) => this.#put(bytes));
    this.#tracks.push(track);
    return track;
  }

  /** Writes what is left; returns the header. Tracks without a sample are none. */
  async end(about: Omit<WholeMovie, "tracks">): Promise<Buffer> {
    const whole = [];
    for (const [at, track] of this.#tracks.entries()) {
      await track.flush();
      if (track.count > 0) whole.push(track.whole(at + 1));
    }
    await this.#flush();
    const durationMs = Math.max(
      ...whole.map(
        ({ durationTicks, timescale, startMs }) => startMs + Math.ceil((durationTicks * 1000) / timescale),
      ),
    );
    return wholeMovieHeader({ ...about, durationMs, tracks: whole }, this.#position);
  }

  /** Resolves with the place of the bytes. */
  async #put(bytes: Uint8Array): Promise<number> {
    const position = this.#position;
    this.#position += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      const taken = bytes.subarray(at, at + this.#buffer.length - this.#filled);
      this.#buffer.set(taken, this.#filled);
      this.#filled += taken.length;
      at += taken.length;
      if (this.#filled === this.#buffer.length) await this.#flush();
    }
    return position;
  }

  async #flush(): Promise<void> {
    if (this.#filled > 0) await this.#sink.write(this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }
}

/** A track that is being written. */
export class WrittenTrack {
  readonly kind: MovieTrack["kind"];
  readonly timescale: number;
  /** To be set before the end. */
  description: TrackDescription = { entries: [] };
  readonly #tables = new SampleTables();
  readonly #put: (bytes: Uint8Array) => Promise<number>;
  #gathered: MovieSample[] = [];
  #firstTicks: number | undefined;
  #lastTicks = -1;
  #endTicks = 0;

  constructor(kind: MovieTrack["kind"], timescale: number, put: (bytes: Uint8Array) => Promise<number>) {
    this.kind = kind;
    this.timescale = timescale;
    this.#put = put;
  }

  get count(): number {
    return this.#tables.count + this.#gathered.length;
  }

  /** A time that is not later than that of the sample before becomes the next tick. Rejects as `SampleTables.add` throws. */
  async add(sample: MovieSample): Promise<void> {
    const ticks = Math.max(sample.ticks, this.#lastTicks + 1);
    this.#lastTicks = ticks;
    this.#firstTicks ??= ticks;
    if (this.kind === "video") return await this.#write({ ...sample, ticks });
    this.#gathered.push({ ...sample, ticks, bytes: Uint8Array.from(sample.bytes) });
    const gatheredTicks = ticks - (this.#gathered[0]?.ticks ?? ticks);
    if (gatheredTicks * US_PER_SECOND >= SOUND_GATHERED_US * this.timescale) await this.flush();
  }

  /** The last sample lasts until there. */
  endAt(ticks: number): void {
    this.#endTicks = ticks;
  }

  async flush(): Promise<void> {
    const gathered = this.#gathered;
    this.#gathered = [];
    for (const sample of gathered) await this.#write(sample);
  }

  whole(id: number) {
    const { kind, timescale, description } = this;
    const firstTicks = this.#firstTicks ?? 0;
    const endTicks = Math.max(this.#endTicks, this.#lastTicks + 1);
    this.#tables.end(endTicks);
    // Pictures are shown from the beginning on, sound is heard when it was.
    const startMs = kind === "video" ? 0 : Math.round((firstTicks * 1000) / timescale);
    const durationTicks = endTicks - (kind === "video" ? 0 : firstTicks);
    return { ...{ id, kind, timescale, startMs, durationTicks }, ...description, tables: this.#tables };
  }

  async #write(sample: MovieSample): Promise<void> {
    // The first picture is there from the beginning on: its time in the tables is 0.
    const isFirst = this.kind === "video" && this.#tables.count === 0;
    const { bytes, ...about } = sample;
    const position = await this.#put(bytes);
    this.#tables.add({ ...about, ticks: isFirst ? 0 : about.ticks, bytes: bytes.length, position });
  }
}
