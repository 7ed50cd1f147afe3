import { errorWords } from "../../../control/notice.js";
import { camerasWords } from "../../../words/settings/cameras.js";
import { isOutdated } from "../../outdated.js";
import { type Camera, cameraOf, changeCamera, detectorOf } from "../model.js";
import { zonesOf } from "../motion/zones.js";
import { type CopiedName, copiedChange } from "./copied.js";

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
  const isRtsp = /^rtsp(?:s|\+https?)?:/i.test(onto.ConnectionSettings.Hostname);
  return [
    ...(names.has("mode") && isMotion && lacksDetector ? [words.copyNoDetector] : []),
    ...(names.has("detector") && detectorOf(from) === "camera" && isRtsp ? [words.copyNoCameraDetector] : []),
    ...(names.has("zones") && hasZones ? [words.copyLookAtZones] : []),
  ];
}
