/**
 * The messages between a volume's main side and its three threads. One write message per tick carries all
 * streams' frames: packed numbers and small bytes in a shared batch, the payload itself in slabs.
 */

import type { SegmentProgress } from "../segment/segment-format.js";
import type { OpenedSegment, ReadResult } from "../segment/segment-reading.js";
import type { VolumeSpace } from "../segment/volume-space.js";
import type { RecoveryOutcome } from "./recovery.js";

/** Bytes of a batch: its numbers first, then its scratch memory. */
export const BATCH_NUMBERS_BYTES = 256 * 1024;
export const BATCH_SCRATCH_BYTES = 768 * 1024;
export const BATCH_BYTES = BATCH_NUMBERS_BYTES + BATCH_SCRATCH_BYTES;
export const BATCH_NUMBERS_MAX = BATCH_NUMBERS_BYTES / 8;

/*
 * Numbers of a batch: runs one after the other:
 *   run:    slot, position in the file, records
 *   record: offset of its header in scratch (RAW: no header), ranges
 *   range:  slab id (SCRATCH_SLAB: scratch memory), offset, length
 */
export const RAW = -1;
export const SCRATCH_SLAB = 0;

/** Shared memory that a writer thread knows by an id from then on. */
export interface SlabMemory {
  readonly id: number;
  readonly memory: SharedArrayBuffer;
}

export type WriterMessage =
  | { readonly op: "batch"; readonly index: number; readonly memory: SharedArrayBuffer }
  | {
      readonly op: "open";
      readonly slot: number;
      /** Path under the volume's directory. */
      readonly path: string;
      readonly header: Uint8Array;
      readonly crcSeed: number;
      readonly preallocateBytes: number;
    }
  | {
      readonly op: "write";
      readonly batch: number;
      readonly numbers: number;
      readonly slabs: readonly SlabMemory[];
      /** Forget all slabs known before these. */
      readonly forgetSlabs: boolean;
    }
  /** Nothing more is written to the segment. */
  | { readonly op: "release"; readonly slot: number }
  /** Where the volume lies: from now on nothing is created elsewhere. */
  | { readonly op: "pin"; readonly place: VolumePlace };

/** What the sync thread needs to know of a segment. */
export interface SyncFile {
  readonly slot: number;
  /** Path under the volume's directory. */
  readonly path: string;
  /** Bytes that the writer thread has confirmed. */
  readonly bytes: number;
}

export type SyncerMessage =
  /** Where the volume lies: from now on nothing is created elsewhere. */
  | { readonly op: "pin"; readonly place: VolumePlace }
  | { readonly op: "sync"; readonly files: readonly SyncFile[] }
  /** Cuts the file to its bytes, makes it durable and releases it. */
  | ({ readonly op: "close" } & SyncFile)
  | { readonly op: "abandon"; readonly slot: number }
  | { readonly op: "rename"; readonly id: number; readonly files: readonly { from: string; to: string }[] };

export interface SlotError {
  readonly slot: number;
  readonly code: string;
  readonly message: string;
  /** The file could not be created: its name takes an inode, where a write takes blocks. */
  readonly isCreation?: true;
}

/** A thread's first message: its program is loaded and it accepts messages. */
export interface ThreadStarted {
  readonly op: "started";
}

export type WriterAnswer =
  | { readonly op: "written"; readonly batch: number; readonly errors: readonly SlotError[] | undefined }
  | { readonly op: "note"; readonly message: string }
  | ThreadStarted;

export type SyncerAnswer =
  | {
      readonly op: "synced";
      readonly slots: readonly number[];
      readonly errors: readonly SlotError[];
      /** False while more files of the same request are to come. */
      readonly last: boolean;
    }
  | { readonly op: "closed"; readonly slot: number; readonly error: SlotError | undefined }
  | { readonly op: "note"; readonly message: string }
  | ThreadStarted
  | ThreadReply;

export type ReaderAnswer = ThreadStarted | ThreadReply;

