import type { CameraEventMessage } from "./camera-event-message.js";

export interface Pulled {
  readonly messages: readonly CameraEventMessage[];
  /** The device's clock when it answered, Unix milliseconds; undefined if not reported. */
  readonly deviceMs: number | undefined;
}

/** One subscription to the messages of a device, by pull or push. All methods reject with NvrdError. */
export interface MessageSource {
  /** The device has created it. */
  readonly isOpen: boolean;
  open(): Promise<void>;
  /** Waits up to `waitMs` for messages, and renews the subscription when due. */
  pull(waitMs: number): Promise<Pulled>;
  /** Unsubscribes. */
  close(signal: AbortSignal): Promise<void>;
  /** Frees our resources, even if unsubscribing failed. */
  release(): Promise<void>;
}
