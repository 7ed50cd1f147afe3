import * as v from "valibot";
import { errorText, type Guid, type Log } from "../../base/index.js";
import { type Kept, KeptFile, keptGuid, keptKind } from "../../kept/index.js";
import type { ThreadRequests } from "../disk/volume-thread.js";
import type { SegmentSummary } from "../segment/segment-summary.js";

/** Name of the file, on each volume and in the data directory. */
export const BOOT_TIMES_FILE = "boots.json";
/** Provisional times no further from the truth than this are left as they are: streams are slewed as much. */
export const REDATE_US_MIN = 10_000_000;
/** Most boots remembered: one a day for eleven years. Beyond it the oldest is forgotten. */
const BOOTS_MAX = 4096;
const DISK_TIMEOUT_MS = 10_000;

const wholeNumber = v.pipe(v.number(), v.safeInteger());
const bootSchema = v.object({
  bootId: keptGuid,
  /** Wall clock less monotonic clock of that boot. */
  offsetUs: wholeNumber,
  /** The correction, for display only: another process of the same boot may have used a different one. */
  shiftUs: wholeNumber,
  /** What its provisionally dated segments' epochs are raised by. */
  epochShift: v.pipe(wholeNumber, v.minValue(0)),
  /** Provisional times of that boot lie between these. */
  fromUs: wholeNumber,
  toUs: wholeNumber,
  /** Data directory only: the index, or an absent volume, may still hold the provisional times. */
  pending: v.boolean(),
});
const fileSchema = v.object({ boots: v.pipe(v.array(bootSchema), v.maxLength(BOOTS_MAX)) });

/** In the data directory, and on each volume. */
export const BOOT_TIMES_KIND = keptKind({
  name: BOOT_TIMES_FILE,
  says: "the true times of boots whose clock became known later; also on each volume",
  policy: "rebuild",
  damaged: "damaged: the times of boots are taken from the volumes",
  schema: fileSchema,
});

/** How the provisional times of one boot are dated. */
export type BootTime = Readonly<v.InferOutput<typeof bootSchema>>;

/** What this asks of a volume. */
export interface BootTimesVolume {
  readonly id: Guid;
  readonly reads: Pick<ThreadRequests, "read">;
}

/**
 * Dates the segments that were recorded before the clock was known. They keep what their headers say, provisional times
 * and the boot; a small table says what is to be added to the times of a boot. Each volume has it, so that its
 * segments say the same wherever it is read; the data directory has it for volumes that are absent.
 */
export class BootTimes {
  readonly #file: KeptFile<typeof fileSchema>;
  readonly #log: Log;
  #boots = new Map<Guid, BootTime>();
  /** What each volume's file says, once that is on its disk. */
  readonly #volumes = new Map<Guid, ReadonlyMap<Guid, BootTime>>();
  readonly #loading = new Map<Guid, Promise<void>>();
  #onPending: () => void = () => undefined;

  constructor(options: { readonly dataDir: string; readonly log: Log }) {
    const { dataDir: directory, log } = options;
    this.#file = new KeptFile(BOOT_TIMES_KIND, { directory, log, content: () => contentOf(this.#boots) });
    this.#log = log;
  }

  /** Reads the data directory's file. */
  start(): void {
    this.#boots = byId(this.#file.read()?.boots ?? []);
  }

  /** Resolves when what was added is saved, or could not be. */
  async stop(): Promise<void> {
    await this.#file.flush();
  }

  has(bootId: Guid): boolean {
    return this.#boots.has(bootId);
  }

