import { NO_PTZ, type PtzCapabilities, type PtzPosition } from "../../camera/index.js";
import { PTZ_STOP_AFTER_MS } from "../../contract/query/index.js";
import type { Camera } from "../../site/index.js";
import { configurationName, TOKENS } from "../media/profiles.js";
import type { OnvifUser } from "../soap/onvif-user.js";
import { textElement } from "../soap/soap-message.js";

/** What the PTZ service says of a camera: its node, configuration, spaces and presets. */

/** Presets that are listed. */
export const PRESETS_MAX = 256;

const SPACES = "http://www.onvif.org/ver10/tptz";
export const PAN_TILT_SPEED = `${SPACES}/PanTiltSpaces/VelocityGenericSpace`;
export const ZOOM_SPEED = `${SPACES}/ZoomSpaces/VelocityGenericSpace`;
export const PAN_TILT_POSITION = `${SPACES}/PanTiltSpaces/PositionGenericSpace`;
export const ZOOM_POSITION = `${SPACES}/ZoomSpaces/PositionGenericSpace`;
export const ZOOM_STEP = `${SPACES}/ZoomSpaces/TranslationGenericSpace`;

export function canMove(can: PtzCapabilities): boolean {
  const { panTilt, zoom, zoomStep, home, absolutePanTilt, absoluteZoom, presets } = can;
  return panTilt || zoom || zoomStep || home || absolutePanTilt || absoluteZoom || presets.length > 0;
}

/** What a camera that never said what it can is taken for, where a configuration names spaces. */
const USUAL: PtzCapabilities = { ...NO_PTZ, panTilt: true, zoom: true, zoomStep: true };

export const CAPABILITIES =
  '<tptz:Capabilities EFlip="false" Reverse="false" GetCompatibleConfigurations="false" MoveStatus="false" StatusPosition="false"/>';

export function configuration(name: string, { id, name: title }: Camera, abilities = USUAL): string {
  const { absolutePanTilt, absoluteZoom, panTilt, zoom, zoomStep } = abilities;
  const space = (is: boolean, element: string, uri: string): string =>
    is ? textElement(`tt:Default${element}`, uri) : "";
  return (
    `<${name} token="${TOKENS.ptzConfiguration(id)}">${textElement("tt:Name", configurationName(title))}<tt:UseCount>1</tt:UseCount>` +
    `${textElement("tt:NodeToken", TOKENS.ptzNode(id))}` +
    // The schema spells it so.
    space(absolutePanTilt, "AbsolutePantTiltPositionSpace", PAN_TILT_POSITION) +
    space(absoluteZoom, "AbsoluteZoomPositionSpace", ZOOM_POSITION) +
    space(zoomStep, "RelativeZoomTranslationSpace", ZOOM_STEP) +
    space(panTilt, "ContinuousPanTiltVelocitySpace", PAN_TILT_SPEED) +
    space(zoom, "ContinuousZoomVelocitySpace", ZOOM_SPEED) +
    `${textElement("tt:DefaultPTZTimeout", `PT${PTZ_STOP_AFTER_MS.usual / 1000}S`)}</${name}>`
  );
}

export function nodeXml({ id, name }: Camera, { mayKeepPresets }: OnvifUser, abilities = NO_PTZ): string {
  const { presets, presetsMax } = abilities;
  const keeps = mayKeepPresets ? Math.max(presetsMax, presets.length) : presets.length;
  return (
    `<tptz:PTZNode token="${TOKENS.ptzNode(id)}" FixedHomePosition="true">${textElement("tt:Name", configurationName(name))}` +
    `<tt:SupportedPTZSpaces>${spacesXml(abilities)}</tt:SupportedPTZSpaces>` +
    textElement("tt:MaximumNumberOfPresets", Math.min(keeps, PRESETS_MAX)) +
    `${textElement("tt:HomeSupported", abilities.home)}</tptz:PTZNode>`
  );
}

function spacesXml(can: PtzCapabilities): string {
  const { panTilt, zoom, zoomStep, absolutePanTilt, absoluteZoom } = can;
  const space = (name: string, uri: string, axes: readonly string[], min = -1): string => {
    const range = `<tt:Min>${min}</tt:Min><tt:Max>1</tt:Max>`;
    const ranges = axes.map((axis) => `<tt:${axis}Range>${range}</tt:${axis}Range>`).join("");
    return `<tt:${name}>${textElement("tt:URI", uri)}${ranges}</tt:${name}>`;
  };
  return [
    absolutePanTilt ? space("AbsolutePanTiltPositionSpace", PAN_TILT_POSITION, ["X", "Y"]) : "",
    absoluteZoom ? space("AbsoluteZoomPositionSpace", ZOOM_POSITION, ["X"], 0) : "",
    zoomStep ? space("RelativeZoomTranslationSpace", ZOOM_STEP, ["X"]) : "",
    panTilt ? space("ContinuousPanTiltVelocitySpace", PAN_TILT_SPEED, ["X", "Y"]) : "",
    zoom ? space("ContinuousZoomVelocitySpace", ZOOM_SPEED, ["X"]) : "",
  ].join("");
}

/** `PTZConfigurationOptions`. */
export function configurationOptions(abilities: PtzCapabilities): string {
  return (
    `<tptz:PTZConfigurationOptions><tt:Spaces>${spacesXml(abilities)}</tt:Spaces>` +
    `<tt:PTZTimeout><tt:Min>PT0.1S</tt:Min><tt:Max>PT${PTZ_STOP_AFTER_MS.max / 1000}S</tt:Max></tt:PTZTimeout>` +
    "</tptz:PTZConfigurationOptions>"
  );
}

/** `PTZStatus`: what a camera does not report is left out, or unknown. `time`: `xs:dateTime`. */
export function statusXml({ panTilt, zoom, panTiltMoves, zoomMoves }: PtzPosition, time: string): string {
  const position = [
    panTilt === undefined
      ? ""
      : `<tt:PanTilt x="${rounded(panTilt.pan)}" y="${rounded(panTilt.tilt)}" space="${PAN_TILT_POSITION}"/>`,
    zoom === undefined ? "" : `<tt:Zoom x="${rounded(zoom)}" space="${ZOOM_POSITION}"/>`,
  ].join("");
  const moves = (is: boolean | undefined): string => (is === undefined ? "UNKNOWN" : is ? "MOVING" : "IDLE");
  return (
    `<tptz:PTZStatus>${position === "" ? "" : `<tt:Position>${position}</tt:Position>`}` +
    `<tt:MoveStatus>${textElement("tt:PanTilt", moves(panTiltMoves))}${textElement("tt:Zoom", moves(zoomMoves))}</tt:MoveStatus>` +
    `${textElement("tt:UtcTime", time)}</tptz:PTZStatus>`
  );
}

function rounded(value: number): string {
  return String(Math.round(value * 10_000) / 10_000 + 0);
}
