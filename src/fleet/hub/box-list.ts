import * as v from "valibot";
import type { Clock, Guid, Log } from "../../base/index.js";
import { GUID_PATTERN } from "../../contract/reading/index.js";
import { type Kept, KeptFile, keptKind } from "../../kept/index.js";

/** Boxes of one hub. */
export const BOXES_MAX = 2000;
const FOLDER_MODE = 0o700;
/** When a box was seen is written at the latest after this. */
const SAVE_AFTER_MS = 30_000;
/** A box has a certificate, and the one before until it uses the new one. */
const CERTIFICATES_MAX = 2;

const text = (lengthMax: number) => v.pipe(v.string(), v.maxLength(lengthMax));
const time = v.pipe(v.number(), v.finite());

const boxSchema = v.object({
  id: v.pipe(v.string(), v.regex(new RegExp(GUID_PATTERN))),
  name: text(128),
  version: text(64),
  addedUs: time,
  /** When the hub heard of it last; 0: never. */
  seenUs: time,
  /** SHA-256 of the certificates that it may come with, as codes have it; the newest last. */
  certificates: v.pipe(v.array(text(64)), v.maxLength(CERTIFICATES_MAX)),
});
const listSchema = v.object({ boxes: v.pipe(v.array(boxSchema), v.maxLength(BOXES_MAX)) });

/** A box that was let in. */
export type EnrolledBox = Readonly<v.InferOutput<typeof boxSchema>>;

export const HUB_BOXES_KIND = keptKind({
  name: "boxes.json",
  folder: "hub/",
  says: "which recorders belong to this hub",
  policy: "refuse",
  damaged:
    "the list of this hub's recorders is damaged: none of them is let in; restore the file, or let them join anew",
  copies: 2,
  folderMode: FOLDER_MODE,
  delayMs: SAVE_AFTER_MS,
  schema: listSchema,
});

export interface BoxListOptions {
  /** The hub's folder. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The boxes of a hub, kept over a restart. */
export class BoxList {
  readonly #file: KeptFile<typeof listSchema>;
  readonly #boxes = new Map<Guid, EnrolledBox>();

  constructor({ directory, clock, log }: BoxListOptions) {
    this.#file = new KeptFile(HUB_BOXES_KIND, { directory, clock, log, content: () => this.#content() });
    for (const box of this.#file.read()?.boxes ?? []) this.#boxes.set(box.id, box);
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

  /** Resolves when it is kept. Rejects with the disk's error: then it is not in the list. */
  async add(box: EnrolledBox): Promise<void> {
    this.#boxes.set(box.id, box);
    try {
      await this.#file.replace(this.#content());
    } catch (error) {
      this.#boxes.delete(box.id);
      throw error;
    }
  }

  /** Resolves when it is kept; whether there was one. */
  async remove(id: Guid): Promise<boolean> {
    if (!this.#boxes.delete(id)) return false;
    await this.#file.replace(this.#content());
    return true;
  }

  /** Another certificate for a box; the one before counts until this one is used. */
  async addCertificate(id: Guid, certificate: string): Promise<void> {
    const box = this.#boxes.get(id);
    if (box === undefined) return;
    this.#boxes.set(id, { ...box, certificates: [...box.certificates.slice(-1), certificate] });
    await this.#file.replace(this.#content());
  }

  /** Whether a box may come with this certificate. The one before it counts no more. */
  admits(id: Guid, certificate: string): boolean {
    const box = this.#boxes.get(id);
    if (box === undefined || !box.certificates.includes(certificate)) return false;
    if (box.certificates.length > 1 && box.certificates.at(-1) === certificate) {
      this.#boxes.set(id, { ...box, certificates: [certificate] });
      this.#file.changed();
    }
    return true;
  }

  /** What a box said of itself, and when. */
  seen(id: Guid, facts: Partial<Pick<EnrolledBox, "name" | "version" | "seenUs">>): void {
    const box = this.#boxes.get(id);
    if (box === undefined) return;
    this.#boxes.set(id, { ...box, ...facts });
    this.#file.changed();
  }

  async flush(): Promise<void> {
    await this.#file.flush();
  }

  #content(): Kept<typeof listSchema> {
    return { boxes: this.all.map((box) => ({ ...box, certificates: [...box.certificates] })) };
  }
}
