import { stat } from "node:fs/promises";
import * as v from "valibot";
import { type Log, NvrdError } from "../../base/index.js";
import { UPDATE_PHASES } from "../../contract/answer/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";

/** Its name in the update directory. */
export const JOURNAL_FILE = "state.json";
const TEXT_LENGTH_MAX = 500;
/** The most cameras of a recorder, and more volumes than it can have. */
const LIST_MAX = 1024;
const DIRECTORY_MODE = 0o755;
/** Everybody may read it; only root writes it. */
const JOURNAL_MODE = 0o644;

const shortText = v.pipe(v.string(), v.maxLength(TEXT_LENGTH_MAX));
const guids = v.pipe(v.array(v.pipe(v.string(), v.uuid())), v.maxLength(LIST_MAX), v.readonly());

export const recorderBefore = v.object({ channels: guids, volumes: guids });

const boxSchema = v.object({ slot: shortText, compatible: shortText, version: shortText });

const updateSchema = v.object({
  id: v.pipe(v.string(), v.uuid()),
  phase: v.picklist(UPDATE_PHASES),
  fromVersion: shortText,
  toVersion: shortText,
  fromSlot: shortText,
  toSlot: shortText,
  message: shortText,
  percent: v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(100))),
  sinceUs: v.pipe(v.number(), v.safeInteger()),
  /** Attempts at its installation: limited, so that an installation that crashes the box is not repeated for ever. */
  attempts: v.pipe(v.number(), v.integer(), v.minValue(0)),
  before: recorderBefore,
});

const journalSchema = v.object({ box: v.nullable(boxSchema), update: v.nullable(updateSchema) });

/** In the update directory. A newer version's may have other phases: then there is nothing to continue. */
export const JOURNAL_KIND = keptKind({
  name: JOURNAL_FILE,
  folder: "update directory: ",
  says: "how far an update is; written by root's units",
  policy: "forget",
  damaged: "the journal of updates cannot be read: it counts as empty",
  severity: "warn",
  schema: journalSchema,
  mode: JOURNAL_MODE,
  folderMode: DIRECTORY_MODE,
});

/** The box's state since its last boot. */
export type BoxFacts = v.InferOutput<typeof boxSchema>;
/** One update, from its handover to its end. */
export type UpdateRecord = v.InferOutput<typeof updateSchema>;

export interface JournalContents {
  readonly box: BoxFacts | null;
  readonly update: UpdateRecord | null;
}

const EMPTY: JournalContents = { box: null, update: null };

/** The progress of an update across restarts. Root's units write it, the service reads it. */
export interface Journal {
  /** Its contents; empty if it is missing or damaged. */
  read(): JournalContents;
  /** Replaces it. Durable when it resolves. */
  write(contents: JournalContents): Promise<void>;
}

/** The journal as a file: after a power cut it has either the old or the new contents. */
export class JournalFile implements Journal {
  readonly #file: KeptFile<typeof journalSchema>;
  readonly #log: Log;
  /** The last reason logged: it is read every two seconds. */
  #loggedReason: string | undefined;

  constructor({ directory, log }: { readonly directory: string; readonly log: Log }) {
    this.#file = new KeptFile(JOURNAL_KIND, { directory, log });
    this.#log = log;
  }

  read(): JournalContents {
    const [{ value = EMPTY, fault: reason } = {}] = this.#file.copies();
    if (reason !== undefined && reason !== this.#loggedReason)
      this.#log.warn({ file: this.#file.path, reason }, JOURNAL_KIND.options.damaged);
    this.#loggedReason = reason;
    return value;
  }

  async write({ box, update }: JournalContents): Promise<void> {
    await this.#file.replace(v.parse(journalSchema, { box, update }));
  }
}

/** Shortens a text to fit the journal. */
export function journalText(value: string): string {
  return value.length <= TEXT_LENGTH_MAX ? value : `${value.slice(0, TEXT_LENGTH_MAX - 1)}…`;
}

/** Throws NvrdError NOT_SUPPORTED without an update directory, which only an image has. */
export async function requireUpdateDirectory(directory: string | undefined): Promise<string> {
  const isThere =
    directory !== undefined &&
    (await stat(directory).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  if (directory === undefined || !isThere) throw notSupported();
  return directory;
}

/** The error for a recorder that was not installed as an image. */
export function notSupported(): NvrdError {
  return new NvrdError("NOT_SUPPORTED", "this recorder has no second slot to install an update into", {
    hint: "install the new version's package (apt install ./nvrd_….deb), or write an image: docs/guide/update.md",
  });
}
