import type { StreamTrial, StreamTrials } from "../../../../src/camera/stream/stream-trials.js";
import type { Camera } from "../../../../src/site/model/model.js";

/** Trials of cameras that a test makes up. */
export class MemoryTrials implements Pick<StreamTrials, "try"> {
  /** What each trial finds; undefined: the device is to be asked. */
  found: StreamTrial | undefined = { result: "Unreachable", reason: "nothing answers there" };
  /** The cameras as they were tried. */
  readonly tried: Camera[] = [];

  async try(camera: Camera): Promise<StreamTrial | undefined> {
    this.tried.push(camera);
    return this.found;
  }
}
