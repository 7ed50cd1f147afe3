import { type Clock, errorText, type Guid, type Log, MS_PER_SECOND } from "../../base/index.js";
import { BOXES_MAX, type BoxKeeping, type EnrolledBox, FileKeeping, StoreKeeping } from "./box-keeping.js";
import type { HubStore } from "./hub-store.js";

/** What other hubs keep of a box that is not known here is asked for again after this. */
const ASKED_FOR_US = 2_000_000;
/** Of so many boxes at once; further ones come again. */
const ASKED_MAX = 4096;
/** The whole list is read again, whatever other hubs say. */
export const READ_AGAIN_MS = 600 * MS_PER_SECOND;

export interface BoxListOptions {
  /** The hub's folder. */
  readonly directory: string;
  /** What several hubs have together; undefined: this hub is alone. */
  readonly store: HubStore | undefined;
  /** A box is not in the list any more, by another hub. */
  readonly onGone: (id: Guid) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The boxes of a hub, or of several that share them, kept over a restart. */
export class BoxList {
  readonly #options: BoxListOptions;
  readonly #keeping: BoxKeeping;
  readonly #boxes = new Map<Guid, EnrolledBox>();
  /** When each was looked for that was not known, or came with another certificate; monotonic. */
  readonly #asked = new Map<Guid, number>();
  /** In which order reads of the store begin, and boxes are changed or go here: a read that began before is older than what is known. */
  #order = 0;
  readonly #known = new Map<Guid, number>();
  readonly #removing = new Set<Guid>();
  #again: { clear(): void } | undefined;

  constructor(options: BoxListOptions) {
    this.#options = options;
    const { directory, store, clock, log } = options;
    this.#keeping =
      store === undefined
        ? new FileKeeping(() => this.all, { directory, clock, log })
        : new StoreKeeping(store, log);
  }

  /** Reads what is kept. Rejects with NvrdError NOT_AVAILABLE where it is not known. */
  async start(): Promise<void> {
    await this.#readAll();
    if (this.#keeping.read === undefined || this.#again !== undefined) return;
    this.#again = this.#options.clock.setInterval(() => void this.#readAgain(), READ_AGAIN_MS);
  }

  async stop(): Promise<void> {
    this.#again?.clear();
    await this.#keeping.flush();
  }

  get all(): readonly EnrolledBox[] {
    return [...this.#boxes.values()];
  }

  get isFull(): boolean {
    return this.#boxes.size >= BOXES_MAX;
  }

  get(id: Guid): EnrolledBox | undefined {
    return this.#boxes.get(id);
  }

  /** A box, also one that another hub has let in since. Rejects with NvrdError NOT_AVAILABLE. */
  async find(id: Guid): Promise<EnrolledBox | undefined> {
    return this.#boxes.get(id) ?? (await this.#ask(id));
  }

  /** Resolves when it is kept. Rejects with the disk's or the store's error: then it is not in the list. */
  async add(box: EnrolledBox): Promise<void> {
    try {
      await this.#keep(box);
    } catch (error) {
      this.#boxes.delete(box.id);
      throw error;
    }
  }

  /** Resolves when it is kept. Reads that begin meanwhile may find what was before. */
  async #keep(box: EnrolledBox): Promise<void> {
    this.#boxes.set(box.id, box);
    this.#note(box.id);
    await this.#keeping.write(box);
    const known = this.#boxes.get(box.id);
    if (known !== undefined) this.#boxes.set(box.id, { ...box, ...heardOf(known) });
    this.#note(box.id);
  }

  /** Resolves when it is kept; whether there was one. Rejects with the disk's or the store's error: then it is still in the list. */
  async remove(id: Guid): Promise<boolean> {
    const box = this.#boxes.get(id);
    if (box === undefined) return false;
    this.#boxes.delete(id);
    this.#removing.add(id);
    try {
      await this.#keeping.remove(id);
      this.#note(id);
    } catch (error) {
      this.#boxes.set(id, box);
      throw error;
    } finally {
      this.#removing.delete(id);
    }
    return true;
  }

  /** Another certificate for a box; the one before counts until this one is used. */
  async addCertificate(id: Guid, certificate: string): Promise<void> {
    const box = await this.#present(id);
    if (box === undefined) return;
    await this.#keep({ ...box, certificates: [...box.certificates.slice(-1), certificate] });
  }

  /** Where it is; undefined: where its cameras are. Resolves when it is kept; whether there is such a box. Rejects with the disk's or the store's error. */
  async place(id: Guid, position: EnrolledBox["position"]): Promise<boolean> {
    const box = await this.#present(id);
    if (box === undefined) return false;
    const { position: _former, ...rest } = box;
    try {
      await this.#keep(position === undefined ? rest : { ...rest, position });
    } catch (error) {
      this.#boxes.set(id, box);
      throw error;
    }
    return true;
  }

  /** Whether a box may come with this certificate. The one before it counts no more. Never rejects. */
  async admits(id: Guid, certificate: string): Promise<boolean> {
    if (this.#admitsNow(id, certificate)) return true;
    try {
      await this.#ask(id);
    } catch (error) {
      this.#options.log.warn(
        { box: id, reason: errorText(error) },
        "it is not known whether a recorder belongs to this hub",
      );
    }
    return this.#admitsNow(id, certificate);
  }

  /** What a box said of itself, and when. */
  seen(id: Guid, facts: Partial<Pick<EnrolledBox, "name" | "version" | "seenUs">>): void {
    const box = this.#boxes.get(id);
    if (box === undefined) return;
    const changed = { ...box, ...facts };
    this.#boxes.set(id, changed);
    this.#keeping.note(changed);
  }

  /** Another hub has changed what is kept of a box. Never rejects. */
  async changedElsewhere(id: Guid): Promise<void> {
    const { read } = this.#keeping;
    if (read === undefined) return;
    try {
      await this.#readOne(id, read);
    } catch (error) {
      this.#options.log.warn(
        { box: id, reason: errorText(error) },
        "what another hub has changed is read later",
      );
    }
  }

