import type { RecordedAccess } from "../../archive/index.js";
import { firstBehind, type Interval, union } from "../../base/index.js";
import type { ExportPlan } from "../../compat/index.js";
import { isAudioCodec } from "../../live/index.js";
import type { Codec, Picture, PictureSize } from "../../picture/index.js";
import { pictureRate } from "./converted-pictures.js";
import type { Patience } from "./patience.js";
import { PictureDecoding } from "./picture-decoding.js";
import { DuePictures, lapseRate, type TimeLapse, timeLapse } from "./time-lapse.js";
import { UnitReading } from "./unit-reading.js";

/** Memory that recordings of a camera are read into: there may be sixteen. */
const READING_BYTES = 1024 * 1024;
/** From the decoding of a run's first frame to its picture, at most. */
const FIRST_US_MAX = 500_000;

export interface GridCameraOptions {
  readonly recordings: Pick<RecordedAccess, "openRecorded">;
  readonly codec: Pick<Codec, "openVideoDecoder">;
  readonly patiently: Patience;
  readonly signal: AbortSignal;
  /** Of its pictures. */
  readonly box: PictureSize;
  readonly speed: number;
}

/** The pictures of one camera, by the time at which they are shown. */
export class GridCamera {
  readonly plan: ExportPlan;
  readonly #runs: readonly Interval[];
  readonly #lapse: TimeLapse;
  readonly #reading: UnitReading;
  readonly #decoding: PictureDecoding;
  readonly #due: DuePictures;
  readonly #pictures: AsyncGenerator<Picture>;
  #recordedRate: number | undefined;
  #shown: Picture | undefined;
  /** The first one that is not shown yet. */
  #next: Picture | undefined;
  #hasEnded = false;

  constructor(plan: ExportPlan, { recordings, signal, codec, patiently, box, speed }: GridCameraOptions) {
    this.plan = plan;
    this.#runs = union(plan.stretches);
    this.#lapse = timeLapse(plan.units, speed);
    this.#reading = new UnitReading({ recordings, signal, memoryBytes: READING_BYTES });
    this.#decoding = new PictureDecoding({ codec, patiently, box });
    this.#due = new DuePictures(this.#lapse.stepUs);
    this.#pictures = this.#all();
  }

  /** Pictures a second that a file of this camera has; known after the first one. */
  async rate(): Promise<number> {
    await this.#fetchNext();
    return lapseRate(this.plan.units, this.#lapse, this.#recordedRate ?? 1);
  }

  /** The picture that is shown then; undefined: nothing is recorded. Times go forward. */
  async at(timeUs: number): Promise<Picture | undefined> {
    for (;;) {
      await this.#fetchNext();
      if (this.#next === undefined || this.#next.timeUs > timeUs) break;
      this.#shown = this.#next;
      this.#next = undefined;
    }
    const run = this.#runs[firstBehind(this.#runs, timeUs)];
    if (run === undefined || run.fromUs > timeUs) return undefined;
    if (this.#shown !== undefined && this.#shown.timeUs >= run.fromUs) return this.#shown;
    // The first picture of a run is shown a little later than its frame was decoded.
    const isFirst = this.#next !== undefined && this.#next.timeUs - run.fromUs < FIRST_US_MAX;
    return isFirst ? this.#next : undefined;
  }

  close(): void {
    this.#decoding.close();
  }

  /** Call it when nothing is awaited of it any more. */
  closeFiles(): void {
    this.#reading.close();
  }

  async #fetchNext(): Promise<void> {
    if (this.#next !== undefined || this.#hasEnded) return;
    const { value, done = false } = await this.#pictures.next();
    this.#hasEnded = done;
    this.#next = done ? undefined : (value as Picture);
  }

  async *#all(): AsyncGenerator<Picture> {
    const { keysOnly } = this.#lapse;
    for (const unit of this.plan.units) {
      if (unit.options.followsGap) yield* this.#due.among(await this.#decoding.end());
      if (keysOnly && !(unit.piece.key && this.#due.isDue(unit.options.fromUs))) continue;
      for await (const { frame, kind, file, read } of this.#reading.frames(unit, keysOnly)) {
        const format = file.formats.video;
        if (kind !== "video" || format === undefined) continue;
        const isVideo = (one: typeof frame): boolean => !isAudioCodec(one.codec);
        this.#recordedRate ??= pictureRate(read.filter(isVideo).map(({ decodeTimeUs }) => decodeTimeUs));
        const isWanted = this.#due.isDue(frame.decodeTimeUs + frame.presentationOffsetUs);
        const skip = keysOnly ? "non-key" : isWanted ? "none" : "non-reference";
        yield* this.#due.among(await this.#decoding.decode(frame, format, { isWanted, skip }));
      }
    }
    yield* this.#due.among(await this.#decoding.end());
  }
}
