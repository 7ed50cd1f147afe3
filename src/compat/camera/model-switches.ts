import type { DeviceModel } from "../../camera/index.js";
import type { BodyReader } from "../../route/index.js";

/** Switches of a camera that need something of its model, and what the model lacks where it cannot do it. */
const SWITCHES: readonly {
  readonly name: string;
  readonly isSupported: (model: DeviceModel) => boolean;
  readonly lack: string;
}[] = [
  {
    name: "MultiChannelServerEnabled",
    isSupported: (model) => model.multiChannelServerSupported,
    lack: "is not a video server",
  },
  { name: "PtzEnabled", isSupported: (model) => model.ptzSupported, lack: "cannot be moved" },
  {
    name: "IoProcessingEnabled",
    isSupported: (model) => model.ioProcessingSupported,
    lack: "has no inputs and outputs",
  },
  {
    name: "SoundReceivingEnabled",
    isSupported: (model) => model.soundReceivingSupported,
    lack: "sends no sound",
  },
  {
    name: "SoundTransmittingEnabled",
    isSupported: (model) => model.soundTransmittingSupported,
    lack: "takes no sound",
  },
];

/**
 * Warns of each switch that the body turns on and the model cannot do. It is kept all the same, so that a program may send a
 * whole camera object with another model, and acts when the camera has a model that can.
 */
export function warnOfSwitches(connection: BodyReader, model: DeviceModel | undefined): void {
  if (model === undefined) return;
  for (const { name, isSupported, lack } of SWITCHES) {
    if (isSupported(model) || connection.value(name) !== true) continue;
    connection.warn(name, `is kept and has no effect: the model ${model.name} ${lack}`);
  }
}
