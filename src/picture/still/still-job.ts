import { NvrdError } from "../../base/index.js";
import {
  type Still,
  type StillMaterial,
  type StillSize,
  type StillSource,
  stillSizeText,
} from "./still-types.js";

/** Most sizes made from one decoding. */
export const SIZES_PER_JOB_MAX = 4;
/** A larger picture is made alone: several would take too much memory. */
export const SHARED_SIDE_MAX = 1280;

/** One request's share of the work. */
export interface StillShare {
  readonly still: Promise<Still>;
  /** Cancels the request. Work that nobody waits for ends. Calling it late or twice is harmless. */
  cancel(): void;
}

interface Waiter {
  readonly resolve: (still: Still) => void;
  readonly reject: (error: unknown) => void;
}

interface WantedSize {
  readonly size: StillSize;
  readonly waiters: Set<Waiter>;
}

export interface StillJobOptions {
  readonly key: string;
  readonly source: StillSource;
  /** Called once, if all requests were cancelled before the work was done. */
  readonly onAbandoned: () => void;
}

/** The work on one frame: the requested sizes, and who waits for each. */
export class StillJob {
  readonly key: string;
  readonly source: StillSource;
  /** The result of `prepare`. */
  prepared: StillMaterial | undefined;
  readonly #options: StillJobOptions;
  readonly #abort = new AbortController();
  readonly #sizes = new Map<string, WantedSize>();
  #sealed = false;

  constructor(options: StillJobOptions) {
    this.#options = options;
    this.key = options.key;
    this.source = options.source;
  }

  /** Aborted when nobody waits any longer. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Joins the job; undefined if it does not make this size and accepts no further one. */
  join(size: StillSize): StillShare | undefined {
    if (this.signal.aborted) return undefined;
    const text = stillSizeText(size);
    const wanted = this.#sizes.get(text) ?? this.#add(text, size);
    if (wanted === undefined) return undefined;
    let cancel = (): void => undefined;
    const still = new Promise<Still>((resolve, reject) => {
      const waiter: Waiter = { resolve, reject };
      wanted.waiters.add(waiter);
      cancel = () => {
        if (!wanted.waiters.delete(waiter)) return;
        reject(new NvrdError("NOT_AVAILABLE", "the request was given up"));
        this.#leave(text, wanted);
      };
    });
    // A cancelled request does not handle the rejection, which must not count as unhandled.
    still.catch(() => undefined);
    return { still, cancel };
  }

  /** The sizes to make; no further one is accepted from now on. */
  seal(): readonly StillSize[] {
    this.#sealed = true;
    return [...this.#sizes.values()].map((wanted) => wanted.size);
  }

  /** Removes and returns what was prepared. */
  takePrepared(): StillMaterial | undefined {
    const { prepared } = this;
    this.prepared = undefined;
    return prepared;
  }

  /** `stills` in the order of `seal`. */
  finish(stills: readonly Still[]): void {
    for (const [index, wanted] of [...this.#sizes.values()].entries()) {
      const still = stills[index];
      for (const waiter of wanted.waiters) {
        if (still === undefined) waiter.reject(new NvrdError("INTERNAL", "a size was not made"));
        else waiter.resolve(still);
      }
      wanted.waiters.clear();
    }
  }

  fail(error: unknown): void {
    for (const { waiters } of this.#sizes.values()) {
      for (const waiter of waiters) waiter.reject(error);
      waiters.clear();
    }
  }

  #add(text: string, size: StillSize): WantedSize | undefined {
    const isFirst = this.#sizes.size === 0;
    const isFull = this.#sealed || this.#sizes.size >= SIZES_PER_JOB_MAX;
    const isAlone = isLarge(size) || [...this.#sizes.values()].some((wanted) => isLarge(wanted.size));
    if (!isFirst && (isFull || isAlone)) return undefined;
    const wanted: WantedSize = { size, waiters: new Set() };
    this.#sizes.set(text, wanted);
    return wanted;
  }

  #leave(text: string, wanted: WantedSize): void {
    if (wanted.waiters.size === 0 && !this.#sealed) this.#sizes.delete(text);
    if ([...this.#sizes.values()].some(({ waiters }) => waiters.size > 0)) return;
    this.#abort.abort();
    this.#options.onAbandoned();
  }
}

function isLarge({ width, height }: StillSize): boolean {
  const side = Math.max(width ?? 0, height ?? 0);
  return side === 0 || side > SHARED_SIDE_MAX;
}
