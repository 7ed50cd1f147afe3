import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { MS_PER_SECOND } from "../../base/index.js";

/** Garbage collections of one kind. */
export interface GcFigures {
  readonly kind: string;
  readonly runs: number;
  readonly seconds: number;
}

const KINDS: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weak"],
]);

/** Counts garbage collections from the first request on: each costs an object, which is avoided before that. */
export class GcWatch {
  readonly #counts = new Map([...KINDS.values()].map((kind) => [kind, { runs: 0, milliseconds: 0 }]));
  #observer: PerformanceObserver | undefined;

  read(): readonly GcFigures[] {
    if (this.#observer === undefined) this.#start();
    return [...this.#counts].map(([kind, { runs, milliseconds }]) => ({
      kind,
      runs,
      seconds: milliseconds / MS_PER_SECOND,
    }));
  }

  stop(): void {
    this.#observer?.disconnect();
    this.#observer = undefined;
  }

  #start(): void {
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#count(entry);
    });
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  /** Node's types lack `detail`, which says the kind. */
  #count(entry: PerformanceEntry & { readonly detail?: unknown }): void {
    const { duration, detail } = entry;
    const hasKind = typeof detail === "object" && detail !== null && "kind" in detail;
    const kind = hasKind && typeof detail.kind === "number" ? KINDS.get(detail.kind) : undefined;
    const count = kind === undefined ? undefined : this.#counts.get(kind);
    if (count === undefined) return;
    count.runs += 1;
    count.milliseconds += duration;
  }
}
