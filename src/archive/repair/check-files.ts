import { isDeepStrictEqual } from "node:util";
import { errorText } from "../../base/index.js";
import {
  indexedMembers,
  type SegmentFile,
  type SegmentSummary,
  type StrayFile,
  type SummaryOutcome,
  segmentPath,
  type VolumeAccess,
} from "../segment/segment-summary.js";
import { endOfUnclosed } from "../segment/unclosed-segment.js";
import type { CheckState } from "./check-state.js";
import { SUMMARIES_AT_ONCE } from "./rebuild.js";
import { countsBefore, isElsewhere } from "./segment-twins.js";

/** Files in one request when every frame of them is read. */
const DEEP_AT_ONCE = 1;
/** Segments without a footer that are looked at again at the end; further ones are only reported. */
const UNCLOSED_MAX = 10_000;
/** Segments that are moved to their place; further ones are only reported. */
const MISPLACED_MAX = 10_000;
/** Segments with a second file that are remembered as reported. */
const TWINS_MAX = 10_000;

interface Unclosed {
  readonly volume: VolumeAccess;
  readonly file: SegmentFile;
}

/** The files of the volumes against the index. */
export class FileCheck {
  readonly #state: CheckState;
  readonly #shares = new Map<VolumeAccess, number>();
  readonly #unclosed: Unclosed[] = [];
  readonly #misplaced: { readonly volume: VolumeAccess; readonly path: string }[] = [];

  constructor(state: CheckState) {
    this.#state = state;
  }

  async run(): Promise<void> {
    const { volumes } = this.#state.options;
    await Promise.all(volumes.map((volume) => this.#checkVolume(volume)));
    for (const { volume, path } of this.#misplaced) await this.#checkMisplaced(volume, path);
    for (const unclosed of this.#unclosed) await this.#checkUnclosed(unclosed);
    for (const segmentId of this.#state.seen.repeated()) {
      if (this.#state.twins.has(segmentId)) continue;
      this.#state.report("file-twice", String(segmentId), "two files have this segment's name", false);
    }
  }

  async #checkVolume(volume: VolumeAccess): Promise<void> {
    const state = this.#state;
    try {
      for await (const { files, strays, share } of volume.listSegments()) {
        for (const stray of strays) this.#noteStray(volume, stray);
        await this.#checkFiles(volume, files);
        this.#shares.set(volume, share);
        this.#progress();
      }
    } catch (error) {
      state.options.signal?.throwIfAborted();
      state.failedVolumes.add(volume.id);
      state.report("volume-failed", volume.id, errorText(error), false);
    }
  }

  async #checkFiles(volume: VolumeAccess, files: readonly SegmentFile[]): Promise<void> {
    const state = this.#state;
    const { deep, signal } = state.options;
    const step = deep ? DEEP_AT_ONCE : SUMMARIES_AT_ONCE;
    for (let at = 0; at < files.length; at += step) {
      signal?.throwIfAborted();
      const outcomes = await volume.readSummaries(files.slice(at, at + step), { deep });
      for (const outcome of outcomes) await this.#checkFile(volume, outcome);
      await state.commitSome();
      if (deep) this.#progress();
    }
  }

  async #checkFile(volume: VolumeAccess, outcome: SummaryOutcome): Promise<void> {
    const state = this.#state;
    const { file } = outcome;
    state.files += 1;
    state.seen.add(file.segmentId);
    if ("summary" in outcome) {
      const { summary } = outcome;
      if (state.options.deep) state.bytes += summary.bytes;
      const record = state.index.closed(summary);
      if (record !== undefined && isElsewhere(record, summary)) return this.#checkTwin(record, summary);
      return this.#compare(volume, file, summary);
    }
    const code = "code" in outcome.error ? outcome.error.code : undefined;
    if (code === "ENOENT") {
      state.leaving += 1;
      return;
    }
    if (code === "UNCLOSED" && this.#unclosed.length < UNCLOSED_MAX) {
      this.#unclosed.push({ volume, file });
      return;
    }
    const kind = code === "FORMAT_NEWER" ? "file-newer" : "file-unreadable";
    state.report(kind, segmentPath(file), errorText(outcome.error), false);
    // A file with a damaged frame keeps its record: readers pass over the damage. So does one of a newer nvrd.
    const again = state.options.deep ? await summaryOf(volume, file) : undefined;
    if (again !== undefined) this.#compare(volume, file, again);
    else if (kind === "file-unreadable") state.unreadable.add(file.segmentId);
  }

  #compare(volume: VolumeAccess, file: SegmentFile, summary: SegmentSummary): void {
    const state = this.#state;
    const { store } = state.index;
    if (store.isUnlinking({ volumeId: volume.id, file })) {
      state.leaving += 1;
      return;
    }
    const record = store.find(summary);
    if (record === undefined) {
      state.noteUnindexed(summary);
      state.report("file-unindexed", segmentPath(file), "the index does not know it", state.add(summary));
    } else if (!isDeepStrictEqual(record, indexedMembers(summary))) this.#replace(file, record, summary);
  }

  /** A second file of a segment: the one that was moved last is the segment, the other is removed. */
  async #checkTwin(record: SegmentSummary, summary: SegmentSummary): Promise<void> {
    const state = this.#state;
    const { segmentId } = summary;
    if (state.twins.has(segmentId)) return;
    if (state.twins.size < TWINS_MAX) state.twins.add(segmentId);
    // It is being moved, or one of them is to be removed anyway: it goes in a moment.
    const isLeaving = state.index.store.isUnlinking({ volumeId: summary.volumeId, file: summary });
    if (isLeaving) state.leaving += 1;
    if (isLeaving || !state.index.isDurable(segmentId)) return;
    const isRecordWrong = await countsBefore(summary, record, (id) => state.volumeOf(id));
    const [whole, other] = isRecordWrong ? [summary, record] : [record, summary];
    if (isRecordWrong) {
      const moved = state.rebuild && state.index.move(record, summary);
      state.report("record-differs", segmentPath(summary), "volumeId", moved);
    }
    const otherVolume = state.volumeOf(other.volumeId);
    const [found] = (await otherVolume?.readSummaries([other], { deep: false })) ?? [];
    if (otherVolume === undefined || found === undefined || "error" in found) return;
    const removed = state.rebuild && (await this.#removeTwin(whole, { volume: otherVolume, file: other }));
    state.report("file-twice", segmentPath(other), `it was moved from ${otherVolume.id}`, removed);
  }

  /** Not before the other file was read to its last frame, and the index says so durably. */
  async #removeTwin(whole: SegmentSummary, { volume, file }: Unclosed): Promise<boolean> {
    const { index, options } = this.#state;
    const [checked] =
      (await this.#state.volumeOf(whole.volumeId)?.readSummaries([whole], { deep: true })) ?? [];
    if (checked === undefined || "error" in checked) return false;
    await index.flush();
    if (index.closed(whole)?.volumeId !== whole.volumeId) return false;
    try {
      await volume.unlink(file);
      return true;
    } catch (error) {
      options.log.warn(
        { segment: file.segmentId, error: errorText(error) },
        "a second file cannot be removed",
      );
      return false;
    }
  }

  #replace(file: SegmentFile, record: SegmentSummary, summary: SegmentSummary): void {
    const state = this.#state;
    const members = Object.keys(record).filter(
      (name) => !isDeepStrictEqual(Reflect.get(record, name), Reflect.get(indexedMembers(summary), name)),
    );
    if (state.rebuild) state.index.forget([record], { unlink: false });
    state.report("record-differs", segmentPath(file), members.join(", "), state.add(summary));
  }

