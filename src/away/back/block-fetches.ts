import {
  type FarBytes,
  type FarRange,
  type FarSegment,
  isKeyFramesFragment,
  RecordingUnreachable,
  VolumeError,
} from "../../archive/index.js";
import { type Clock, errorText, MS_PER_SECOND, setTimeLimit, US_PER_MS } from "../../base/index.js";
import { plainKey } from "../plan/manifest.js";
import { PatientSender } from "../send/patient-sender.js";
import { SendError, type Sender } from "../send/sender.js";

/** Requests to a target at once, unless somebody says more, */
const AT_ONCE = 4;
/** and of them for what nobody waits for yet. */
const AHEAD_AT_ONCE = 3;
const AHEAD_WAITING_MAX = 64;
const DOUBTED_MAX = 1024;
/** Of the blocks read last; the disk has more. */
const MEMORY_BYTES_MAX = 16 * 1024 * 1024;
/** Who waits is answered within this time: less than a door waits for its first picture. */
const WAIT_MS_MAX = 8 * MS_PER_SECOND;
/** After a failure nobody else waits for the same for so long. */
const DOWN_US = 3 * MS_PER_SECOND * US_PER_MS;
const RETRY_MS = 5 * MS_PER_SECOND;
const RETRY_LASTING_MS = 60 * MS_PER_SECOND;
/** A server may ask for any wait. */
const RETRY_MS_MAX = 600 * MS_PER_SECOND;

export interface BlockFetchesOptions {
  readonly sender: Pick<Sender, "run">;
  /** The target's name, for errors. */
  readonly name: string;
  readonly clock: Clock;
  /** Requests at once; default 4. */
  readonly atOnce?: number;
  /** Where a segment lies, and the beginning of its name in the cache; default: as one recorder has it. */
  readonly placeOf?: (file: FarSegment) => ObjectPlace;
}

export interface ObjectPlace {
  readonly key: string;
  /** Empty, or 16 hexadecimal digits and a dash: ids of segments are unique within one recorder. */
  readonly named: string;
}

interface Fetch {
  readonly name: string;
  readonly work: { readonly key: string; readonly from: number; readonly to: number };
  readonly cancel: AbortController;
  readonly done: Promise<Uint8Array>;
  readonly resolve: (block: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
  /** Those that it is of use to. */
  users: number;
  isWaitedFor: boolean;
  isRunning: boolean;
}

/** Those who wait until somebody leaves, and the one listener for all of them. */
interface Leaving {
  readonly all: Set<() => void>;
  readonly left: () => void;
}

/**
 * Blocks of segments, fetched from a target: each once for all who read it, what is waited for before what will be. Requests are
 * bounded in number and time, and given up with the last of those whom they are for.
 */
export class BlockFetches implements FarBytes {
  readonly #options: BlockFetchesOptions;
  readonly #sender: PatientSender;
  /** The reading that waits, by its abort signal: each signal has one listener, however much waits with it. */
  readonly #leaving = new Map<AbortSignal, Leaving>();
  readonly #kept = new Map<string, Uint8Array>();
  readonly #fetches = new Map<string, Fetch>();
  /** Names of what was found damaged. */
  readonly #doubted = new Set<string>();
  #keptBytes = 0;
  #running = 0;
  #runningAhead = 0;
  #downUntilUs = 0;
  #problem: RecordingUnreachable | undefined;

  constructor(options: BlockFetchesOptions) {
    this.#options = options;
    this.#sender = new PatientSender(options.sender, options.clock);
  }

  /** Why the last fetch failed; undefined if it did not. */
  get problem(): string | undefined {
    return this.#problem?.message;
  }

