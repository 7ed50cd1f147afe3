import type { PtzNode, PtzRange, PtzRanges } from "../description/device-description.js";
import { isTrue, type XmlElement } from "../xml/xml-element.js";
import { FIELD_OF_VIEW } from "./ptz-configurations.js";

/** Maximum number of nodes, and of auxiliary commands per node. */
const NODES_MAX = 64;
const COMMANDS_MAX = 32;
/** Maximum number of presets offered. */
const PRESETS_MAX = 1024;

/** Reads GetNodesResponse (ONVIF PTZ, 5.2.1). */
export function ptzNodesOf(response: XmlElement): PtzNode[] {
  return response
    .children("PTZNode")
    .slice(0, NODES_MAX)
    .filter((node) => node.attribute("token") !== "")
    .map(ptzNode);
}

/** Spaces of one kind that are looked at. */
const SPACES_MAX = 16;

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
    ranges: rangesOf(spaces),
  };
}

function rangesOf(spaces: XmlElement | undefined): PtzRanges {
  const ranges: { -readonly [Name in keyof PtzRanges]: PtzRange } = {};
  const take = (kind: keyof PtzRanges, space: XmlElement | undefined): void => {
    if (space !== undefined) ranges[kind] = rangeOf(space);
  };
  take("continuousPanTilt", spaces?.child("ContinuousPanTiltVelocitySpace"));
  take("continuousZoom", spaces?.child("ContinuousZoomVelocitySpace"));
  take("absolutePanTilt", spaces?.child("AbsolutePanTiltPositionSpace"));
  const zoom = spaces?.child("AbsoluteZoomPositionSpace");
  if (zoom !== undefined) ranges.absoluteZoom = rangeOf(zoom, ZOOM);
  take("relativeZoom", spaces?.child("RelativeZoomTranslationSpace"));
  const relative = spaces?.children("RelativePanTiltTranslationSpace").slice(0, SPACES_MAX) ?? [];
  const byPicture = relative.find((space) => FIELD_OF_VIEW.test(space.text("URI")));
  take("fieldOfView", byPicture);
  const others = relative.filter((space) => space !== byPicture);
  take("relativePanTilt", others[0]);
  return ranges;
}

/** Of the generic space of zoom positions (ONVIF PTZ, 5.8.1.2). */
const ZOOM = { min: 0, max: 1 };

function rangeOf(space: XmlElement, otherwise = { min: -1, max: 1 }): PtzRange {
  const axis = (name: string): { min: number; max: number } => {
    const [min, max] = [space.number(name, "Min"), space.number(name, "Max")];
    return min !== undefined && max !== undefined && min < max ? { min, max } : otherwise;
  };
  return { x: axis("XRange"), y: axis("YRange"), space: space.text("URI") };
}
