import { CameraFailure } from "../../camera/index.js";
import { actionNotSupported, invalidArgument, SoapFault } from "../soap/soap-message.js";

export function tooManyPresets(): SoapFault {
  return new SoapFault(
    "Receiver",
    ["Action", "TooManyPresets"],
    "the camera keeps no further preset: remove one",
  );
}

/** Refusals of a camera that a client understands as they are (ONVIF PTZ Service Specification, 5.3 and 5.4). */
const CAMERA_REFUSALS: ReadonlyMap<string, (reason: string) => SoapFault> = new Map([
  ["actionnotsupported", actionNotSupported],
  ["toomanypresets", tooManyPresets],
  ["presetexist", (reason) => invalidArgument("PresetExist", reason)],
  ["invalidpresetname", (reason) => invalidArgument("InvalidPresetName", reason)],
  ["invalidposition", (reason) => invalidArgument("InvalidPosition", reason)],
  ["notoken", (reason) => invalidArgument("NoToken", reason)],
  ["movingptz", (reason) => new SoapFault("Receiver", ["Action", "MovingPTZ"], reason)],
  ["cannotoverwritehome", (reason) => new SoapFault("Receiver", ["Action", "CannotOverwriteHome"], reason)],
]);

/** The fault for a camera's refusal; undefined: it is another error. */
export function refusalOf(error: unknown): SoapFault | undefined {
  if (!(error instanceof CameraFailure)) return undefined;
  const code = error.faultCodes.findLast((each) => CAMERA_REFUSALS.has(each)) ?? "";
  return CAMERA_REFUSALS.get(code)?.(error.message);
}
