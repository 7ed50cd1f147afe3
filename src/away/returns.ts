import { rm } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type AwayRecordings, FarSegments, type SegmentSummary } from "../archive/index.js";
import { BYTES_PER_MB, type Clock, errorText, type Guid, type Log, MS_PER_MINUTE } from "../base/index.js";
import { BlockFetches } from "./back/block-fetches.js";
import { CATALOGUE_TIMING, Catalogue, type CatalogueTiming } from "./back/catalogue.js";
import { Sender, type StartSendingThread, startSendingThread } from "./send/sender.js";
import { type SendTarget, s3TargetOf, sealingOf } from "./target-address.js";

/** Of each target, on the data directory's disk. */
export const CACHE_BYTES_MAX = 512 * BYTES_PER_MB;

/** What other recorders sent here is looked for so often. */
const OTHERS_MS = MS_PER_MINUTE;

export interface ReturnsOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** What is off the box from now on. */
  readonly onPlaces: (places: readonly AwayRecordings[]) => void;
  readonly start?: StartSendingThread;
  readonly timing?: CatalogueTiming;
}

/** What comes back of a target. */
export interface ReturnState {
  readonly id: Guid;
  /** Known to be there. */
  readonly knownSegments: number;
  /** Why it cannot be asked or read. */
  readonly problem: string | undefined;
}

interface Place {
  readonly target: SendTarget;
  readonly sender: Sender;
  readonly catalogue: Catalogue;
  readonly fetches: BlockFetches;
  readonly recordings: AwayRecordings;
}

/** Recordings off the box, back: of each target that is on a catalogue, and a thread that fetches. */
export class Returns {
  readonly #options: ReturnsOptions;
  readonly #places = new Map<Guid, Place>();
  #changing: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: ReturnsOptions) {
    this.#options = options;
  }

  follow(targets: readonly SendTarget[]): void {
    this.#changing = this.#changing
      .then(() => this.#follow(targets))
      .catch((error: unknown) =>
        this.#options.log.error({ error: errorText(error) }, "recordings off the box cannot be used"),
      );
  }

  /** Retention removes a segment. */
  noteRemoved(segment: SegmentSummary): void {
    for (const { catalogue } of this.#places.values()) catalogue.noteRemoved(segment);
  }

  states(): readonly ReturnState[] {
    return [...this.#places.values()].map(({ target, catalogue, fetches }) => ({
      id: target.id,
      knownSegments: catalogue.segments,
      problem: fetches.problem ?? catalogue.problem,
    }));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#changing;
    this.#options.onPlaces([]);
    const places = [...this.#places.values()];
    this.#places.clear();
    await Promise.all(places.map((place) => stopPlace(place)));
  }

  async #follow(targets: readonly SendTarget[]): Promise<void> {
    if (this.#isStopped) return;
    const wanted = new Map(targets.filter(({ isEnabled }) => isEnabled).map((target) => [target.id, target]));
    const leaving = [...this.#places].filter(([id, place]) => !isSamePlace(place.target, wanted.get(id)));
    for (const [id] of leaving) this.#places.delete(id);
    if (leaving.length > 0) this.#notifyPlaces();
    for (const [id, place] of leaving) {
      await stopPlace(place);
      // A target that is switched off or changed keeps what is known of it.
      if (!targets.some((target) => target.id === id)) await this.#forget(id);
    }
    const coming = [...wanted.values()].filter(({ id }) => !this.#places.has(id));
    for (const target of coming) this.#places.set(target.id, this.#make(target));
    if (coming.length > 0) this.#notifyPlaces();
  }

  async #forget(id: Guid): Promise<void> {
    const { dataDir, log } = this.#options;
    try {
      for (const name of ["index", "blocks", "known-days.json"])
        await rm(path.join(dataDir, "away", id, name), { recursive: true, force: true });
    } catch (error) {
      log.warn({ error: errorText(error) }, "what was known of a target cannot be removed");
    }
  }

  #notifyPlaces(): void {
    this.#options.onPlaces([...this.#places.values()].map(({ recordings }) => recordings));
  }

  #make(target: SendTarget): Place {
    const { dataDir, clock, start = startSendingThread, timing = CATALOGUE_TIMING } = this.#options;
    const directory = path.join(dataDir, "away", target.id);
    const log = this.#options.log.child({ part: "away", target: target.name });
    const blocks = path.join(directory, "blocks");
    const place = JSON.stringify([target.endpoint, target.bucket, target.prefix]);
    const isOfOthers = target.isOfOthers === true;
    const sender = new Sender({
      target: s3TargetOf(target),
      start,
      onBytes: () => undefined, // nothing is sent
      ...(isOfOthers ? {} : { cache: { directory: blocks, bytesMax: CACHE_BYTES_MAX } }),
      sealing: sealingOf(target),
    });
    const fetches = new BlockFetches({ sender, name: target.name, clock });
    const catalogue = new Catalogue({
      ...{ directory, place, blocks, sender, bytes: fetches, clock, log },
      timing: isOfOthers ? { ...timing, refreshMs: OTHERS_MS, openDayMs: OTHERS_MS } : timing,
    });
    const reading = new FarSegments(catalogue.index, fetches);
    catalogue.start();
    return {
      target,
      sender,
      catalogue,
      fetches,
      recordings: { channels: () => catalogue.channels(), index: catalogue.index, reading },
    };
  }
}

async function stopPlace({ sender, catalogue }: Place): Promise<void> {
  sender.stop();
  await catalogue.stop();
}

/** Whether a target is still reached in the same way: what goes there does not matter here. */
function isSamePlace(target: SendTarget, now: SendTarget | undefined): boolean {
  return (
    now !== undefined &&
    now.name === target.name &&
    isDeepStrictEqual(s3TargetOf(now), s3TargetOf(target)) &&
    isDeepStrictEqual(sealingOf(now), sealingOf(target))
  );
}
