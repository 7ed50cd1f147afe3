import type { Guid } from "../../base/index.js";
import type { UpdatePhase } from "../../contract/answer/index.js";

/** The description in a signed bundle. */
export interface BundleInfo {
  /** Which boxes it is for, e.g. `nvrd-generic-arm64`. */
  readonly compatible: string;
  readonly version: string;
}

/** The running system. */
export interface BootState {
  /** The slot it was booted from: `a` or `b`. */
  readonly slot: string;
  /** Whether the slot is on trial: the next boot uses the other one unless it is marked good. */
  readonly onTrial: boolean;
  /**
   * Whether the other slot waits for its trial and only `SlotSystem.restart` boots it, because the firmware controls
   * trials.
   */
  readonly awaitsTry: boolean;
  readonly compatible: string;
  readonly version: string;
}

/** The slots and the boot loader. The only access to RAUC; tests replace it. */
export interface SlotSystem {
  /** The bundle's description, after its signature was checked. Rejects with BAD_REQUEST if it is not trusted. */
  bundleInfo(file: string, signal?: AbortSignal): Promise<BundleInfo>;
  /** Writes the bundle to the other slot, which the next boot tries once. Rejects with NvrdError. */
  install(file: string, progress: (percent: number, text: string) => void): Promise<void>;
  bootState(): Promise<BootState>;
  /** The running slot is booted from now on. */
  markGood(): Promise<void>;
  /** The running slot is not booted again. */
  markBad(): Promise<void>;
  /** Restarts the machine, into the slot that waits to be tried if there is one. */
  restart(): Promise<void>;
}

/** Channels and volumes that recorded before an update, and must record again. */
export interface RecorderBefore {
  readonly channels: readonly Guid[];
  readonly volumes: readonly Guid[];
}

/** Progress of an update: GET /api/update, and a part of GET /api/health. */
export interface UpdateState {
  /** Whether this box supports such updates. */
  readonly supported: boolean;
  readonly phase: UpdatePhase;
  /** Progress of the phase; null if not known. */
  readonly percent: number | null;
  /** The current or last step, as text; empty if none. */
  readonly message: string;
  /** The version that is installed or was tried; null before it is known. */
  readonly version: string | null;
  readonly fromVersion: string | null;
  /** The running slot; null without slots. */
  readonly slot: string | null;
  /** When the phase began, Unix µs; null: not known. */
  readonly sinceUs: number | null;
}
