import { errorWords } from "../../control/notice.js";
import { camerasWords } from "../../words/cameras.js";
import { type Camera, type CameraChange, cameraOf, changeCamera, detectorOf, isOutdated } from "./model.js";
import { zonesOf } from "./zones.js";

/** What can be copied to other cameras. */
export const COPIED = ["mode", "schedule", "days", "sound", "seconds", "detector", "zones"] as const;
export type CopiedName = (typeof COPIED)[number];

/** The members of a camera that are copied; the connection, name and place are its own. */
export function copiedChange(from: Camera, names: ReadonlySet<CopiedName>): CameraChange {
  const { ArchiveSettings: archive, ConnectionSettings: connection } = from;
  const has = (name: CopiedName): boolean => names.has(name);
  const part = <Part extends object>(name: CopiedName, value: Part): Part | Record<string, never> =>
    has(name) ? value : {};
  return {
    ConnectionSettings: part("sound", { SoundReceivingEnabled: connection.SoundReceivingEnabled }),
    ArchiveSettings: {
      ...part("mode", {
        ArchivingDisabled: archive.ArchivingDisabled,
        ArchivingMode: archive.ArchivingMode,
      }),
      ...part("schedule", { Schedule: archive.Schedule }),
      ...part("days", {
        ArchivingMinDeepnessInDays: archive.ArchivingMinDeepnessInDays,
        ArchivingMaxDeepnessInDays: archive.ArchivingMaxDeepnessInDays,
      }),
      ...part("sound", { ArchivingSoundDisabled: archive.ArchivingSoundDisabled }),
      ...part("seconds", {
        PreMotionDetectionRecSecs: archive.PreMotionDetectionRecSecs,
        PostMotionDetectionRecSecs: archive.PostMotionDetectionRecSecs,
      }),
    },
    ...(has("detector") || has("zones") ? { AnalyzeSettings: analysisChange(from, names) } : {}),
  };
}

function analysisChange(
  { AnalyzeSettings }: Camera,
  names: ReadonlySet<CopiedName>,
): NonNullable<CameraChange["AnalyzeSettings"]> {
  const { MotionDetectorEnabled, MotionDetectorSettings: detector } = AnalyzeSettings;
  const BuildInCameraDetectorEnabled = detector?.BuildInCameraDetectorEnabled === true;
  return {
    ...(names.has("detector") ? { MotionDetectorEnabled } : {}),
    MotionDetectorSettings: {
      ...(names.has("detector") ? { BuildInCameraDetectorEnabled } : {}),
      ...(names.has("zones") ? { Zones: detector?.Zones ?? null } : {}),
    },
  };
}

/** What became of one camera. */
export interface CopyResult {
  readonly id: string;
  readonly name: string;
  readonly isDone: boolean;
  /** What was not possible, or has to be looked at there. */
  readonly notes: readonly string[];
}

/** Copies to one camera after the other; one that refuses does not keep the others from it. */
export async function copyTo(
  from: Camera,
  ids: readonly string[],
  names: ReadonlySet<CopiedName>,
  onResult: (result: CopyResult) => void,
): Promise<void> {
  const change = copiedChange(from, names);
  for (const id of ids) {
    const camera = cameraOf(id);
    if (camera === undefined) continue;
    const known = { id, name: camera.Name };
    try {
      await changeCamera(camera, change);
      onResult({ ...known, isDone: true, notes: notesOn(from, camera, names) });
    } catch (error) {
      const words = camerasWords();
      onResult({
        ...known,
        isDone: false,
        notes: [isOutdated(error) ? words.changedMeanwhile : errorWords(error)],
      });
    }
  }
}

/** What a setting cannot do at this camera as it could at the other one. */
function notesOn(from: Camera, onto: Camera, names: ReadonlySet<CopiedName>): readonly string[] {
  const words = camerasWords();
  const isMotion = from.ArchiveSettings.ArchivingMode === "MDandManual";
  const lacksDetector = !names.has("detector") && detectorOf(onto) === "none";
  const hasZones = zonesOf(from.AnalyzeSettings.MotionDetectorSettings?.Zones).length > 0;
  const isRtsp = /^rtsps?:/i.test(onto.ConnectionSettings.Hostname);
  return [
    ...(names.has("mode") && isMotion && lacksDetector ? [words.copyNoDetector] : []),
    ...(names.has("detector") && detectorOf(from) === "camera" && isRtsp ? [words.copyNoCameraDetector] : []),
    ...(names.has("zones") && hasZones ? [words.copyLookAtZones] : []),
  ];
}
