import type { PtzNode } from "../device-description.js";
import { isTrue, type XmlElement } from "./xml-element.js";

/** Most nodes, and auxiliary commands of one, that are taken. */
const NODES_MAX = 64;
const COMMANDS_MAX = 32;
/** More presets than this are not offered. */
const PRESETS_MAX = 1024;

/** Reads GetNodesResponse (ONVIF PTZ, 5.2.1). */
export function ptzNodesOf(response: XmlElement): PtzNode[] {
  return response
    .children("PTZNode")
    .slice(0, NODES_MAX)
    .filter((node) => node.attribute("token") !== "")
    .map(ptzNode);
}

function ptzNode(node: XmlElement): PtzNode {
  const spaces = node.child("SupportedPTZSpaces");
  const has = (name: string): boolean => spaces?.child(name) !== undefined;
  return {
    token: node.attribute("token"),
    name: node.text("Name"),
    continuousPanTilt: has("ContinuousPanTiltVelocitySpace"),
    continuousZoom: has("ContinuousZoomVelocitySpace"),
    absolutePanTilt: has("AbsolutePanTiltPositionSpace"),
    absoluteZoom: has("AbsoluteZoomPositionSpace"),
    relativePanTilt: has("RelativePanTiltTranslationSpace"),
    relativeZoom: has("RelativeZoomTranslationSpace"),
    home: isTrue(node.text("HomeSupported")),
    presetsMax: Math.min(Math.max(Math.trunc(node.number("MaximumNumberOfPresets") ?? 0), 0), PRESETS_MAX),
    auxiliaryCommands: node
      .children("AuxiliaryCommands")
      .slice(0, COMMANDS_MAX)
      .map((command) => command.text())
      .filter((command) => command !== ""),
  };
}
