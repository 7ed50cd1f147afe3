import type { PtzTarget } from "./ptz-position.js";

/**
 * A command to a camera. Speeds and steps are fractions of its range: -1 to 1; positive is right, up, and in.
 */
export type PtzCommand =
  | {
      readonly kind: "move";
      readonly pan: number;
      readonly tilt: number;
      /** Milliseconds until it is stopped. */
      readonly forMs: number;
    }
  | { readonly kind: "zoom"; readonly speed: number; readonly forMs: number }
  | { readonly kind: "zoom-step"; readonly step: number }
  | { readonly kind: "stop"; readonly axes: readonly PtzAxis[] }
  /** A preset of the camera, by its own number or counted from 1. */
  | { readonly kind: "preset"; readonly index: number }
  /** The camera's present position is saved: as another preset, or in place of the one with this number. */
  | { readonly kind: "save-preset"; readonly index: number | undefined; readonly name: string }
  | { readonly kind: "remove-preset"; readonly index: number }
  /** The position that the camera itself calls home. */
  | { readonly kind: "home" }
  /** A position of its own range. */
  | { readonly kind: "position"; readonly target: PtzTarget }
  | { readonly kind: "autofocus" }
  /** Centers a point of the picture: -1 is the left and lower edge, 1 the right and upper one. */
  | { readonly kind: "center"; readonly x: number; readonly y: number };

/** Axes that a device moves and stops independently. */
export type PtzAxis = "pan-tilt" | "zoom";

export const PTZ_AXES: readonly PtzAxis[] = ["pan-tilt", "zoom"];

/** The axes that a command moves or stops. */
export function axesOf(command: PtzCommand): readonly PtzAxis[] {
  switch (command.kind) {
    case "move":
    case "center":
      return ["pan-tilt"];
    case "zoom":
    case "zoom-step":
      return ["zoom"];
    case "stop":
      return command.axes;
    case "preset":
    case "home":
      return PTZ_AXES;
    case "position":
      return PTZ_AXES.filter(
        (axis) => (axis === "zoom" ? command.target.zoom : command.target.panTilt) !== undefined,
      );
    case "autofocus":
    case "save-preset":
    case "remove-preset":
      return [];
  }
}

/** Whether the waiting command `older` becomes obsolete by `newer`: it moves no other axis. */
export function replaces(newer: PtzCommand, older: PtzCommand): boolean {
  if (newer.kind === "autofocus" || older.kind === "autofocus") return newer.kind === older.kind;
  // A stop is executed even if a movement follows, because its sender relies on it.
  if (older.kind === "stop" && newer.kind !== "stop") return false;
  const [axes, olderAxes] = [axesOf(newer), axesOf(older)];
  return olderAxes.length > 0 && olderAxes.every((axis) => axes.includes(axis));
}

/** The commands a camera supports, as far as it reports them. */
export interface PtzCapabilities {
  readonly panTilt: boolean;
  readonly zoom: boolean;
  readonly zoomStep: boolean;
  readonly center: boolean;
  readonly autofocus: boolean;
  readonly home: boolean;
  /** It goes to positions of its range. */
  readonly absolutePanTilt: boolean;
  readonly absoluteZoom: boolean;
  readonly presets: readonly PtzPreset[];
  /** How many presets it can keep; 0: none. */
  readonly presetsMax: number;
}

/** What a command left behind. */
export interface PtzDone {
  /** `save-preset`: the number of the preset, if the camera reports it. */
  readonly presetIndex?: number;
}

export interface PtzPreset {
  /** The number by which it is recalled. */
  readonly index: number;
  readonly name: string;
}

export const NO_PTZ: PtzCapabilities = {
  panTilt: false,
  zoom: false,
  zoomStep: false,
  center: false,
  autofocus: false,
  home: false,
  absolutePanTilt: false,
  absoluteZoom: false,
  presets: [],
  presetsMax: 0,
};
