import { NvrdError } from "../../../../src/base/value/errors.js";
import type { Restarted, Restarts } from "../../../../src/owner/system/states.js";

/** Notes what is to be restarted. */
export class MemoryRestarts implements Restarts {
  canRestartBox = false;
  readonly asked: (readonly [Restarted, string])[] = [];

  async ask(what: Restarted, by: string): Promise<void> {
    if (what === "Box" && !this.canRestartBox)
      throw new NvrdError("NOT_SUPPORTED", "this box is not restarted by the recorder");
    this.asked.push([what, by]);
  }
}
