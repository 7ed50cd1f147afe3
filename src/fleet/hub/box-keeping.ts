import * as v from "valibot";
import { type Clock, errorText, type Guid, type Log, Semaphore } from "../../base/index.js";
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

  constructor(store: HubStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  async readAll(): Promise<readonly EnrolledBox[]> {
    const names = (await this.#store.names(FOLDER)).slice(0, BOXES_MAX);
    const turns = new Semaphore({ atOnce: READS_AT_ONCE, waitingMax: Number.POSITIVE_INFINITY });
    const ids = names.flatMap((name) => /^hub\/boxes\/(.+)\.json$/.exec(name)?.[1] ?? []);
    const boxes = await Promise.all(ids.map((id) => turns.run(() => this.read(id))));
    return boxes.flatMap((box) => box ?? []);
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
    await this.#store.remove(nameOf(id));
  }

  /** What is seen of boxes is told from hub to hub; the store has it from when something else of them changed. */
  note(): void {
    // See above.
  }

  async flush(): Promise<void> {
    // Nothing waits.
  }
}

function nameOf(id: Guid): string {
  return `${FOLDER}${id}.json`;
}
