import * as v from "valibot";
import { type Log, STREAM_TYPES } from "../../base/index.js";
import { KeptFile, keptGuid, keptKind } from "../../kept/index.js";

/** Name of the file in the data directory. */
export const MOVE_FILE = "volume-move.json";
/** Segments whose original may still have to be removed: one, and those whose disks failed in between. */
const UNDER_WAY_MAX = 64;

const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const segmentSchema = v.object({
  key: v.object({ channelId: keptGuid, streamType: v.picklist(STREAM_TYPES) }),
  segmentId: wholeNumber,
  fragmentId: keptGuid,
  epoch: wholeNumber,
  fromUs: wholeNumber,
  /** Where the original is. */
  volumeId: keptGuid,
});
const orderSchema = v.object({
  /** Of the volume that is emptied. */
  directory: v.pipe(v.string(), v.maxLength(4096)),
  volumeId: keptGuid,
  by: v.nullable(v.object({ id: keptGuid, name: v.pipe(v.string(), v.maxLength(1024)) })),
  moved: wholeNumber,
  movedBytes: wholeNumber,
});
const fileSchema = v.object({
  /** Null: nothing is to be moved. */
  order: v.nullable(orderSchema),
  underWay: v.pipe(v.array(segmentSchema), v.maxLength(UNDER_WAY_MAX)),
});

export const MOVE_KIND = keptKind({
  name: MOVE_FILE,
  says: "the recordings that are being moved",
  policy: "rebuild",
  damaged: "damaged: segments that are there twice are settled now, and the move is to be ordered again",
  schema: fileSchema,
});

/** A segment that is being moved. */
export type UnderWay = Readonly<v.InferOutput<typeof segmentSchema>>;
/** What somebody asked for, and how far it is. */
export type MoveOrder = Readonly<v.InferOutput<typeof orderSchema>>;

/**
 * What a restart has to know of a move: which volume is emptied, and of which segments the original may still be there although
 * the index names the copy.
 */
export class MoveJournal {
  readonly #file: KeptFile<typeof fileSchema>;
  #order: MoveOrder | undefined;
  #underWay = new Map<number, UnderWay>();

  constructor({ dataDir, log }: { readonly dataDir: string; readonly log: Log }) {
    this.#file = new KeptFile(MOVE_KIND, { directory: dataDir, log });
  }

  load(): void {
    const { order = null, underWay = [] } = this.#file.read() ?? {};
    this.#order = order ?? undefined;
    this.#underWay = new Map(underWay.map((segment) => [segment.segmentId, segment]));
  }

  get order(): MoveOrder | undefined {
    return this.#order;
  }

  get underWay(): readonly UnderWay[] {
    return [...this.#underWay.values()];
  }

  /** Undefined: nothing is to be moved any more. Rejects where that cannot be saved. */
  async setOrder(order: MoveOrder | undefined): Promise<void> {
    this.#order = order;
    await this.#save();
  }

  /** Counts a segment that was moved; saved with the next one. */
  count(bytes: number): void {
    const order = this.#order;
    if (order === undefined) return;
    this.#order = { ...order, moved: order.moved + 1, movedBytes: order.movedBytes + bytes };
  }

  /** A segment is about to be moved: durable when this resolves. Rejects where it cannot be saved. */
  async begin({ key, segmentId, fragmentId, epoch, fromUs, volumeId }: UnderWay): Promise<void> {
    this.#underWay.set(segmentId, { key, segmentId, fragmentId, epoch, fromUs, volumeId });
    await this.#save();
  }

  /** Its original is gone, or it was not moved; saved with the next one. */
  done({ segmentId }: Pick<UnderWay, "segmentId">): void {
    this.#underWay.delete(segmentId);
  }

  get isFull(): boolean {
    return this.#underWay.size >= UNDER_WAY_MAX;
  }

  #save(): Promise<void> {
    return this.#file.replace({ order: this.#order ?? null, underWay: [...this.underWay] });
  }
}
