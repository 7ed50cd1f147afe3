import type { Disk } from "../../../src/archive/disk/disk.js";

/** What a call does instead of its work. */
export type Fault =
  /** Fails with an errno name; a sync that fails loses pages. */
  | { readonly code: "EIO" | "ENOSPC" }
  /** Writes or reads no more than so many bytes. */
  | { readonly shortBytes: number }
  /** A sync that says it is done and has done nothing. */
  | { readonly lies: true };

/** A call on the disk, before it is done. */
export interface DiskCall {
  readonly name: keyof Disk;
  readonly path: string;
  /** Calls before it, on all disks that share the supply. */
  readonly number: number;
}

/** What disks of one machine share: the calls are counted, and at one of them the power or the process goes. */
export class PowerSupply {
  #calls = 0;
  /** No call from this number on is done. */
  cutAt = Number.POSITIVE_INFINITY;

  get calls(): number {
    return this.#calls;
  }

  get isOff(): boolean {
    return this.#calls > this.cutAt;
  }

  count(): number {
    this.#calls += 1;
    return this.#calls - 1;
  }
}
