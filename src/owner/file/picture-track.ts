import type { VideoFormat } from "../../live/index.js";
import { sampleBytes, ticksOf, type UnitFrame } from "../../player/index.js";
import type { TrackDescription, WrittenTrack } from "./movie-writer.js";

/** A frame with its format, and how much later than in the movie it was. */
export interface SeenFrame {
  readonly frame: UnitFrame;
  readonly format: VideoFormat;
  /** Index of its format among those of the track, from 1 on. */
  readonly description: number;
  readonly originUs: number;
}

/** The pictures of a movie. */
export interface PictureTrack {
  /** The bytes of the frame may be overwritten. */
  push(seen: SeenFrame): Promise<void>;
  /** The next frame does not follow. */
  gap(originUs: number): Promise<void>;
  /** Called once, behind the last frame: where the movie ends. */
  end(endUs: number): void;
  close(): void;
}

/** Pictures as they were recorded. */
export class CopiedPictures implements PictureTrack {
  readonly #track: WrittenTrack;

  constructor(track: WrittenTrack, description: TrackDescription) {
    this.#track = track;
    track.description = description;
  }

  async push({ frame, description, originUs }: SeenFrame): Promise<void> {
    const { timescale } = this.#track;
    const timeUs = frame.decodeTimeUs - originUs;
    const ticks = ticksOf(timeUs, timescale);
    const compositionTicks = ticksOf(timeUs + frame.presentationOffsetUs, timescale) - ticks;
    await this.#track.add({
      ...{ bytes: sampleBytes(frame), ticks, compositionTicks },
      ...{ sync: frame.key, description },
    });
  }

  gap(): Promise<void> {
    return Promise.resolve();
  }

  end(endUs: number): void {
    this.#track.endAt(ticksOf(endUs, this.#track.timescale));
  }

  close(): void {
    // Nothing is open.
  }
}
