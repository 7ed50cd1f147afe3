import { cameraArchive } from "../../../contract/index.js";
import { camerasWords } from "../../words/settings/cameras.js";
import {
  analysisOf,
  archivingOf,
  type Camera,
  type CameraChange,
  type Detector,
  detectorOf,
  type Mode,
  modelFor,
  modeOf,
  type Sound,
  type StreamName,
  soundOf,
} from "./model.js";

/** A camera's settings as the form has them. */
export interface Draft {
  readonly name: string;
  readonly place: string;
  readonly isUsed: boolean;
  readonly address: string;
  readonly login: string;
  /** Empty: as it is. */
  readonly password: string;
  readonly stream: StreamName;
  readonly mode: Mode;
  readonly detector: Detector;
  /** Empty: no bound. */
  readonly daysMin: string;
  readonly daysMax: string;
  readonly sound: Sound;
  readonly before: string;
  readonly after: string;
  /** Things and faces that analysers find in its pictures are kept. */
  readonly things: boolean;
  readonly faces: boolean;
}

export function draftOf(camera: Camera): Draft {
  const { ConnectionSettings: connection, ArchiveSettings: archive, AnalyzeSettings: analysis } = camera;
  return {
    ...{ name: camera.Name, place: camera.Description, isUsed: !camera.Disabled },
    ...{ address: connection.Hostname, login: connection.Login, password: "" },
    stream: archive.ArchivingVideoStreamType,
    ...{ mode: modeOf(archive), detector: detectorOf(camera), sound: soundOf(camera) },
    daysMin: daysText(archive.ArchivingMinDeepnessInDays),
    daysMax: daysText(archive.ArchivingMaxDeepnessInDays),
    before: `${archive.PreMotionDetectionRecSecs}`,
    after: `${archive.PostMotionDetectionRecSecs}`,
    ...{ things: analysis.InteractiveSearchEnabled, faces: analysis.FaceDetectorEnabled },
  };
}

/** The members that the draft differs in from the camera. */
export function changeOf(camera: Camera, draft: Draft): CameraChange {
  const known = draftOf(camera);
  const isNew = (...names: readonly (keyof Draft)[]): boolean =>
    names.some((name) => draft[name] !== known[name]);
  return {
    ...(isNew("name") ? { Name: draft.name.trim() } : {}),
    ...(isNew("place") ? { Description: draft.place } : {}),
    ...(isNew("isUsed") ? { Disabled: !draft.isUsed } : {}),
    ConnectionSettings: {
      ...(isNewConnection(camera, draft) ? connectionOf(camera, draft) : {}),
      ...(isNew("sound") ? { SoundReceivingEnabled: draft.sound !== "off" } : {}),
    },
    ArchiveSettings: {
      ...(isNew("mode") ? archivingOf(draft.mode) : {}),
      ...(isNew("stream") ? { ArchivingVideoStreamType: draft.stream } : {}),
      ...(isNew("daysMin") ? { ArchivingMinDeepnessInDays: Number(draft.daysMin) } : {}),
      ...(isNew("daysMax") ? { ArchivingMaxDeepnessInDays: Number(draft.daysMax) } : {}),
      ...(isNew("sound") && draft.sound !== "off"
        ? { ArchivingSoundDisabled: draft.sound !== "recorded" }
        : {}),
      ...(isNew("before") ? { PreMotionDetectionRecSecs: Number(draft.before) } : {}),
      ...(isNew("after") ? { PostMotionDetectionRecSecs: Number(draft.after) } : {}),
    },
    ...(isNew("detector", "things", "faces")
      ? {
          AnalyzeSettings: {
            ...(isNew("detector") ? analysisOf(draft.detector) : {}),
            ...(isNew("things") ? { InteractiveSearchEnabled: draft.things } : {}),
            ...(isNew("faces") ? { FaceDetectorEnabled: draft.faces } : {}),
          },
        }
      : {}),
  };
}

/** What a trial is asked with, and a change of the connection. */
export function connectionOf(camera: Camera, { address, login, password }: Draft) {
  return {
    ModelId: modelFor(address.trim(), camera.ConnectionSettings.ModelId),
    ...{ Hostname: address.trim(), Login: login },
    ...(password === "" ? {} : { Password: password }),
  };
}

/** Whether the recorder would connect in another way than it does. */
export function isNewConnection(camera: Camera, { address, login, password }: Draft): boolean {
  const { Hostname, Login } = camera.ConnectionSettings;
  return address.trim() !== Hostname || login !== Login || password !== "";
}

/** What is wrong with what was typed. */
export function faultOf({ name, address, daysMin, daysMax }: Draft): string | undefined {
  const words = camerasWords();
  if (name.trim() === "") return words.nameNeeded;
  if (address.trim() === "") return words.addressNeeded;
  const isDays = (text: string): boolean =>
    /^\d*$/.test(text) && Number(text) <= cameraArchive.ArchivingMaxDeepnessInDays.max;
  if (!isDays(daysMin) || !isDays(daysMax)) return words.daysWrong;
  return Number(daysMax) > 0 && Number(daysMin) > Number(daysMax) ? words.daysCrossed : undefined;
}

function daysText(days: number | null): string {
  return days === null || days === 0 ? "" : `${days}`;
}
