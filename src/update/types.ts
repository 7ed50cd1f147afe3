import type { Guid } from "../base/index.js";

/** What a signed bundle says of itself. */
export interface BundleInfo {
  /** Which boxes it is for, e.g. `nvrd-generic-arm64`. */
  readonly compatible: string;
  readonly version: string;
}

/** The system that runs. */
export interface BootState {
  /** The slot it was booted from: `a` or `b`. */
  readonly slot: string;
  /** Whether the slot was booted to be tried: the next boot takes the other one unless it is marked good. */
  readonly onTrial: boolean;
  /** Whether the other slot waits to be tried, and only `SlotSystem.restart` leads to it: where tries are the firmware's. */
  readonly awaitsTry: boolean;
  readonly compatible: string;
  readonly version: string;
}

/** The slots and the boot loader. The one door to RAUC, replaced by tests. */
export interface SlotSystem {
  /** What the bundle says, its signature checked. Rejects with BAD_REQUEST when it is not to be trusted. */
  bundleInfo(file: string, signal?: AbortSignal): Promise<BundleInfo>;
  /** Writes the bundle into the other slot and has the next boot try it once. Rejects with NvrdError. */
  install(file: string, progress: (percent: number, text: string) => void): Promise<void>;
  bootState(): Promise<BootState>;
  /** The running slot is booted from now on. */
  markGood(): Promise<void>;
  /** The running slot is not booted again. */
  markBad(): Promise<void>;
  /** Restarts the machine, into the slot that waits to be tried if there is one. */
  restart(): Promise<void>;
}

/** What recorded before an update, and has to again. */
export interface RecorderBefore {
  readonly channels: readonly Guid[];
  readonly volumes: readonly Guid[];
}

export const UPDATE_PHASES = [
  /** There was none. */
  "none",
  /** The bundle is being received. */
  "receiving",
  /** Its signature is being checked. */
  "checking",
  /** It waits for root's unit. */
  "waiting",
  "installing",
  /** The box restarts into it. */
  "installed",
  /** It runs, and the health gate looks at it. */
  "trial",
  /** The health gate gave it up; the box restarts into the former version. */
  "rejected",
  "kept",
  "rolledBack",
  "failed",
] as const;
export type UpdatePhase = (typeof UPDATE_PHASES)[number];

/** How far an update is: GET /api/update, and a part of GET /api/health. */
export interface UpdateState {
  /** Whether this box can be updated so at all. */
  readonly supported: boolean;
  readonly phase: UpdatePhase;
  /** Of the phase; null where that is not known. */
  readonly percent: number | null;
  /** The present or last step, as text; empty if none. */
  readonly message: string;
  /** The version that is installed or was tried; null before it is known. */
  readonly version: string | null;
  readonly fromVersion: string | null;
  /** The slot that runs; null where there are none. */
  readonly slot: string | null;
  /** When the phase began, Unix µs; null: not known. */
  readonly sinceUs: number | null;
}
