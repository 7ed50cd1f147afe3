import { reservedFiles } from "../segment/volume-room.js";
import type { VolumeSpace } from "../segment/volume-space.js";

/** Room kept beyond the reserve, as a multiple of the files that come between two turns. */
const HEADROOM_FACTOR = 1.5;
/** But no more than this share of all: recordings should be kept. */
const HEADROOM_SHARE_MAX = 1 / 8;
const GROWTH_DECAY = 0.9;
/** Files removed in a turn for a disk that refuses new ones although it counts enough free. */
const REFUSED_FILES = 16;
/** After so many such turns in a row removing does not help: something else refuses them. */
const REFUSED_TURNS_MAX = 5;

export interface FileUse {
  readonly space: Pick<VolumeSpace, "files">;
  /** Files since the start that the disk has refused to create for want of room. */
  readonly refused: number;
  /** It is short of bytes, and refuses files for that. */
  readonly lacksBytes: boolean;
}

/** Counts a volume's free inodes as `VolumeGrowth` counts its bytes: short segments use up the one before the other. */
export class FileExcess {
  #usedFiles: number | undefined;
  /** Files that come between two turns. */
  #growthFiles = 0;
  #refused = 0;
  #refusedTurns = 0;

  /** Files that must be removed for those of the next turn to find room. */
  files({ space: { files }, refused, lacksBytes }: FileUse): number {
    const wanted = this.#forRefused(refused, lacksBytes);
    if (files === undefined) return wanted;
    const usedFiles = files.total - files.free;
    const grown = Math.max(0, usedFiles - (this.#usedFiles ?? usedFiles));
    this.#usedFiles = usedFiles;
    this.#growthFiles = Math.max(grown, this.#growthFiles * GROWTH_DECAY);
    const headroom = Math.min(this.#growthFiles * HEADROOM_FACTOR, files.total * HEADROOM_SHARE_MAX);
    const excess = Math.ceil(reservedFiles(files.total) + headroom - files.free);
    return Math.max(0, excess, wanted);
  }

  /** The disk refuses files for another reason than those it holds: removing more would only lose recordings. */
  get isHopeless(): boolean {
    return this.#refusedTurns > REFUSED_TURNS_MAX;
  }

  /** So many of them were removed. */
  settle(removedFiles: number): void {
    if (this.#usedFiles !== undefined) this.#usedFiles -= removedFiles;
  }

  /** What a disk refuses is believed before what it counts: quotas and full directories have no count. */
  #forRefused(refused: number, lacksBytes: boolean): number {
    const isRefusing = refused > this.#refused && !lacksBytes;
    this.#refused = refused;
    this.#refusedTurns = isRefusing ? this.#refusedTurns + 1 : 0;
    return isRefusing && this.#refusedTurns <= REFUSED_TURNS_MAX ? REFUSED_FILES : 0;
  }
}
