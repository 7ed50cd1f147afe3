import { cpus } from "node:os";

/** Processor time since the machine's start, of all processors. */
export interface ProcessorTimes {
  readonly busyMs: number;
  readonly allMs: number;
}

/** Shorter spans say nothing. */
const SPAN_MS = 10_000;

export function processorTimes(): ProcessorTimes {
  const times = cpus().map(({ times: { user, nice, sys, idle, irq } }) => [user + nice + sys + irq, idle]);
  const busyMs = times.reduce((sum, [busy = 0]) => sum + busy, 0);
  return { busyMs, allMs: busyMs + times.reduce((sum, [, idle = 0]) => sum + idle, 0) };
}

/** How busy the processors are of late. */
export class BusyShare {
  readonly #read: () => ProcessorTimes;
  #before: ProcessorTimes | undefined;
  #share: number | undefined;

  constructor(read: () => ProcessorTimes = processorTimes) {
    this.#read = read;
  }

  /** 0 to 1, as it was between the last calls; undefined: not known yet. */
  get share(): number | undefined {
    return this.#share;
  }

  /** Called now and then. */
  look(): void {
    const now = this.#read();
    const before = this.#before;
    if (before === undefined) this.#before = now;
    if (before === undefined || now.allMs - before.allMs < SPAN_MS) return;
    this.#share = (now.busyMs - before.busyMs) / (now.allMs - before.allMs);
    this.#before = now;
  }
}
