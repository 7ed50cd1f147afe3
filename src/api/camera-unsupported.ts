import { EMPTY_GUID } from "../base/index.js";
import type { BodyReader } from "./body-reader.js";

/** Members of the reference that the configuration cannot keep yet, with the values that change nothing. */
const UNSUPPORTED: readonly { readonly path: string; readonly accepted: readonly unknown[] }[] = [
  { path: "ServerBindingsSettings.ReservedServerId", accepted: ["", EMPTY_GUID] },
  { path: "ServerBindingsSettings.ReplicationServerId", accepted: ["", EMPTY_GUID] },
  { path: "ConnectionSettings.Ipv6Enabled", accepted: [false] },
  { path: "ConnectionSettings.MultiChannelServerEnabled", accepted: [false] },
  { path: "ConnectionSettings.MultiChannelServerChannelNum", accepted: [0, 1] },
  { path: "ConnectionSettings.IoProcessingEnabled", accepted: [false] },
  { path: "ConnectionSettings.SoundTransmittingEnabled", accepted: [false] },
  { path: "ConnectionSettings.ExternalNetworkPorts", accepted: [[]] },
  { path: "ConnectionSettings.SoundVolume", accepted: [100] },
  { path: "ConnectionSettings.DirectNetworkConnectionToCameraEnabled", accepted: [false] },
  { path: "ConnectionSettings.GpuClientVideoDecodingEnabled", accepted: [false] },
  { path: "ConnectionSettings.AlternativeVideoDecoderEnabled", accepted: [false] },
  { path: "ConnectionSettings.IsSecureConnectionEnabled", accepted: [false] },
  { path: "ArchiveSettings.PreMotionDetectionRecSecs", accepted: [1] },
  { path: "ArchiveSettings.PostMotionDetectionRecSecs", accepted: [1] },
  { path: "ArchiveSettings.LimitRecordFpsAndOnlyIndepFramesEnabled", accepted: [false] },
  { path: "ArchiveSettings.LimitedRecordFps", accepted: [0] },
  { path: "ArchiveSettings.DeviceArchiveEnabled", accepted: [false] },
  { path: "ArchiveSettings.DeviceArchiveAutoSynchronizationEnabled", accepted: [false] },
  { path: "AnalyzeSettings.MotionDetectorEnabled", accepted: [false] },
  { path: "AnalyzeSettings.MotionDetectorSettings", accepted: [{}] },
  { path: "AnalyzeSettings.AnalyzeStreamType", accepted: ["Main", "Alternative"] },
  { path: "AnalyzeSettings.FaceDetectorEnabled", accepted: [false] },
  { path: "AnalyzeSettings.FaceDetectorMode", accepted: ["Basic"] },
  { path: "AnalyzeSettings.InteractiveSearchEnabled", accepted: [false] },
  { path: "AnalyzeSettings.InteractiveSearchSettings", accepted: [{}] },
];

/** Refuses what would be dropped in silence: a member that cannot be kept yet may only have its default, or be absent or null. */
export function refuseUnsupported(camera: BodyReader): void {
  for (const { path, accepted } of UNSUPPORTED) {
    const [section = "", name = ""] = path.split(".");
    const given = memberOf(camera.value(section), name);
    if (given === undefined || accepted.some((value) => sameJson(value, given))) continue;
    camera.fault(path, `not supported by this version yet: leave it out, or ${JSON.stringify(accepted[0])}`);
  }
}

/** A member of a section; undefined when either is absent. Faults of the section itself are its reader's. */
function memberOf(section: unknown, name: string): unknown {
  const isObject = typeof section === "object" && section !== null && Object.hasOwn(section, name);
  return isObject ? ((section as Record<string, unknown>)[name] ?? undefined) : undefined;
}

function sameJson(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
