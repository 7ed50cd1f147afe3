import type { EventKinds } from "../../../contract/answer/index.js";
import type { CameraEventSettings } from "../../../contract/index.js";
import type { Camera } from "./model.js";

/** A kind of what cameras report, as the recorder names it. */
export type SeenKind = EventKinds[number];

/** The kinds that are chosen, with the defaults where nothing was. */
export interface SeenChoice {
  readonly marked: ReadonlySet<string>;
  readonly recorded: ReadonlySet<string>;
}

type Analysis = Camera["AnalyzeSettings"];

const DEFAULTS: CameraEventSettings = { Marked: null, Recorded: null };

export function seenChoice(
  analysis: Analysis,
  kinds: readonly SeenKind[],
  { Marked, Recorded } = analysis.CameraEventSettings ?? DEFAULTS,
): SeenChoice {
  return {
    marked: new Set(Marked ?? kinds.map(({ Kind }) => Kind)),
    recorded: Recorded === null ? usual(analysis, kinds) : new Set(Recorded),
  };
}

export function usualChoice(analysis: Analysis, kinds: readonly SeenKind[]): SeenChoice {
  return seenChoice(analysis, kinds, DEFAULTS);
}

/** The settings of a choice; what is as by default stays the default. */
export function seenSettings(
  { marked, recorded }: SeenChoice,
  analysis: Analysis,
  kinds: readonly SeenKind[],
): CameraEventSettings {
  const chosen = (of: ReadonlySet<string>) => kinds.flatMap(({ Kind }) => (of.has(Kind) ? [Kind] : []));
  const [Marked, Recorded] = [chosen(marked), chosen(recorded)];
  return {
    Marked: Marked.length === kinds.length ? null : Marked,
    Recorded: `${Recorded}` === `${chosen(usual(analysis, kinds))}` ? null : Recorded,
  };
}

/** Where motion is left to the camera, it is recorded on whatever reports somebody or something. */
function usual({ MotionDetectorSettings }: Analysis, kinds: readonly SeenKind[]): ReadonlySet<string> {
  const isOfCamera = MotionDetectorSettings?.BuildInCameraDetectorEnabled === true;
  return new Set(kinds.flatMap(({ Kind, IsPresence }) => (isOfCamera && IsPresence ? [Kind] : [])));
}