  #noteStray(volume: VolumeAccess, { path, kind }: StrayFile): void {
    const state = this.#state;
    if (kind === "unknown") state.noteStranger(path);
    else if (kind === "newer") state.report("file-newer", path, "it was written by a newer nvrd", false);
    else if (!state.rebuild || this.#misplaced.length >= MISPLACED_MAX)
      state.report("file-misplaced", path, "it belongs elsewhere", false);
    else this.#misplaced.push({ volume, path });
  }

  /** After the listing, which would find a moved file a second time. */
  async #checkMisplaced(volume: VolumeAccess, path: string): Promise<void> {
    const state = this.#state;
    try {
      const file = await volume.putInPlace(path);
      state.report("file-misplaced", path, `moved to ${segmentPath(file)}`, true);
      await this.#checkFiles(volume, [file]);
    } catch (error) {
      state.report("file-misplaced", path, `it stays there: ${errorText(error)}`, false);
    }
  }

  /** A footer that is lost is written again; until then the record stays, since nothing says that it is wrong. */
  async #checkUnclosed({ volume, file }: Unclosed): Promise<void> {
    const state = this.#state;
    state.options.signal?.throwIfAborted();
    const counted = await summaryOf(volume, file, true);
    if (counted === undefined) {
      state.report("file-unreadable", segmentPath(file), "it has no footer and no whole frame", false);
      state.unreadable.add(file.segmentId);
      return;
    }
    const record = state.index.store.find(counted);
    const endsUs = record?.toUs ?? endOfUnclosed(state.index, counted);
    const repaired = state.rebuild && (await this.#closeAgain(volume, file, endsUs - counted.fromUs));
    state.report("file-unclosed", segmentPath(file), "its footer is damaged or missing", repaired);
    const summary = repaired ? await summaryOf(volume, file) : { ...counted, toUs: endsUs };
    if (summary === undefined || (record !== undefined && !repaired)) return;
    if (record !== undefined) state.index.forget([record], { unlink: false });
    const isKnown = state.add(summary);
    if (record === undefined)
      state.report("file-unindexed", segmentPath(file), "the index does not know it", isKnown);
  }

  async #closeAgain(volume: VolumeAccess, file: SegmentFile, durationUs: number): Promise<boolean> {
    try {
      await volume.closeAgain(file, durationUs);
      return true;
    } catch (error) {
      const fields = { segment: file.segmentId, error: errorText(error) };
      this.#state.options.log.warn(fields, "a segment's footer could not be written anew");
      return false;
    }
  }

  #progress(): void {
    const { volumes } = this.#state.options;
    const sum = volumes.reduce((total, volume) => total + (this.#shares.get(volume) ?? 0), 0);
    this.#state.progress("files", volumes.length === 0 ? 1 : sum / volumes.length);
  }
}

async function summaryOf(
  volume: VolumeAccess,
  file: SegmentFile,
  fromFrames = false,
): Promise<SegmentSummary | undefined> {
  const [outcome] = await volume.readSummaries([file], { deep: false, fromFrames });
  return outcome !== undefined && "summary" in outcome ? outcome.summary : undefined;
}
