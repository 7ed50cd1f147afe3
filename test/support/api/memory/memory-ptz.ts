import { NO_PTZ, type PtzCapabilities, type PtzDone } from "../../../../src/camera/ptz/ptz-command.js";
import type { Ptz, PtzRequest } from "../../../../src/camera/ptz/ptz-control.js";
import type { PtzPosition } from "../../../../src/camera/ptz/ptz-position.js";

/** Cameras that take every command, and remember it. */
export class MemoryPtz implements Ptz {
  readonly requests: PtzRequest[] = [];
  can: PtzCapabilities = NO_PTZ;
  /** Rejected with instead, while it is set. */
  failure: Error | undefined;
  /** Holds commands back until it resolves. */
  held: Promise<void> | undefined;

  async capabilities(): Promise<PtzCapabilities> {
    if (this.failure !== undefined) throw this.failure;
    return this.can;
  }

  async position(): Promise<PtzPosition> {
    return {};
  }

  async perform(request: PtzRequest): Promise<PtzDone> {
    this.requests.push(request);
    await this.held;
    if (this.failure !== undefined) throw this.failure;
    return {};
  }
}
