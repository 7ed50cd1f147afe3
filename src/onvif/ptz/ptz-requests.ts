import { PTZ_AXES, type PtzCommand, type PtzTarget } from "../../camera/index.js";
import { PTZ_STOP_AFTER_MS } from "../../contract/query/index.js";
import type { UserCall } from "../soap/operation.js";
import { actionNotSupported, invalidArgument, SoapFault } from "../soap/soap-message.js";
import { readDurationMs } from "../soap/xml-duration.js";
import { PAN_TILT_POSITION, PAN_TILT_SPEED, ZOOM_POSITION, ZOOM_SPEED, ZOOM_STEP } from "./ptz-parts.js";

/** What requests to the PTZ service ask for. */

const PRESET_NAME_LENGTH_MAX = 64;

/** A number of a vector as it is. Throws SoapFault. */
function component(
  call: UserCall,
  path: readonly string[],
  axis: "x" | "y",
  spaces: string,
): number | undefined {
  const vector = call.content.at(...path);
  if (vector === undefined) return undefined;
  const space = vector.attribute("space");
  const text = vector.attribute(axis);
  const value = Number(text);
  if (text === "" || !Number.isFinite(value) || (space !== "" && space !== spaces))
    throw new SoapFault(
      "Sender",
      ["InvalidArgVal", "SpaceNotSupported"],
      `${path.join("/")} is from -1 to 1, in ${spaces}`,
    );
  return value;
}

/** A number of a vector, as the nearest from -1 to 1. Throws SoapFault. */
function fraction(...vector: Parameters<typeof component>): number | undefined {
  const value = component(...vector);
  return value === undefined ? undefined : Math.min(Math.max(value, -1), 1);
}

/** Throws SoapFault for what is outside of the ranges of the node. */
export function positionTarget(call: UserCall): PtzTarget {
  const within = (value: number | undefined, min: number): number | undefined => {
    if (value === undefined || (value >= min && value <= 1)) return value;
    throw invalidArgument("InvalidPosition", "pan and tilt are from -1 to 1, zoom is from 0 to 1");
  };
  const [pan, tilt] = (["x", "y"] as const).map((axis) =>
    within(component(call, ["Position", "PanTilt"], axis, PAN_TILT_POSITION), -1),
  );
  const zoom = within(component(call, ["Position", "Zoom"], "x", ZOOM_POSITION), 0);
  const turns = pan !== undefined && tilt !== undefined;
  if (!turns && zoom === undefined)
    throw invalidArgument("InvalidPosition", "Position names neither PanTilt nor Zoom");
  return { ...(turns ? { panTilt: { pan, tilt } } : {}), ...(zoom === undefined ? {} : { zoom }) };
}

/** As the client has it; empty: the camera's own. Throws SoapFault. */
export function presetName({ content }: UserCall): string {
  const name = content.text("PresetName");
  if (name.length <= PRESET_NAME_LENGTH_MAX && !/\p{Cc}/u.test(name)) return name;
  throw invalidArgument(
    "InvalidPresetName",
    `a name has ${PRESET_NAME_LENGTH_MAX} characters at most, on one line`,
  );
}

/** What has no speed is stopped. */
export function continuousMove(call: UserCall): readonly PtzCommand[] {
  const asked = readDurationMs(call.content.text("Timeout")) ?? PTZ_STOP_AFTER_MS.usual;
  const forMs = Math.min(Math.max(asked, 1), PTZ_STOP_AFTER_MS.max);
  const [pan, tilt] = (["x", "y"] as const).map((axis) =>
    fraction(call, ["Velocity", "PanTilt"], axis, PAN_TILT_SPEED),
  );
  const speed = fraction(call, ["Velocity", "Zoom"], "x", ZOOM_SPEED);
  const commands: PtzCommand[] = [];
  if (pan !== undefined && tilt !== undefined)
    commands.push(
      pan === 0 && tilt === 0 ? { kind: "stop", axes: ["pan-tilt"] } : { kind: "move", pan, tilt, forMs },
    );
  if (speed !== undefined)
    commands.push(speed === 0 ? { kind: "stop", axes: ["zoom"] } : { kind: "zoom", speed, forMs });
  if (commands.length === 0)
    throw invalidArgument("InvalidVelocity", "Velocity names neither PanTilt nor Zoom");
  return commands;
}

export function relativeMove(call: UserCall): readonly PtzCommand[] {
  const [pan, tilt] = (["x", "y"] as const).map((axis) =>
    Number(call.content.at("Translation", "PanTilt")?.attribute(axis) || 0),
  );
  if (pan !== 0 || tilt !== 0) throw actionNotSupported("pan and tilt move continuously, not by steps");
  const step = fraction(call, ["Translation", "Zoom"], "x", ZOOM_STEP);
  if (step === undefined) throw invalidArgument("InvalidTranslation", "Translation names no Zoom");
  return [{ kind: "zoom-step", step }];
}

export function stopCommands({ content }: UserCall): readonly PtzCommand[] {
  const isMeant = (name: string): boolean => !/^(?:false|0)$/i.test(content.text(name));
  const axes = PTZ_AXES.filter((axis) => isMeant(axis === "zoom" ? "Zoom" : "PanTilt"));
  return axes.length === 0 ? [] : [{ kind: "stop", axes }];
}
