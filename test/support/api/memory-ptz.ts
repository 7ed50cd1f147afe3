import {
  NO_PTZ,
  type Ptz,
  type PtzCapabilities,
  type PtzDone,
  type PtzPosition,
  type PtzRequest,
} from "../../../src/camera/index.js";

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
