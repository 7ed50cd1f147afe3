import { mkdir } from "node:fs/promises";
import {
  builtScript,
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Language,
  type Log,
  NvrdError,
} from "../base/index.js";
import {
  inspectDatabase,
  noteClosed,
  noteOpening,
  noteSettled,
  openWhenPossible,
  setAside,
} from "../kept/lmdb/index.js";
import { EventEnvironment, type EventEnvironmentOptions } from "./event-environment.js";
import { EventStore, type EventStoreOptions } from "./event-store.js";

/** A log that was open for this long counts as sound. */
const SETTLED_MS = 3000;
/** Events may contain faces and plates, so only the service's user may read them. */
const DIRECTORY_MODE = 0o700;

export interface EventLogOpenerOptions extends EventEnvironmentOptions {
  /** The kernel's id of this boot. */
  readonly bootId: Guid;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly seriesMax?: number;
  readonly language?: () => Language;
  /** Called when a damaged log was moved aside. */
  readonly onLost: (reason: string) => void;
}

/**
 * Opens the event log: a child process reads it first, a damaged one is moved aside, and opening is retried when the disk fails.
 */
export class EventLogOpener {
  readonly #options: EventLogOpenerOptions;
  #settling: ClockTimer | undefined;

  constructor(options: EventLogOpenerOptions) {
    this.#options = options;
  }

  /** Resolves with the open store; undefined when stopped before. Rejects with FORMAT_NEWER only. */
  open(): Promise<EventStore | undefined> {
    const { clock, signal, log, directory } = this.#options;
    const onRefused = (error: unknown, isFirst: boolean): void => {
      const line = { directory, error: errorText(error) };
      if (isFirst) log.error(line, "the event log cannot be opened: retrying");
    };
    return openWhenPossible({ attempt: () => this.#try(), onRefused, clock, signal });
  }

  /** Stores that the log was closed normally, and what it is if all that was read of it was whole. */
  async closed(isWhole: boolean): Promise<void> {
    const { directory, log } = this.#options;
    this.#settling?.clear();
    await noteSettled(directory);
    if (isWhole) await noteClosed(directory, log);
  }

  async #try(): Promise<EventStore | undefined> {
    const { directory, bootId, clock, signal, log, onLost } = this.#options;
    await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
    const walkScript = builtScript(import.meta.url, "event-walk");
    const found = await inspectDatabase({ directory, walkScript, bootId, clock, signal });
    if (signal.aborted) return undefined;
    if (found.state === "newer")
      throw new NvrdError("FORMAT_NEWER", `the event log ${directory} is of a newer nvrd`);
    if (found.state === "unavailable") throw new NvrdError("NOT_AVAILABLE", found.reason);
    if (found.state === "bad") {
      log.error({ directory, reason: found.reason }, "the event log is damaged; a new one is created");
      await setAside(directory, clock, log);
      await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
      onLost(found.reason);
    }
    await noteOpening(directory, bootId);
    const environment = new EventEnvironment(this.#options);
    const store = await openStore(environment, this.#options);
    this.#settling = clock.setTimeout(() => {
      noteSettled(directory).catch((error: unknown) => {
        log.warn({ error: errorText(error) }, "cannot record that the event log is intact");
      });
    }, SETTLED_MS);
    return store;
  }
}

async function openStore(environment: EventEnvironment, options: EventStoreOptions): Promise<EventStore> {
  try {
    return new EventStore(environment, options);
  } catch (error) {
    await environment.close();
    throw error;
  }
}
