import { NvrdError } from "../../base/index.js";

/** A recording lies where it cannot be read now: the link is down, or there is no key to it. Nobody else is in the way. */
export class RecordingUnreachable extends NvrdError {
  constructor(message: string, options: { readonly retryAfterMs: number; readonly hint?: string }) {
    super("NOT_AVAILABLE", message, options);
    this.name = "RecordingUnreachable";
  }
}
