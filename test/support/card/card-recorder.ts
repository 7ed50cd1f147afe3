import type { Archive } from "../../../src/archive/index.js";
import type { StreamKey } from "../../../src/base/index.js";
import { append, newStreamKey, startArchive, temporaryDirectory } from "../archive/archive-fixture.js";
import type { MemorySegmentIndex } from "../archive/memory-segment-index.js";
import { type CardCamera, GOP_FRAMES } from "./card-camera.js";

/** A picture that is recorded. */
export interface RecordedPicture {
  readonly timeUs: number;
  readonly text: string;
  readonly codec: number;
}

/** An archive that recorded a camera, and missed some of it. */
export class CardRecorder {
  readonly key: StreamKey = newStreamKey();
  readonly camera: CardCamera;
  readonly #directory = temporaryDirectory();
  #archive: Archive | undefined;
  #index: MemorySegmentIndex | undefined;

  constructor(camera: CardCamera) {
    this.camera = camera;
  }

  get archive(): Archive {
    if (this.#archive === undefined) throw new Error("the recorder is not started");
    return this.#archive;
  }

  get path(): string {
    return this.#directory.path;
  }

  async start(): Promise<void> {
    const kept = this.#index;
    const { archive, index } = await startArchive(this.path, {
      segmentSeconds: 2,
      ...(kept === undefined ? {} : { index: kept }),
    });
    this.#archive = archive;
    this.#index = index;
  }

  async stop(): Promise<void> {
    await this.#archive?.stop();
    this.#archive = undefined;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async close(): Promise<void> {
    await this.stop();
    this.#directory.remove();
  }

  /** Records the camera's live pictures from `from` to before `to`, each `lateUs` after it was made. */
  async record(from: number, to: number, lateUs: (index: number) => number = () => 0): Promise<void> {
    const writer = this.archive.writer(this.key);
    for (let index = from; index < to; index++)
      append(writer, {
        decodeTimeUs: this.camera.timeUs(index) + lateUs(index),
        key: index % GOP_FRAMES === 0,
        bytes: this.camera.bytes(index),
        format: this.camera.format,
      });
    await writer.end();
  }

  fragments() {
    return this.archive.fragments(this.key, 0, Number.MAX_SAFE_INTEGER);
  }

  /** Between fragments, in order. */
  holes(): { fromUs: number; toUs: number }[] {
    const all = this.fragments();
    return all
      .slice(1)
      .map(({ fromUs }, at) => ({ fromUs: all[at]?.toUs ?? fromUs, toUs: fromUs }))
      .filter((hole) => hole.toUs > hole.fromUs);
  }

  /** All that is recorded, in the order of playback. */
  async pictures(): Promise<RecordedPicture[]> {
    const reader = this.archive.read(this.key, { fromUs: 0, videoOnly: true, endsAtEdge: true });
    const found: RecordedPicture[] = [];
    for (;;) {
      const frames = await reader.next();
      if (frames.length === 0) return found;
      for (const { decodeTimeUs, bytes, codec } of frames)
        found.push({ timeUs: decodeTimeUs, text: Buffer.from(bytes).toString(), codec });
    }
  }

  /** The numbers of the pictures, in the order of playback. */
  async numbers(): Promise<number[]> {
    return (await this.pictures()).map(({ text }) => Number(text.replace("picture ", "")));
  }
}
