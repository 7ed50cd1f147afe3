import { NvrdError, US_PER_SECOND, union } from "../../base/index.js";
import type { ExportPlan } from "../../compat/index.js";
import type { Picture, PictureSize } from "../../picture/index.js";
import { VIDEO_TIMESCALE } from "../../player/index.js";
import { Canvas, type Spot } from "./canvas.js";
import { EncodedPictures, PICTURE_BOX } from "./encoded-pictures.js";
import { GridCamera } from "./grid-camera.js";
import type { MadeMovie, MovieMakingOptions } from "./movie-making.js";
import { MovieWriter } from "./movie-writer.js";
import { type Patience, patience } from "./patience.js";
import { LAPSE_RATE } from "./time-lapse.js";
import { TimeStamp, writeInMiddle } from "./time-stamp.js";

/** Pictures a second at most. */
const RATE_MAX = LAPSE_RATE;

/** A camera of the grid. */
export interface GridMember {
  readonly name: string;
  /** Undefined: nothing of it is recorded in the time. */
  readonly plan: ExportPlan | undefined;
}

/** A place of the grid, and what fills it. */
interface Cell extends Spot {
  readonly name: string;
  readonly camera: GridCamera | undefined;
  readonly stamp: TimeStamp | undefined;
  /** What is in it on the canvas. */
  shown: Picture | "name" | undefined;
}

/**
 * Makes a movie of several cameras, whose pictures are beside one another, in step: as `MovieMaking` in all else. What none of them
 * recorded takes no time. It has no sound.
 */
export class GridMaking {
  readonly #options: MovieMakingOptions;
  readonly #members: readonly GridMember[];
  readonly #cell: PictureSize;
  readonly #cells: readonly Cell[];
  readonly #canvas: Canvas;
  readonly #writer: MovieWriter;
  readonly #patiently: Patience;

  constructor(members: readonly GridMember[], options: MovieMakingOptions) {
    this.#options = options;
    this.#members = members;
    this.#writer = new MovieWriter(options.sink);
    this.#patiently = patience(options.clock, options.signal);
    const { columns, rows, cell } = gridOf(members.length);
    this.#cell = cell;
    this.#canvas = new Canvas({ width: columns * cell.width, height: rows * cell.height });
    this.#cells = members.map((member, at) => ({
      ...{ left: (at % columns) * cell.width, top: Math.floor(at / columns) * cell.height },
      ...this.#contentOf(member),
    }));
  }

  /** Rejects with NvrdError, as `MovieMaking.make`. */
  async make(): Promise<MadeMovie> {
    const { codec, signal } = this.#options;
    await codec.prepare?.();
    const abort = (): void => this.#closeCodecs();
    signal.addEventListener("abort", abort, { once: true });
    try {
      await this.#encodeAll();
      if (this.#writer.mediaBytes === 0)
        throw new NvrdError("NOT_SUPPORTED", "none of the pictures of this time can be decoded");
      const createdMs = Math.floor((this.#runs()[0]?.fromUs ?? 0) / 1000);
      const title = this.#members.map(({ name }) => name).join(", ");
      const head = await this.#writer.end({ createdMs, title });
      return { head, mediaBytes: this.#writer.mediaBytes };
    } finally {
      signal.removeEventListener("abort", abort);
      this.#closeCodecs();
      for (const { camera } of this.#cells) camera?.closeFiles();
    }
  }

  async #encodeAll(): Promise<void> {
    const { codec, edits, signal, onExpected, onProgress } = this.#options;
    const runs = this.#runs();
    const seconds = runs.reduce((sum, { fromUs, toUs }) => sum + toUs - fromUs, 0) / US_PER_SECOND;
    const framesPerSecond = await this.#rate();
    let bytes = 0;
    const encoded = new EncodedPictures({
      ...{ codec, patiently: this.#patiently, framesPerSecond },
      track: this.#writer.track("video", VIDEO_TIMESCALE),
      onBitRate: (bits) => {
        bytes = Math.ceil((bits * seconds) / edits.speed / 8);
      },
    });
    signal.addEventListener("abort", () => encoded.close(), { once: true });
    const stepUs = (edits.speed * US_PER_SECOND) / framesPerSecond;
    let [doneUs, count] = [0, 0];
    try {
      for (const { fromUs, toUs } of runs) {
        for (; count * stepUs < doneUs + toUs - fromUs; count += 1) {
          if (signal.aborted) throw new NvrdError("NOT_AVAILABLE", "nobody wants it any more");
          await this.#draw(fromUs + count * stepUs - doneUs);
          await encoded.add(this.#picture(), Math.round((count * US_PER_SECOND) / framesPerSecond));
          if (count === 0) await onExpected(bytes);
          onProgress(Math.min(1, (count * stepUs) / (seconds * US_PER_SECOND)));
        }
        doneUs += toUs - fromUs;
        encoded.gap();
      }
      encoded.end(doneUs / edits.speed);
      onProgress(1);
    } finally {
      encoded.close();
    }
  }

  /** Times of which any camera has something. */
  #runs() {
    return union(this.#members.flatMap(({ plan }) => (plan === undefined ? [] : [...plan.stretches])));
  }

  /** That of the camera with most pictures. */
  async #rate(): Promise<number> {
    let most = 1;
    for (const { camera } of this.#cells)
      if (camera !== undefined) most = Math.max(most, await camera.rate());
    return Math.min(RATE_MAX, most);
  }

  async #draw(timeUs: number): Promise<void> {
    for (const cell of this.#cells) {
      const picture = (await cell.camera?.at(timeUs)) ?? "name";
      if (picture === cell.shown) continue;
      cell.shown = picture;
      this.#canvas.darken(cell, this.#cell);
      if (picture === "name") {
        const { texts } = this.#options;
        await writeInMiddle(this.#canvas, cell, { text: cell.name, area: this.#cell, texts });
        continue;
      }
      const spot = {
        left: cell.left + (((this.#cell.width - picture.width) >> 1) & ~1),
        top: cell.top + (((this.#cell.height - picture.height) >> 1) & ~1),
      };
      this.#canvas.put(picture, spot);
      await cell.stamp?.writeAt(this.#canvas, spot, { area: picture, timeUs: picture.timeUs });
    }
  }

  /** What is on the canvas; the encoder copies it before it answers. */
  #picture(): Picture {
    const { size, data } = this.#canvas;
    const source = { sourceWidth: size.width, sourceHeight: size.height };
    return { form: "yuv420", ...size, ...source, timeUs: 0, damaged: false, data };
  }

  #contentOf({ name, plan }: GridMember): Pick<Cell, "name" | "camera" | "stamp" | "shown"> {
    const { recordings, codec, signal, texts, edits } = this.#options;
    const camera =
      plan &&
      new GridCamera(plan, {
        ...{ recordings, codec, signal, patiently: this.#patiently },
        ...{ box: this.#cell, speed: edits.speed },
      });
    return { name, camera, stamp: edits.showTime ? new TimeStamp(name, texts) : undefined, shown: undefined };
  }

  #closeCodecs(): void {
    for (const { camera } of this.#cells) camera?.close();
  }
}

/** As many columns as rows, or one more; cells of 16:9 that fill the width. */
export function gridOf(count: number) {
  const columns = Math.ceil(Math.sqrt(count));
  const rows = Math.ceil(count / columns);
  const width = Math.floor(PICTURE_BOX.width / columns) & ~1;
  const height = Math.min(Math.floor(PICTURE_BOX.height / rows), Math.round((width * 9) / 16)) & ~1;
  return { columns, rows, cell: { width, height } };
}
