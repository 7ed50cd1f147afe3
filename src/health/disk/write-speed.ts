import { BITS_PER_BYTE } from "../../base/index.js";

/** How far back the speed looks. */
export const WRITE_SPEED_WINDOW_US = 120_000_000;

/** A counter of one volume: bytes written since its threads began, so that it falls to 0 when they begin anew. */
interface WrittenBytes {
  readonly directory: string;
  readonly writtenBytes: number;
}

/** Megabits (10^6) a second that all volumes together wrote of late: an average over the last two minutes. */
export class WriteSpeed {
  /** The volumes' counters as last seen. */
  readonly #seen = new Map<string, number>();
  /** Bytes since the first look, by time, oldest first; one a look within the window. */
  readonly #samples: { readonly atUs: number; readonly bytes: number }[] = [];
  #bytes = 0;

  /** Takes the counters of this moment. */
  note(volumes: readonly WrittenBytes[], nowUs: number): void {
    for (const { directory, writtenBytes } of volumes) {
      const before = this.#seen.get(directory) ?? writtenBytes;
      this.#bytes += writtenBytes >= before ? writtenBytes - before : writtenBytes;
      this.#seen.set(directory, writtenBytes);
    }
    this.#samples.push({ atUs: nowUs, bytes: this.#bytes });
    while (this.#samples.length > 2 && nowUs - (this.#samples[0]?.atUs ?? nowUs) > WRITE_SPEED_WINDOW_US)
      this.#samples.shift();
  }

  /** Undefined until two looks were taken. Bits a microsecond are megabits a second. */
  get megabitsPerSecond(): number | undefined {
    const first = this.#samples.at(0);
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.atUs <= first.atUs) return undefined;
    return ((last.bytes - first.bytes) * BITS_PER_BYTE) / (last.atUs - first.atUs);
  }
}