  /** Boots whose segments may still be dated provisionally in the index. */
  get pending(): readonly BootTime[] {
    return [...this.#boots.values()].filter((boot) => boot.pending);
  }

  /** What the data directory and the volumes know; of two that differ, a volume's. */
  get all(): ReadonlyMap<Guid, BootTime> {
    const all = new Map([...this.#boots].map(([id, boot]) => [id, { ...boot, pending: false }]));
    for (const table of this.#volumes.values()) for (const [id, boot] of table) all.set(id, boot);
    return all;
  }

  /** Called when there may be something for `Redating` to do. */
  onPending(listener: () => void): void {
    this.#onPending = listener;
  }

  /** A boot's true time is known; volumes hear of it by `spread`. */
  add(boot: BootTime): void {
    this.#set(boot);
    this.#onPending();
  }

  /** All volumes and the index have it. */
  finish(bootId: Guid): void {
    const boot = this.#boots.get(bootId);
    if (boot !== undefined) this.#set({ ...boot, pending: false });
  }

  /** A volume was taken: reads its table before any of its segments is. */
  take(volume: BootTimesVolume): Promise<void> {
    const loading = this.#bringUpToDate(volume).then(() => {
      if (this.pending.length > 0) this.#onPending();
    });
    this.#loading.set(volume.id, loading);
    return loading;
  }

  /** Resolves when the volume's table is read, or could not be. */
  async loaded(volumeId: Guid): Promise<void> {
    await this.#loading.get(volumeId);
  }

  /** Brings each volume's table up to date; whether all of them are. */
  async spread(volumes: readonly BootTimesVolume[]): Promise<boolean> {
    await Promise.all(volumes.map((volume) => this.#bringUpToDate(volume)));
    return volumes.every(({ id }) => {
      const table = this.#volumes.get(id);
      return [...this.#boots.keys()].every((bootId) => table?.has(bootId) === true);
    });
  }

  /** The segment as its volume dates it. `provisionalOffsetUs`: provisional less monotonic time, of one dated so. */
  redate(summary: SegmentSummary, provisionalOffsetUs: number | undefined): SegmentSummary {
    const boot = this.#volumes.get(summary.volumeId)?.get(summary.bootId);
    return boot === undefined ? summary : redated(summary, provisionalOffsetUs, boot);
  }

  /** A volume that cannot be read or written is dated by the data directory's table, or later. */
  async #bringUpToDate(volume: BootTimesVolume): Promise<void> {
    try {
      const text = await volume.reads.read({ op: "read-note", name: BOOT_TIMES_FILE }, DISK_TIMEOUT_MS);
      const own = this.#parseOf(volume, text);
      const missing = [...this.#boots.values()].filter(({ bootId }) => !own.has(bootId));
      if (missing.length > 0) {
        for (const boot of missing) own.set(boot.bootId, { ...boot, pending: false });
        const note = { op: "replace-note", name: BOOT_TIMES_FILE, text: bootTimesText(own) } as const;
        await volume.reads.read(note, DISK_TIMEOUT_MS);
      }
      this.#volumes.set(volume.id, own);
    } catch (error) {
      this.#log.error({ volume: volume.id, file: BOOT_TIMES_FILE }, `cannot be used: ${errorText(error)}`);
    }
  }

  #parseOf(volume: BootTimesVolume, text: string | undefined): Map<Guid, BootTime> {
    const { value, fault } = text === undefined ? {} : BOOT_TIMES_KIND.look(text);
    if (fault !== undefined)
      this.#log.error({ volume: volume.id, file: BOOT_TIMES_FILE }, `damaged: ${fault}`);
    return byId(value?.boots ?? []);
  }

  #set(boot: BootTime): void {
    this.#boots.set(boot.bootId, boot);
    this.#file.changed();
  }
}

/** The segment with corrected times and epoch; its ids do not change. */
export function redated(
  summary: SegmentSummary,
  provisionalOffsetUs: number | undefined,
  boot: BootTime,
): SegmentSummary {
  if (provisionalOffsetUs === undefined) return summary;
  const shiftUs = boot.offsetUs - provisionalOffsetUs;
  if (Math.abs(shiftUs) <= REDATE_US_MIN || summary.fromUs + shiftUs < 0) return summary;
  return {
    ...summary,
    epoch: summary.epoch + boot.epochShift,
    fromUs: summary.fromUs + shiftUs,
    toUs: summary.toUs + shiftUs,
    gops: summary.gops.map((gop) => ({ ...gop, decodeTimeUs: gop.decodeTimeUs + shiftUs })),
  };
}

/** Throws on what is no such table. */
export function parseBootTimes(text: string | undefined): Map<Guid, BootTime> {
  return text === undefined ? new Map() : byId(BOOT_TIMES_KIND.read(text).boots);
}

export function bootTimesText(boots: ReadonlyMap<Guid, BootTime>): string {
  return BOOT_TIMES_KIND.text(contentOf(boots));
}

function byId(boots: readonly BootTime[]): Map<Guid, BootTime> {
  return new Map(boots.map((boot) => [boot.bootId, boot]));
}

function contentOf(boots: ReadonlyMap<Guid, BootTime>): Kept<typeof fileSchema> {
  return { boots: [...boots.values()].slice(-BOOTS_MAX) };
}
