import type { PtzNode, PtzRange, PtzRanges } from "../description/device-description.js";
import type { XmlElement } from "../xml/xml-element.js";
import { partsOf } from "./media-profiles.js";

/** The PTZ configuration of a media profile. */
export interface PtzConfiguration {
  readonly profileToken: string;
  /** Token of the node that it names; its own token where it names none. */
  readonly nodeToken: string;
  /** What its default spaces allow. */
  readonly ranges: PtzRanges;
}

/** A space whose units are the picture's own (ONVIF PTZ, 5.8: TranslationSpaceFov). */
export const FIELD_OF_VIEW = /\/TranslationSpaceFov$/;
/** Presets are asked for where nothing says how many there can be. */
const PRESETS_MAX = 1024;

/** Reads the PTZ configurations of GetProfilesResponse, of Media and of Media2. */
export function ptzConfigurationsOf(response: XmlElement): PtzConfiguration[] {
  return response.children("Profiles").flatMap((profile) => {
    const configuration = partsOf(profile)("PTZ");
    if (configuration === undefined) return [];
    const nodeToken = configuration.text("NodeToken") || configuration.attribute("token");
    return [{ profileToken: profile.attribute("token"), nodeToken, ranges: defaultRanges(configuration) }];
  });
}

/** A node made of what a configuration says of itself; undefined when that is nothing that moves. */
export function defaultNode({ nodeToken, ranges }: PtzConfiguration): PtzNode | undefined {
  const { continuousPanTilt, continuousZoom, relativePanTilt, relativeZoom, fieldOfView } = ranges;
  const { absolutePanTilt, absoluteZoom } = ranges;
  if (nodeToken === "" || Object.keys(ranges).length === 0) return undefined;
  return {
    token: nodeToken,
    name: "",
    continuousPanTilt: continuousPanTilt !== undefined,
    continuousZoom: continuousZoom !== undefined,
    absolutePanTilt: absolutePanTilt !== undefined,
    absoluteZoom: absoluteZoom !== undefined,
    relativePanTilt: (relativePanTilt ?? fieldOfView) !== undefined,
    relativeZoom: relativeZoom !== undefined,
    home: false,
    presetsMax: PRESETS_MAX,
    auxiliaryCommands: [],
    ranges,
  };
}

/** The default spaces (ONVIF schema, PTZConfiguration; `PantTilt` is its own spelling). */
function defaultRanges(configuration: XmlElement): PtzRanges {
  const ranges: { -readonly [Name in keyof PtzRanges]: PtzRange } = {};
  const take = (kind: keyof PtzRanges, element: string, x = WHOLE): void => {
    const space = configuration.text(element);
    if (space !== "") ranges[kind] = { x, y: WHOLE, space };
  };
  take("continuousPanTilt", "DefaultContinuousPanTiltVelocitySpace");
  take("continuousZoom", "DefaultContinuousZoomVelocitySpace");
  take("absolutePanTilt", "DefaultAbsolutePantTiltPositionSpace");
  take("absoluteZoom", "DefaultAbsoluteZoomPositionSpace", { min: 0, max: 1 });
  take("relativeZoom", "DefaultRelativeZoomTranslationSpace");
  const relative = configuration.text("DefaultRelativePanTiltTranslationSpace");
  const kind = FIELD_OF_VIEW.test(relative) ? "fieldOfView" : "relativePanTilt";
  take(kind, "DefaultRelativePanTiltTranslationSpace");
  return ranges;
}

/** Of the generic spaces (ONVIF PTZ, 5.8). */
const WHOLE = { min: -1, max: 1 };
