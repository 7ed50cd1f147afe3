import type { CameraEventMessage } from "./camera-event-message.js";

export interface Pulled {
  readonly messages: readonly CameraEventMessage[];
  /** The device's clock when it answered, Unix milliseconds; undefined where it does not tell. */
  readonly deviceMs: number | undefined;
}

/** One subscription to the messages of a device, however they come. Everything rejects with NvrdError. */
export interface MessageSource {
  /** The device has made it. */
  readonly isOpen: boolean;
  open(): Promise<void>;
  /** Waits up to `waitMs` for messages, and keeps the subscription alive meanwhile. */
  pull(waitMs: number): Promise<Pulled>;
  /** Lets the device forget it. */
  close(signal: AbortSignal): Promise<void>;
  /** Gives back what is held on our side, whether the device was told or not. */
  release(): Promise<void>;
}
