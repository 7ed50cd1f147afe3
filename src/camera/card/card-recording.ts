import { parseIsoTime } from "../../base/index.js";
import type { XmlElement } from "../xml/xml-element.js";

/** The latest time that is accepted from a device, Unix microseconds: later ones are mistakes. */
const TIME_US_MAX = Date.UTC(2200, 0, 1) * 1000;

/** A recording that a device keeps, as it says; times by its own clock, Unix microseconds. */
export interface DeviceRecording {
  readonly token: string;
  readonly fromUs: number;
  readonly toUs: number;
  /** What it says of where it comes from: identifier, address, name. */
  readonly source: readonly string[];
  readonly hasVideo: boolean;
  readonly hasSound: boolean;
  /** Tokens of its tracks that are no video; undefined where the device names none. */
  readonly otherTracks?: readonly string[];
}

/** A contiguous stretch of a recording. */
export interface DeviceSection {
  readonly fromUs: number;
  readonly toUs: number;
}

/** Reads RecordingInformation (ONVIF Recording Search Service Specification, 5.2); undefined where it cannot be used. */
export function recordingOf(element: XmlElement): DeviceRecording | undefined {
  const tracks = element.children("Track");
  const token = element.text("RecordingToken");
  const starts = [element, ...tracks].flatMap(
    (one) => momentOf(one.text("EarliestRecording") || one.text("DataFrom")) ?? [],
  );
  const ends = [element, ...tracks].flatMap(
    (one) => momentOf(one.text("LatestRecording") || one.text("DataTo")) ?? [],
  );
  if (token === "" || starts.length === 0 || ends.length === 0) return undefined;
  const [fromUs, toUs] = [Math.min(...starts), Math.max(...ends)];
  if (toUs <= fromUs) return undefined;
  const types = tracks.map((track) => track.text("TrackType").toLowerCase());
  const others = tracks.filter((_, at) => types[at] !== "video").map((track) => track.text("TrackToken"));
  const isVideo = (name: string): boolean =>
    tracks.some((track, at) => types[at] === "video" && track.text("TrackToken") === name);
  const otherTracks = others.filter((name) => name !== "" && !isVideo(name));
  const source = ["SourceId", "Address", "Name"].map((name) => element.text("Source", name));
  return {
    ...{ token, fromUs, toUs, source: source.filter((text) => text !== "") },
    // A device that names no tracks records video: it is a camera.
    hasVideo: types.length === 0 || types.includes("video"),
    hasSound: types.includes("audio"),
    ...(otherTracks.length === 0 ? {} : { otherTracks }),
  };
}

/** What is known of a camera, to find its recordings among those of its device. */
export interface RecordingOwner {
  readonly profileToken: string | undefined;
  readonly videoSourceToken: string | undefined;
  /** From 1. */
  readonly channelNumber: number;
  readonly videoSources: number;
}

/** The recordings of one camera; undefined if the device does not say which of several they are. */
export function recordingsOf(
  owner: RecordingOwner,
  all: readonly DeviceRecording[],
): readonly DeviceRecording[] | undefined {
  const withVideo = all.filter(({ hasVideo }) => hasVideo);
  if (owner.videoSources <= 1) return withVideo;
  const names = [owner.videoSourceToken, owner.profileToken].filter(
    (name) => name !== undefined && name !== "",
  );
  const own = withVideo.filter((recording) => names.some((name) => isNamed(recording, name ?? "")));
  if (own.length > 0) return own;
  // One for each video source, in their order.
  const nth = withVideo[owner.channelNumber - 1];
  return withVideo.length === owner.videoSources && nth !== undefined ? [nth] : undefined;
}

/** Tokens shorter than this may be in others by chance. */
const DISTINCT_LENGTH_MIN = 8;

function isNamed({ token, source }: DeviceRecording, name: string): boolean {
  const bare = (text: string): string => text.replace(/^urn:uuid:/i, "").toLowerCase();
  const wanted = bare(name);
  return [token, ...source]
    .map(bare)
    .some((text) => text === wanted || (text.length >= DISTINCT_LENGTH_MIN && wanted.includes(text)));
}

/**
 * Reads the answers of a search for the states of a recording: where it is there, within the time that was asked for.
 * `otherTracks`: as the recording has them; their states are left out.
 */
export function sectionsOf(
  results: readonly XmlElement[],
  { fromUs, toUs }: DeviceSection,
  otherTracks: readonly string[] = [],
): DeviceSection[] {
  const states = results
    .filter((result) => !otherTracks.includes(result.text("TrackToken")))
    .flatMap((result) => {
      const timeUs = momentOf(result.text("Time"));
      const isThere = isPresent(result.at("Event", "Message", "Message", "Data"));
      return timeUs === undefined || isThere === undefined ? [] : [{ timeUs, isThere }];
    })
    .sort((one, other) => one.timeUs - other.timeUs || Number(one.isThere) - Number(other.isThere));
  const sections: DeviceSection[] = [];
  let sinceUs: number | undefined;
  for (const { timeUs, isThere } of states) {
    if (isThere) sinceUs ??= timeUs;
    else if (sinceUs !== undefined) {
      if (timeUs > sinceUs) sections.push({ fromUs: sinceUs, toUs: timeUs });
      sinceUs = undefined;
    }
  }
  if (sinceUs !== undefined && toUs > sinceUs) sections.push({ fromUs: sinceUs, toUs });
  return sections
    .map((one) => ({ fromUs: Math.max(one.fromUs, fromUs), toUs: Math.min(one.toUs, toUs) }))
    .filter((one) => one.toUs > one.fromUs);
}

function isPresent(data: XmlElement | undefined): boolean | undefined {
  const items = data?.children("SimpleItem") ?? [];
  const value = items.find((item) => item.attribute("Name") === "IsDataPresent")?.attribute("Value");
  if (/^(?:true|1)$/i.test(value ?? "")) return true;
  return /^(?:false|0)$/i.test(value ?? "") ? false : undefined;
}

/** An `xs:dateTime`; one without a zone is UTC, as ONVIF wants it. */
function momentOf(text: string): number | undefined {
  if (text === "") return undefined;
  const zoned = /(?:Z|[+-]\d\d:\d\d)$/i.test(text) ? text : `${text}Z`;
  const ms = Date.parse(zoned);
  const us = parseIsoTime(zoned) ?? (Number.isNaN(ms) ? undefined : ms * 1000);
  return us !== undefined && us > 0 && us < TIME_US_MAX ? us : undefined;
}
