import type { ArchivingMode, Camera } from "../site/index.js";
import { mayRecord } from "./recording-reason.js";

/** How a channel is recorded: its mode, or not at all, because the channel or its recording is switched off. */
export type RecordingMode = ArchivingMode | "off";

const MODES: readonly RecordingMode[] = ["AlwaysOn", "BySchedule", "OnlyManual", "MDandManual", "off"];
const NO_CHANNEL = "no channel";

export function recordingMode(camera: Camera): RecordingMode {
  return mayRecord(camera) ? camera.archive.archivingMode : "off";
}

interface ModeChange {
  /** Undefined: the channel was added. */
  readonly from: RecordingMode | undefined;
  readonly to: RecordingMode;
}

/** The comment of an event `recordingModeChanged`. */
export function modeChangeText({ from, to }: ModeChange): string {
  return `from ${from ?? NO_CHANNEL} to ${to}`;
}

/** Reads such a comment; undefined for any other text. */
export function readModeChange(text: string): ModeChange | undefined {
  const [, before, after] = /^from (no channel|\w+) to (\w+)$/.exec(text) ?? [];
  const from = MODES.find((mode) => mode === before);
  const to = MODES.find((mode) => mode === after);
  if (to === undefined || (from === undefined && before !== NO_CHANNEL)) return undefined;
  return { from, to };
}
