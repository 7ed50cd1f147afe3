import type { PtzRange, PtzRanges } from "../description/device-description.js";
import { escapeXml } from "../soap/soap-envelope.js";
import type { XmlElement } from "../xml/xml-element.js";

/** Where a camera looks, in fractions of its range. What it does not report is absent. */
export interface PtzPosition {
  /** -1 to 1; positive is right and up. */
  readonly panTilt?: { readonly pan: number; readonly tilt: number };
  /** 0 to 1; 1 is the longest focal length. */
  readonly zoom?: number;
  readonly panTiltMoves?: boolean;
  readonly zoomMoves?: boolean;
}

/** A position to go to; what is absent stays as it is. */
export type PtzTarget = Pick<PtzPosition, "panTilt" | "zoom">;

type Bounds = PtzRange["x"];

/** Reads GetStatusResponse (ONVIF PTZ, 5.3.4): positions of other spaces than the node's first ones are left out. */
export function positionOf(response: XmlElement, { absolutePanTilt, absoluteZoom }: PtzRanges): PtzPosition {
  const status = response.child("PTZStatus");
  const panTilt = status?.at("Position", "PanTilt");
  const [pan, tilt] = [reported(panTilt, "x", absolutePanTilt), reported(panTilt, "y", absolutePanTilt)];
  const zoom = reported(status?.at("Position", "Zoom"), "x", absoluteZoom);
  return {
    ...(pan === undefined || tilt === undefined || absolutePanTilt === undefined
      ? {}
      : {
          panTilt: { pan: 2 * part(absolutePanTilt.x, pan) - 1, tilt: 2 * part(absolutePanTilt.y, tilt) - 1 },
        }),
    ...(zoom === undefined || absoluteZoom === undefined ? {} : { zoom: part(absoluteZoom.x, zoom) }),
    ...moves("panTiltMoves", status?.text("MoveStatus", "PanTilt")),
    ...moves("zoomMoves", status?.text("MoveStatus", "Zoom")),
  };
}

/** The content of a `Position`, for a node with these spaces. */
export function positionXml(
  panTilt: { readonly range: PtzRange; readonly pan: number; readonly tilt: number } | undefined,
  zoom: { readonly range: PtzRange; readonly at: number } | undefined,
): string {
  const turned =
    panTilt === undefined
      ? ""
      : `<tt:PanTilt x="${at(panTilt.range.x, (panTilt.pan + 1) / 2)}" y="${at(panTilt.range.y, (panTilt.tilt + 1) / 2)}"${spaceOf(panTilt.range)}/>`;
  return zoom === undefined
    ? turned
    : `${turned}<tt:Zoom x="${at(zoom.range.x, zoom.at)}"${spaceOf(zoom.range)}/>`;
}

/** ` space="…"`, if the node names one. */
export function spaceOf({ space }: PtzRange): string {
  return space === "" ? "" : ` space="${escapeXml(space)}"`;
}

/** A number as ONVIF has it, with four decimals at most. */
export function decimal(value: number): string {
  return String(Math.round(value * 10_000) / 10_000 + 0);
}

function reported(
  vector: XmlElement | undefined,
  axis: "x" | "y",
  range: PtzRange | undefined,
): number | undefined {
  const space = vector?.attribute("space") ?? "";
  const text = vector?.attribute(axis) ?? "";
  if (range === undefined || text === "" || (space !== "" && space !== range.space)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function part({ min, max }: Bounds, value: number): number {
  return (Math.min(Math.max(value, min), max) - min) / (max - min);
}

function at({ min, max }: Bounds, share: number): string {
  return decimal(min + Math.min(Math.max(share, 0), 1) * (max - min));
}

function moves<Name extends string>(
  name: Name,
  text: string | undefined,
): { readonly [key in Name]?: boolean } | Record<never, never> {
  const word = text?.toUpperCase();
  return word === "IDLE" || word === "MOVING" ? { [name]: word === "MOVING" } : {};
}
