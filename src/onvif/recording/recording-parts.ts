import { formatIsoTime, type Guid } from "../../base/index.js";
import { CONCRETE_SET, type PropertyMessage, propertyXml } from "../event/property-message.js";
import { configurationName } from "../media/profiles.js";
import { textElement } from "../soap/soap-message.js";
import type { DeviceRecording } from "./recordings.js";

/** What the services of Profile G say of a recording. */

export const TRACKS = { video: "video", audio: "audio" } as const;

/** `xs:dateTime` in UTC. */
export function timeText(us: number): string {
  return formatIsoTime(us);
}

function source({ camera }: DeviceRecording): string {
  return (
    `<tt:Source>${textElement("tt:SourceId", `urn:uuid:${camera.id}`)}` +
    textElement("tt:Name", configurationName(camera.name)) +
    `<tt:Location/>${textElement("tt:Description", camera.description)}` +
    `${textElement("tt:Address", `urn:uuid:${camera.id}`)}</tt:Source>`
  );
}

function tracksOf({ hasSound }: DeviceRecording): readonly (readonly [token: string, type: string])[] {
  const video = [TRACKS.video, "Video"] as const;
  return hasSound ? [video, [TRACKS.audio, "Audio"]] : [video];
}

/** A track by its token. */
export function trackInformation(name: string, { fromUs, toUs }: DeviceRecording, token: string): string {
  const type = token === TRACKS.audio ? "Audio" : "Video";
  return (
    `<${name}>${textElement("tt:TrackToken", token)}${textElement("tt:TrackType", type)}<tt:Description/>` +
    `${textElement("tt:DataFrom", timeText(fromUs))}${textElement("tt:DataTo", timeText(toUs))}</${name}>`
  );
}

export function recordingInformation(name: string, recording: DeviceRecording): string {
  const { camera, fromUs, toUs, isGrowing } = recording;
  const tracks = tracksOf(recording).map(([token]) => trackInformation("tt:Track", recording, token));
  return (
    `<${name}>${textElement("tt:RecordingToken", camera.id)}${source(recording)}` +
    textElement("tt:EarliestRecording", timeText(fromUs)) +
    textElement("tt:LatestRecording", timeText(toUs)) +
    `${textElement("tt:Content", camera.name)}${tracks.join("")}` +
    `${textElement("tt:RecordingStatus", isGrowing ? "Recording" : "Stopped")}</${name}>`
  );
}

/** Retention is by days and by disk space; a recording has no length of its own. */
export function recordingConfiguration(name: string, recording: DeviceRecording): string {
  const { maxDays } = recording.camera.archive;
  return (
    `<${name}>${source(recording)}${textElement("tt:Content", recording.camera.name)}` +
    `${textElement("tt:MaximumRetentionTime", maxDays > 0 ? `P${maxDays}D` : "PT0S")}</${name}>`
  );
}

export function recordingItem(recording: DeviceRecording): string {
  const tracks = tracksOf(recording).map(
    ([token, type]) =>
      `<tt:Track>${textElement("tt:TrackToken", token)}<tt:Configuration>${textElement("tt:TrackType", type)}` +
      "<tt:Description/></tt:Configuration></tt:Track>",
  );
  return (
    `<trc:RecordingItem>${textElement("tt:RecordingToken", recording.camera.id)}` +
    `${recordingConfiguration("tt:Configuration", recording)}<tt:Tracks>${tracks.join("")}</tt:Tracks></trc:RecordingItem>`
  );
}

/** That a recording begins or ends, and its data (ONVIF Recording Search Service Specification, Recording Event Descriptions). */
export const STATE_TOPICS = ["RecordingHistory/Recording/State", "RecordingHistory/Track/State"] as const;

/** Whether a recording is made, or its video, or its sound is there. */
export interface RecordingState {
  readonly stateOf: (typeof STATE_TOPICS)[number];
  /** Of a track's state: of sound; otherwise of video. */
  readonly ofSound?: boolean;
  readonly isThere: boolean;
}

/** Something that happened in a recording, or how it was at the start of a search. */
export interface FoundEvent {
  readonly recording: DeviceRecording;
  readonly timeUs: number;
  readonly isStart: boolean;
  /** Whether it is there, or what of the camera changed. */
  readonly what: RecordingState | PropertyMessage;
}

export function foundEvent({ recording, timeUs, isStart, what }: FoundEvent): string {
  const { camera } = recording;
  const time = timeText(timeUs);
  const isOfNoTrack = "stateOf" in what && what.stateOf === "RecordingHistory/Recording/State";
  const track = "stateOf" in what && what.ofSound === true ? TRACKS.audio : TRACKS.video;
  return (
    `<tt:Result>${textElement("tt:RecordingToken", camera.id)}` +
    `${textElement("tt:TrackToken", isOfNoTrack ? "" : track)}${textElement("tt:Time", time)}<tt:Event>` +
    ("stateOf" in what
      ? stateXml(camera.id, what, time, isStart)
      : propertyXml({ ...what, operation: isStart ? "Initialized" : "Changed" }, time)) +
    `</tt:Event>${textElement("tt:StartStateEvent", isStart)}</tt:Result>`
  );
}

function stateXml(
  id: Guid,
  { stateOf, isThere, ofSound = false }: RecordingState,
  time: string,
  isStart: boolean,
): string {
  const isTrack = stateOf === "RecordingHistory/Track/State";
  const token = ofSound ? TRACKS.audio : TRACKS.video;
  const track = isTrack ? `<tt:SimpleItem Name="Track" Value="${token}"/>` : "";
  return (
    `<wsnt:Topic Dialect="${CONCRETE_SET}">tns1:${stateOf}</wsnt:Topic>` +
    `<wsnt:Message><tt:Message UtcTime="${time}" PropertyOperation="${isStart ? "Initialized" : "Changed"}">` +
    `<tt:Source><tt:SimpleItem Name="RecordingToken" Value="${id}"/>${track}</tt:Source>` +
    `<tt:Data><tt:SimpleItem Name="${isTrack ? "IsDataPresent" : "IsRecording"}" Value="${isThere}"/></tt:Data></tt:Message></wsnt:Message>`
  );
}
