import * as v from "valibot";
import { type Clock, errorText, type Guid, type Log, Semaphore, US_PER_HOUR } from "../../base/index.js";
import { GUID_PATTERN } from "../../contract/reading/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";
import type { HubStore } from "./hub-store.js";

/** Boxes of one hub. */
export const BOXES_MAX = 2000;
const FOLDER_MODE = 0o700;
/** When a box was seen is written at the latest after this. */
const SAVE_AFTER_MS = 30_000;
/** A box has a certificate, and the one before until it uses the new one. */
const CERTIFICATES_MAX = 2;

const text = (lengthMax: number) => v.pipe(v.string(), v.maxLength(lengthMax));
const time = v.pipe(v.number(), v.finite());
const degrees = v.pipe(v.number(), v.minValue(-180), v.maxValue(180));

const boxSchema = v.object({
  id: v.pipe(v.string(), v.regex(new RegExp(GUID_PATTERN))),
  name: text(128),
  version: text(64),
  addedUs: time,
  /** When the hub heard of it last; 0: never. */
  seenUs: time,
  /** SHA-256 of the certificates that it may come with, as codes have it; the newest last. */
  certificates: v.pipe(v.array(text(64)), v.maxLength(CERTIFICATES_MAX)),
  /** Where it is, as somebody has said at the hub; absent: where its cameras are. */
  position: v.optional(v.object({ latitude: degrees, longitude: degrees })),
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

/** Where the list of a hub's boxes is kept. */
export interface BoxKeeping {
  /** Rejects where it is not known. */
  readAll(): Promise<readonly EnrolledBox[]>;
  /** A box as it is kept now; undefined: it is not. Absent where nobody else writes. */
  readonly read?: (id: Guid) => Promise<EnrolledBox | undefined>;
  /** Resolves when it is kept. Rejects where it is not. */
  write(box: EnrolledBox): Promise<void>;
  remove(id: Guid): Promise<void>;
  /** What was heard of it has changed: it is kept before long. */
  note(box: EnrolledBox): void;
  flush(): Promise<void>;
}

/** In a file of the data directory, all of them. */
export class FileKeeping implements BoxKeeping {
  readonly #file: KeptFile<typeof listSchema>;

  /** `all`: what is to be kept. */
  constructor(
    all: () => readonly EnrolledBox[],
    options: { readonly directory: string; readonly clock: Clock; readonly log: Log },
  ) {
    const content = () => ({ boxes: all().map((box) => ({ ...box, certificates: [...box.certificates] })) });
    this.#file = new KeptFile(HUB_BOXES_KIND, { ...options, content });
    this.#write = () => this.#file.replace(content());
  }

  readonly #write: () => Promise<void>;

  readAll(): Promise<readonly EnrolledBox[]> {
    return Promise.resolve(this.#file.read()?.boxes ?? []);
  }

  async write(): Promise<void> {
    await this.#write();
  }

  async remove(): Promise<void> {
    await this.#write();
  }

  note(): void {
    this.#file.changed();
  }

  async flush(): Promise<void> {
    await this.#file.flush();
  }
}

const FOLDER = "hub/boxes/";
const READS_AT_ONCE = 16;

/** In a store that several hubs have together: a document a box, so that no hub writes over what another one has written. */
export class StoreKeeping implements BoxKeeping {
  readonly #store: HubStore;
  readonly #log: Log;
  /** What this hub has written of boxes that it has seen. */
  readonly #written = new Map<Guid, SeenBox>();
  #writing: Promise<void> = Promise.resolve();

  constructor(store: HubStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  async readAll(): Promise<readonly EnrolledBox[]> {
    const names = (await this.#store.names(FOLDER)).slice(0, BOXES_MAX);
    const turns = new Semaphore({ atOnce: READS_AT_ONCE, waitingMax: Number.POSITIVE_INFINITY });
    const ids = names.flatMap((name) => /^hub\/boxes\/(.+)\.json$/.exec(name)?.[1] ?? []);
    const seen = new Set(await this.#store.names(SEEN_FOLDER));
    const one = async (id: Guid): Promise<readonly EnrolledBox[]> => {
      const box = await this.read(id);
      if (box === undefined) return [];
      return [{ ...box, ...(seen.has(seenName(id)) ? await this.#seenOf(id) : {}) }];
    };
    return (await Promise.all(ids.map((id) => turns.run(() => one(id))))).flat();
  }

  /** What a hub has seen of it; nothing where that cannot be read: it comes again. */
  async #seenOf(id: Guid): Promise<Partial<SeenBox>> {
    const read = v.safeParse(
      v.pipe(v.string(), v.parseJson(), seenSchema),
      await this.#store.read(seenName(id)),
    );
    return read.success ? read.output : {};
  }

  /** One that is damaged is none: its box is not let in. */
  readonly read = async (id: Guid): Promise<EnrolledBox | undefined> => {
    const said = await this.#store.read(nameOf(id));
    if (said === undefined) return undefined;
    try {
      const box = v.parse(boxSchema, JSON.parse(said));
      if (box.id !== id) throw new TypeError("it is of another recorder");
      return box;
    } catch (error) {
      this.#log.error(
        { box: id, reason: errorText(error) },
        "what the store says of a recorder of this hub is damaged: it is not let in",
      );
      return undefined;
    }
  };

  async write(box: EnrolledBox): Promise<void> {
    await this.#store.write(nameOf(box.id), JSON.stringify(box));
  }

  async remove(id: Guid): Promise<void> {
    await this.#store.remove(seenName(id));
    await this.#store.remove(nameOf(id));
    this.#written.delete(id);
  }

  /**
   * In a document of its own, because the other one lets the box in, and may be another hub's by now. Its time is written now and then:
   * hubs that are there say it to each other.
   */
  note({ id, name, version, seenUs }: EnrolledBox): void {
    const known = this.#written.get(id);
    const isLate = known === undefined || seenUs - known.seenUs > SEEN_AGAIN_US;
    if (!isLate && known.name === name && known.version === version) return;
    const seen = { name, version, seenUs };
    this.#written.set(id, seen);
    this.#writing = this.#writing.then(async () => {
      try {
        await this.#store.write(seenName(id), JSON.stringify(seen));
      } catch (error) {
        this.#log.debug({ box: id, reason: errorText(error) }, "when a recorder was seen is not kept");
      }
    });
  }

  async flush(): Promise<void> {
    await this.#writing;
  }
}

const SEEN_FOLDER = "hub/seen/";
/** When a box was seen is written anew after this. */
const SEEN_AGAIN_US = 6 * US_PER_HOUR;

const seenSchema = v.pick(boxSchema, ["name", "version", "seenUs"]);
type SeenBox = Readonly<v.InferOutput<typeof seenSchema>>;

function seenName(id: Guid): string {
  return `${SEEN_FOLDER}${id}.json`;
}

function nameOf(id: Guid): string {
  return `${FOLDER}${id}.json`;
}