  #admitsNow(id: Guid, certificate: string): boolean {
    const box = this.#boxes.get(id);
    if (box === undefined || !box.certificates.includes(certificate)) return false;
    if (box.certificates.length > 1 && box.certificates.at(-1) === certificate) {
      const changed = { ...box, certificates: [certificate] };
      this.#boxes.set(id, changed);
      if (this.#keeping.read === undefined) this.#keeping.note(changed);
      // Not within the wait of a handshake.
      else void this.#dropFormer(id, certificate);
    }
    return true;
  }

  /** Takes out of the store what counts no more, unless another hub has written something else meanwhile. Never rejects. */
  async #dropFormer(id: Guid, certificate: string): Promise<void> {
    try {
      const box = await this.#present(id);
      if (box?.certificates.at(-1) === certificate) await this.#keep({ ...box, certificates: [certificate] });
    } catch (error) {
      this.#options.log.warn(
        { box: id, reason: errorText(error) },
        "a certificate that counts no more is still in the store",
      );
    }
  }

  /** As it is kept now, with what is known here of it. */
  async #present(id: Guid): Promise<EnrolledBox | undefined> {
    const { read } = this.#keeping;
    if (read !== undefined) await this.#readOne(id, read);
    return this.#boxes.get(id);
  }

  /** Asks where all hubs keep it, unless that was done a moment ago. */
  async #ask(id: Guid): Promise<EnrolledBox | undefined> {
    const { read } = this.#keeping;
    if (read === undefined) return this.#boxes.get(id);
    const nowUs = this.#options.clock.monotonicUs();
    const lastUs = this.#asked.get(id);
    if (lastUs !== undefined && nowUs - lastUs < ASKED_FOR_US) return this.#boxes.get(id);
    if (this.#asked.size >= ASKED_MAX) this.#asked.clear();
    this.#asked.set(id, nowUs);
    await this.#readOne(id, read);
    return this.#boxes.get(id);
  }

  async #readOne(id: Guid, read: NonNullable<BoxKeeping["read"]>): Promise<void> {
    const begun = this.#nextOrder();
    this.#take(id, await read(id), begun);
  }

  #nextOrder(): number {
    this.#order += 1;
    return this.#order;
  }

  /** Reads that began before say nothing of the box any more. */
  #note(id: Guid, order: number = this.#nextOrder()): void {
    if (this.#known.size >= ASKED_MAX) this.#known.clear();
    this.#known.set(id, order);
  }

  /** What a read that began then has found. */
  #take(id: Guid, box: EnrolledBox | undefined, begun: number): void {
    if (begun < (this.#known.get(id) ?? 0)) return;
    const known = this.#boxes.get(id);
    this.#note(id, begun);
    if (box === undefined) {
      if (this.#boxes.delete(id)) this.#options.onGone(id);
    } else if (!this.#removing.has(id))
      this.#boxes.set(id, known === undefined ? box : { ...box, ...heardOf(known) });
  }

  async #readAll(): Promise<void> {
    const startedUs = this.#options.clock.nowUs();
    const begun = this.#nextOrder();
    const boxes = await this.#keeping.readAll();
    const ids = new Set(boxes.map(({ id }) => id));
    for (const box of boxes) this.#take(box.id, box, begun);
    // One that has joined here while it was read is in the store as well.
    for (const { id, addedUs } of this.all)
      if (!ids.has(id) && addedUs < startedUs) this.#take(id, undefined, begun);
  }

  async #readAgain(): Promise<void> {
    try {
      await this.#readAll();
    } catch (error) {
      this.#options.log.warn(
        { reason: errorText(error) },
        "the list of this hub's recorders cannot be read again: it is tried again",
      );
    }
  }
}

/** What is known here of a box that another hub's document does not say, or later. */
function heardOf({ name, version, seenUs }: EnrolledBox): Pick<EnrolledBox, "name" | "version" | "seenUs"> {
  return { name, version, seenUs };
}
