import { NvrdError } from "../../../src/base/index.js";
import type { RelayOutput, RelayRequest, Relays } from "../../../src/camera/index.js";

/** Cameras with one output each, which take every command and remember it. */
export class MemoryRelays implements Relays {
  readonly requests: RelayRequest[] = [];

  async outputs(): Promise<readonly RelayOutput[]> {
    return [{ token: "relay_1", pulseSeconds: undefined }];
  }

  async switch(request: RelayRequest): Promise<void> {
    if (request.output !== "relay_1") throw new NvrdError("NOT_FOUND", "the camera has no such output");
    this.requests.push(request);
  }
}
