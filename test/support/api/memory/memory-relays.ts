import { NvrdError } from "../../../../src/base/value/errors.js";
import type { CameraOutputs } from "../../../../src/camera/relay/known-outputs.js";
import type { RelayRequest, Relays } from "../../../../src/camera/relay/relay-control.js";
import type { RelayOutput } from "../../../../src/camera/relay/relay-device.js";
import { GATE_ID, STORE_ID } from "../api-fakes.js";

/** Cameras with one output each, which take every command and remember it. */
export class MemoryRelays implements Relays {
  readonly requests: RelayRequest[] = [];

  async outputs(): Promise<readonly RelayOutput[]> {
    return [{ token: "relay_1", pulseSeconds: undefined }];
  }

  /** The last of them has not named its outputs. */
  async known(): Promise<readonly CameraOutputs[]> {
    return [
      { channelId: GATE_ID, outputs: await this.outputs() },
      { channelId: STORE_ID, outputs: undefined },
    ];
  }

  async switch(request: RelayRequest): Promise<void> {
    if (request.output !== "relay_1") throw new NvrdError("NOT_FOUND", "the camera has no such output");
    this.requests.push(request);
  }
}
