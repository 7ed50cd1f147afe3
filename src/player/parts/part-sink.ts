import type { Part } from "./multipart.js";

/** A viewer that takes one part after the other, without end: an answer over HTTP, in whichever way it is sent. */
export interface PartSink {
  /** A part is being sent, or the viewer is behind: wait for the drain before `send`. */
  readonly busy: boolean;
  readonly closed: boolean;
  /** Called when everything was taken and the viewer keeps up again. */
  set onDrain(listener: () => void);
  /** Calls `listener` once when the viewer is gone or has its last part; at once if that is so already. */
  onClose(listener: () => void): void;
  /** True: it was sent. False: the part's memory must not change until the drain or the close. Throws Error if busy. */
  send(part: Part): boolean;
  /** After the last part; a part that is being sent is cut off. */
  end(): void;
}