/** Answer to a message that carries an `id`. */
export interface ThreadReply {
  readonly op: "reply";
  readonly id: number;
  readonly value?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

/** How much of a disk stays free: the lesser of an amount and a share. */
export interface VolumeReserve {
  readonly bytes: number;
  readonly percent: number;
}

export interface IdentifyRequest {
  /** The volume id this path is known by; undefined for a path never seen. */
  readonly knownId: string | undefined;
  /** The id for a new volume, or for one created just before a crash; undefined if none may be created. */
  readonly freshId: string | undefined;
  /** Ids of the recorder's volumes at other paths: one of them has moved here. */
  readonly ownIds: readonly string[];
  /** Ids of volumes that belonged to the recorder once: one of them has come back. */
  readonly returningIds?: readonly string[];
  /** Ids of volumes that were given up by hand, and were not away since. */
  readonly givenUpIds?: readonly string[];
  /** Whether an unknown volume is accepted as found. */
  readonly takesUnknown: boolean;
  /** Whether the directory has to be a mount point. */
  readonly mustBeMounted: boolean;
  /** Whether it was one when the volume was last opened. */
  readonly wasMounted: boolean;
  /** What stays free: a volume is not made where nothing would be left for recordings. */
  readonly reserve?: VolumeReserve | undefined;
  /** Whether a test write is made to the disk. */
  readonly probes: boolean;
  readonly nowUs: number;
}

/** Identifies a volume's file system: another one may be mounted at its directory later. */
export interface VolumePlace {
  /** The file system it lies on, st_dev. The kernel gives the number to another disk when this one is away. */
  readonly device: number;
  /**
   * When its identity file was written, milliseconds as `Stats.mtimeMs` has them: the quick look. Where it is another time, what the file
   * says counts: somebody may have touched it, or put it back.
   */
  readonly identityMs: number;
  /** What the file says. */
  readonly volumeId: string;
}

export interface IdentifyResult {
  readonly volumeId: string;
  readonly created: boolean;
  /** Its file was damaged or gone, and was written again as its segments say. */
  readonly identityWasLost: boolean;
  /** Segment files of `open/` as they were before anything was written. */
  readonly openFiles: readonly string[];
  readonly space: VolumeSpace;
  readonly place: VolumePlace;
  readonly mounted: boolean;
}

/** Most bytes a reader takes in one read, frames longer than that excepted. */
export const READ_CHUNK_BYTES = 256 * 1024;

export type ReaderRequest =
  /** Takes the directory as a volume: nothing is removed or repaired elsewhere from now on. */
  | { readonly op: "identify"; readonly request: IdentifyRequest }
  | {
      readonly op: "open-segment";
      readonly handle: number;
      readonly paths: readonly string[];
      /** What is read stays in the page cache. */
      readonly leavesCache?: boolean;
    }
  | {
      readonly op: "read";
      readonly handle: number;
      readonly position: number;
      /** No byte from here on is read. */
      readonly limit: number;
      readonly memory: SharedArrayBuffer;
      /** Where in the memory the first byte goes; default: at its start. */
      readonly memoryOffset?: number;
    }
  | { readonly op: "close-segment"; readonly handle: number }
  | { readonly op: "recover"; readonly path: string; readonly toUsMax: number }
  | { readonly op: "list-days" }
  | { readonly op: "list-day"; readonly path: string }
  | { readonly op: "list-open" }
  /** For each file, the places where it may be. */
  | {
      readonly op: "summaries";
      readonly files: readonly (readonly string[])[];
      readonly deep: boolean;
      readonly fromFrames: boolean;
    }
  /** Writes the footer of a closed segment again. */
  | { readonly op: "close-again"; readonly paths: readonly string[]; readonly durationUs: number | undefined }
  | { readonly op: "header"; readonly paths: readonly string[] }
  | { readonly op: "unlink"; readonly paths: readonly string[] }
  /** Reads bytes of a file as they are, as many as the memory holds. */
  | {
      readonly op: "read-piece";
      readonly paths: readonly string[];
      readonly position: number;
      readonly memory: SharedArrayBuffer;
    }
  /** Writes bytes into a copy, durably; from position 0 on it is a new one. */
  | {
      readonly op: "write-piece";
      readonly path: string;
      readonly position: number;
      readonly memory: SharedArrayBuffer;
      readonly bytes: number;
    }
  /** Moves a copy to its place; durable when answered. One that is there already stays. */
  | { readonly op: "place-copy"; readonly from: string; readonly to: string }
  /** Names of the copies that are not in their place. */
  | { readonly op: "list-copies" }
  /** A small file of the volume's directory. */
  | { readonly op: "read-note"; readonly name: string }
  /** Replaces it; durable when answered. */
  | { readonly op: "replace-note"; readonly name: string; readonly text: string }
  /** The files of a directory beside the segments. */
  | { readonly op: "list-side-files"; readonly path: string }
  /** Writes at the end of one, from where what is whole of it ends. */
  | {
      readonly op: "append-side-file";
      readonly path: string;
      readonly position: number;
      readonly bytes: Uint8Array;
    }
  | { readonly op: "space" };

/** What the reader thread answers to each request. */
export interface ReaderResults {
  identify: IdentifyResult;
  "open-segment": OpenedSegment;
  read: ReadResult;
  "close-segment": undefined;
  recover: RecoveryOutcome;
  "list-days": DayList;
  "list-day": DayFiles;
  "list-open": OpenList;
  summaries: readonly SummaryAnswer[];
  "close-again": undefined;
  /** The header's bytes. */
  header: Uint8Array;
  unlink: undefined;
  "read-piece": FilePiece;
  "write-piece": undefined;
  "place-copy": undefined;
  "list-copies": readonly string[];
  /** Undefined: there is none. */
  "read-note": string | undefined;
  "replace-note": undefined;
  "list-side-files": readonly SideFile[];
  "append-side-file": undefined;
  space: VolumeSpace;
}

/** A file beside the segments. */
export interface SideFile {
  /** Under the volume's directory. */
  readonly path: string;
  readonly bytes: number;
}

/** What was read of a file. */
export interface FilePiece {
  /** Bytes in the memory; 0 at the file's end. */
  readonly bytes: number;
  /** Of the whole file. */
  readonly fileBytes: number;
}

/** The day directories of a volume, as paths under it, and what else lies there. */
export interface DayList {
  readonly days: readonly string[];
  /** Bounded in number. */
  readonly strangers: readonly string[];
}

/** The names in one day directory. */
export interface DayFiles {
  readonly names: readonly string[];
  /** Names that are not segment names; bounded in number. */
  readonly strangers: readonly string[];
}

/** Files in `open/` that are not being written. */
export interface OpenList {
  /** Headers of the segments that are closed and wait for the index. */
  readonly headers: readonly Uint8Array[];
  /** Paths of segments of a newer format. */
  readonly newer: readonly string[];
}

export interface SummaryResult {
  readonly header: Uint8Array;
  readonly bytes: number;
  readonly progress: SegmentProgress;
}

export type SummaryAnswer =
  /** Not `closed`: counted from its frames, since its footer is damaged. */
  (SummaryResult & { readonly closed: boolean }) | { readonly code: string; readonly message: string };

export interface WorkerStart {
  readonly role: "writer" | "syncer" | "reader";
  readonly directory: string;
}