  async read(file: FarSegment, range: FarRange, signal: AbortSignal): Promise<Uint8Array> {
    const name = this.#nameOf(file, range);
    const kept = this.#kept.get(name);
    if (kept !== undefined) {
      this.#keep(name, kept);
      return kept;
    }
    if (signal.aborted) throw closed();
    if (this.#problem !== undefined && this.#options.clock.monotonicUs() < this.#downUntilUs)
      throw this.#problem;
    const fetch = this.#fetches.get(name) ?? this.#add(file, range);
    fetch.isWaitedFor = true;
    this.#pump();
    return await this.#awaited(fetch, signal);
  }

  ahead(file: FarSegment, range: FarRange, signal: AbortSignal): void {
    const name = this.#nameOf(file, range);
    const isDown = this.#options.clock.monotonicUs() < this.#downUntilUs;
    const known = this.#kept.has(name) || this.#fetches.has(name);
    if (known || isDown || signal.aborted || this.#fetches.size >= AHEAD_WAITING_MAX) return;
    const fetch = this.#add(file, range);
    fetch.users += 1;
    const leave = (): void => this.#leave(fetch);
    const stay = this.#onLeaving(signal, leave);
    fetch.done
      .catch(() => undefined) // whoever needs it asks again, and gets the error
      .finally(stay);
    this.#pump();
  }

  doubt(file: FarSegment, range: FarRange): void {
    const name = this.#nameOf(file, range);
    this.#keptBytes -= this.#kept.get(name)?.length ?? 0;
    this.#kept.delete(name);
    this.#doubted.add(name);
    const [oldest] = this.#doubted;
    if (this.#doubted.size > DOUBTED_MAX && oldest !== undefined) this.#doubted.delete(oldest);
  }

  async #awaited(fetch: Fetch, signal: AbortSignal): Promise<Uint8Array> {
    const { clock } = this.#options;
    fetch.users += 1;
    let giveUp: (error: unknown) => void = () => undefined;
    const given = new Promise<never>((_, reject) => {
      giveUp = reject;
    });
    const timer = setTimeLimit(clock, () => giveUp(this.#failed(SILENT, RETRY_MS)), WAIT_MS_MAX);
    const leave = (): void => giveUp(closed());
    const stay = this.#onLeaving(signal, leave);
    try {
      return await Promise.race([fetch.done, given]);
    } finally {
      timer.clear();
      stay();
      this.#leave(fetch);
    }
  }

  /** Calls `leave` once `signal` is aborted, unless the function that is returned is called before. */
  #onLeaving(signal: AbortSignal, leave: () => void): () => void {
    const leaving = this.#leaving.get(signal) ?? this.#listen(signal);
    leaving.all.add(leave);
    return () => {
      leaving.all.delete(leave);
      if (leaving.all.size > 0 || this.#leaving.get(signal) !== leaving) return;
      this.#leaving.delete(signal);
      signal.removeEventListener("abort", leaving.left);
    };
  }

  #listen(signal: AbortSignal): Leaving {
    const all = new Set<() => void>();
    const left = (): void => {
      this.#leaving.delete(signal);
      for (const leave of [...all]) leave();
    };
    const leaving = { all, left };
    this.#leaving.set(signal, leaving);
    signal.addEventListener("abort", left, { once: true });
    return leaving;
  }

  #leave(fetch: Fetch): void {
    fetch.users -= 1;
    if (fetch.users > 0 || this.#fetches.get(fetch.name) !== fetch) return;
    this.#fetches.delete(fetch.name);
    fetch.cancel.abort();
    fetch.reject(closed());
  }

  #add(file: FarSegment, range: FarRange): Fetch {
    const name = this.#nameOf(file, range);
    let resolve: Fetch["resolve"] = () => undefined;
    let reject: Fetch["reject"] = () => undefined;
    const done = new Promise<Uint8Array>((kept, failed) => {
      resolve = kept;
      reject = failed;
    });
    done.catch(() => undefined); // each who waits gets the error
    const fetch: Fetch = {
      ...{ name, done, resolve, reject, users: 0, isWaitedFor: false, isRunning: false },
      work: { key: this.#placeOf(file).key, ...range },
      cancel: new AbortController(),
    };
    this.#fetches.set(name, fetch);
    return fetch;
  }

  #placeOf(file: FarSegment): ObjectPlace {
    return this.#options.placeOf?.(file) ?? { key: plainKey(file), named: "" };
  }

  #nameOf(file: FarSegment, range: FarRange): string {
    return this.#placeOf(file).named + nameOf(file, range);
  }

  #pump(): void {
    while (this.#running < (this.#options.atOnce ?? AT_ONCE)) {
      const waiting = [...this.#fetches.values()].filter(({ isRunning }) => !isRunning);
      const next = waiting.find(({ isWaitedFor }) => isWaitedFor) ?? waiting[0];
      if (next === undefined || (!next.isWaitedFor && this.#runningAhead >= AHEAD_AT_ONCE)) return;
      void this.#run(next);
    }
  }

  async #run(fetch: Fetch): Promise<void> {
    const isAhead = !fetch.isWaitedFor;
    fetch.isRunning = true;
    this.#running += 1;
    this.#runningAhead += Number(isAhead);
    try {
      const { name, work, cancel } = fetch;
      const anew = this.#doubted.has(name);
      const block = await this.#sender.run({ op: "block", name, ...work, anew }, undefined, cancel.signal);
      if (anew) this.#doubted.delete(name);
      this.#problem = undefined;
      this.#downUntilUs = 0;
      this.#keep(fetch.name, block);
      fetch.resolve(block);
    } catch (error) {
      fetch.reject(fetch.cancel.signal.aborted ? closed() : this.#failureOf(error));
    } finally {
      this.#running -= 1;
      this.#runningAhead -= Number(isAhead);
      if (this.#fetches.get(fetch.name) === fetch) this.#fetches.delete(fetch.name);
      this.#pump();
    }
  }

  #failureOf(error: unknown): Error {
    if (error instanceof SendError && error.fault === "not-found")
      return new VolumeError("ENOENT", `it is not at ${this.#options.name} any more`);
    const { isLasting, retryAfterMs } =
      error instanceof SendError ? error : { isLasting: false, retryAfterMs: undefined };
    const waitMs = retryAfterMs ?? (isLasting ? RETRY_LASTING_MS : RETRY_MS);
    const boundedMs = Math.min(waitMs, RETRY_MS_MAX);
    const isSealed = error instanceof SendError && error.fault === "sealed";
    return isSealed ? this.#sealed(errorText(error), boundedMs) : this.#failed(errorText(error), boundedMs);
  }

  /** One recording that cannot be decrypted says nothing of the link. */
  #sealed(reason: string, retryAfterMs: number): RecordingUnreachable {
    const text = `the recording lies off the box at ${this.#options.name} and cannot be read: ${reason}`;
    // The reason says what helps; to wait does not.
    this.#problem = new RecordingUnreachable(text, { retryAfterMs, hint: "" });
    this.#downUntilUs = 0;
    return this.#problem;
  }

  #failed(reason: string, retryAfterMs: number): RecordingUnreachable {
    const { name, clock } = this.#options;
    const text = `the recording lies off the box at ${name} and cannot be fetched now: ${reason}`;
    this.#problem = new RecordingUnreachable(text, { retryAfterMs });
    this.#downUntilUs = clock.monotonicUs() + DOWN_US;
    return this.#problem;
  }

  #keep(name: string, block: Uint8Array): void {
    this.#keptBytes += block.length - (this.#kept.get(name)?.length ?? 0);
    this.#kept.delete(name);
    this.#kept.set(name, block);
    for (const [old, { length }] of this.#kept) {
      if (this.#keptBytes <= MEMORY_BYTES_MAX) return;
      this.#kept.delete(old);
      this.#keptBytes -= length;
    }
  }
}

const SILENT = "nothing came for 8 s";

function closed(): VolumeError {
  return new VolumeError("CLOSED", "nobody reads it any more");
}

/** As its file in the cache is named. Key frames alone are other bytes at the same places. */
function nameOf({ segmentId, fragmentId }: FarSegment, { from, to }: FarRange): string {
  const kind = isKeyFramesFragment(fragmentId) ? "k" : "";
  return `${segmentId.toString(16).padStart(14, "0")}-${kind}${from}-${to}`;
}
