import * as v from "valibot";
import type { Clock, Guid, Log } from "../../base/index.js";
import { GUID_PATTERN } from "../../contract/reading/index.js";
import { type Kept, KeptFile, keptKind } from "../../kept/index.js";
import { HOSTS_MAX } from "./partner-messages.js";

/** Partners of one box. */
export const PARTNERS_MAX = 8;
/** In the data directory. */
export const PARTNERS_FOLDER = "partners";
const FOLDER_MODE = 0o700;
/** A new address is written at the latest after this. */
const SAVE_AFTER_MS = 10_000;

const text = (lengthMax: number) => v.pipe(v.string(), v.maxLength(lengthMax));
const port = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535));

const partnerSchema = v.object({
  id: v.pipe(v.string(), v.regex(new RegExp(GUID_PATTERN))),
  name: text(128),
  version: text(64),
  /** SHA-256 of its certificate, as codes have it. */
  certificate: text(64),
  /** Where it is reached; the one that answered last comes first. */
  hosts: v.pipe(v.array(text(253)), v.maxLength(HOSTS_MAX)),
  port,
  httpPort: port,
  httpsPort: port,
  addedUs: v.pipe(v.number(), v.finite()),
});
const listSchema = v.object({ partners: v.pipe(v.array(partnerSchema), v.maxLength(PARTNERS_MAX)) });

/** A box that this one trusts. */
export type Partner = Readonly<v.InferOutput<typeof partnerSchema>>;

export const PARTNERS_KIND = keptKind({
  name: "partners.json",
  folder: `${PARTNERS_FOLDER}/`,
  says: "which recorders stand by this one, and where they are",
  policy: "refuse",
  damaged:
    "the list of partners is damaged: this recorder trusts none of them; restore the file, or let them join anew",
  copies: 2,
  folderMode: FOLDER_MODE,
  delayMs: SAVE_AFTER_MS,
  schema: listSchema,
});

export interface PartnerListOptions {
  /** The folder of partners. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The partners of a box, kept over a restart. */
export class PartnerList {
  readonly #file: KeptFile<typeof listSchema>;
  readonly #partners = new Map<Guid, Partner>();

  constructor({ directory, clock, log }: PartnerListOptions) {
    this.#file = new KeptFile(PARTNERS_KIND, { directory, clock, log, content: () => this.#content() });
    for (const partner of this.#file.read()?.partners ?? []) this.#partners.set(partner.id, partner);
  }

  get all(): readonly Partner[] {
    return [...this.#partners.values()];
  }

  get isFull(): boolean {
    return this.#partners.size >= PARTNERS_MAX;
  }

  get(id: Guid): Partner | undefined {
    return this.#partners.get(id);
  }

  /** The partner with this certificate; undefined: none. */
  byCertificate(hash: string): Partner | undefined {
    return this.all.find(({ certificate }) => certificate === hash);
  }

  /** Resolves when it is kept. Rejects with the disk's error: then it is not in the list. */
  async add(partner: Partner): Promise<void> {
    this.#partners.set(partner.id, partner);
    try {
      await this.#file.replace(this.#content());
    } catch (error) {
      this.#partners.delete(partner.id);
      throw error;
    }
  }

  /** Resolves when it is kept; what was removed. */
  async remove(id: Guid): Promise<Partner | undefined> {
    const removed = this.#partners.get(id);
    if (removed === undefined) return undefined;
    this.#partners.delete(id);
    await this.#file.replace(this.#content());
    return removed;
  }

  /** What a partner said of itself, or where it was reached. Whether that is new. */
  note(id: Guid, facts: Partial<Omit<Partner, "id" | "certificate" | "addedUs">>): boolean {
    const partner = this.#partners.get(id);
    if (partner === undefined) return false;
    const changed = { ...partner, ...facts };
    if (JSON.stringify(changed) === JSON.stringify(partner)) return false;
    this.#partners.set(id, changed);
    this.#file.changed();
    return true;
  }

  async flush(): Promise<void> {
    await this.#file.flush();
  }

  #content(): Kept<typeof listSchema> {
    return { partners: this.all.map((partner) => ({ ...partner, hosts: [...partner.hosts] })) };
  }
}
