import type { Camera, CameraChange } from "../model.js";

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
  // Where nobody chose, nobody has: detection is automatic there, too.
  if (names.has("detector") && detector === null)
    return { MotionDetectorEnabled, ...(MotionDetectorEnabled ? { MotionDetectorSettings: null } : {}) };
  const BuildInCameraDetectorEnabled = detector?.BuildInCameraDetectorEnabled === true;
  return {
    ...(names.has("detector") ? { MotionDetectorEnabled } : {}),
    MotionDetectorSettings: {
      ...(names.has("detector") ? { BuildInCameraDetectorEnabled } : {}),
      ...(names.has("zones") ? { Zones: detector?.Zones ?? null } : {}),
    },
  };
}
