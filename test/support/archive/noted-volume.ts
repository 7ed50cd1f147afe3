import { VolumeError } from "../../../src/archive/index.js";
import { NvrdError } from "../../../src/base/index.js";
import { MemoryVolume } from "./memory-volume.js";

/** A volume in memory that keeps small files beside its segments. */
export class NotedVolume extends MemoryVolume {
  readonly notes = new Map<string, string>();
  /** It does not answer. */
  isSilent = false;
  /** The code that each read of a note fails with. */
  failReads: string | undefined;
  /** Others each time the volume is taken. */
  reads = this.#newReads();

  /** As after it was unplugged and plugged in again. */
  takeAgain(): void {
    this.reads = this.#newReads();
  }

  #newReads() {
    const answer = (request: {
      readonly op: string;
      readonly name?: string;
      readonly text?: string;
    }): unknown => {
      const { op, name = "", text = "" } = request;
      if (this.isSilent) throw new NvrdError("NOT_AVAILABLE", "it does not answer");
      if (op === "replace-note") return void this.notes.set(name, text);
      if (op !== "read-note") throw new Error(`not expected: ${op}`);
      if (this.failReads !== undefined) throw new VolumeError(this.failReads, `${this.failReads}: read`);
      return this.notes.get(name);
    };
    return { read: async (request: { readonly op: string }) => answer(request) as never };
  }
}
