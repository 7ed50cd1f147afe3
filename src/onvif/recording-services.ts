import { parseIsoTime } from "../base/index.js";
import { type DeviceService, forEverybody, forUser, type Operation, type UserCall } from "./operation.js";
import {
  recordingConfiguration,
  recordingInformation,
  recordingItem,
  recordingState,
  timeText,
} from "./recording-parts.js";
import type { DeviceRecording, Recordings } from "./recordings.js";
import type { SearchSessions } from "./search-sessions.js";
import { invalidArgument, SoapFault, textElement } from "./soap-message.js";
import { rtspBase } from "./stream-addresses.js";

const VERSION = { major: 26, minor: 6 };
const SCOPE_MAX = 256;
/** Results of a search; what is beyond is found by another one from the last time on. */
const RESULTS_MAX = 1000;
const TIME_US_MAX = Date.UTC(2100, 0, 1) * 1000;

export interface RecordingServicesOptions {
  readonly recordings: Recordings;
  readonly sessions: SearchSessions;
  /** 0: there is no RTSP server. */
  readonly rtspPort: () => number;
}

/** Which recordings there are (ONVIF Recording Control Service Specification), read only. */
export function recordingService({ recordings }: RecordingServicesOptions): DeviceService {
  const capabilities =
    '<trc:Capabilities DynamicRecordings="false" DynamicTracks="false" MaxRecordingJobs="0" Options="false" MetadataRecording="false"/>';
  return {
    ...{ name: "recording_service", prefix: "trc", version: VERSION, capabilities },
    legacyCapability: (address) => ({
      name: "Recording",
      xml:
        `<tt:Recording>${textElement("tt:XAddr", address)}<tt:ReceiverSource>false</tt:ReceiverSource>` +
        "<tt:MediaProfileSource>false</tt:MediaProfileSource><tt:DynamicRecordings>false</tt:DynamicRecordings>" +
        "<tt:DynamicTracks>false</tt:DynamicTracks><tt:MaxStringLength>64</tt:MaxStringLength></tt:Recording>",
    }),
    operations: new Map<string, Operation>([
      ["GetServiceCapabilities", forEverybody(() => capabilities)],
      ["GetRecordings", forUser(({ user }) => recordings.all(user).map(recordingItem).join(""))],
      [
        "GetRecordingConfiguration",
        forUser(({ user, content }) =>
          recordingConfiguration(
            "trc:RecordingConfiguration",
            recordings.one(user, content.text("RecordingToken")),
          ),
        ),
      ],
      // When what is recorded is decided by the recorder: there are no jobs that clients change.
      ["GetRecordingJobs", forUser(() => "")],
    ]),
  };
}

/** What is recorded when (ONVIF Recording Search Service Specification). */
export function searchService(options: RecordingServicesOptions): DeviceService {
  const { recordings, sessions } = options;
  const capabilities = '<tse:Capabilities MetadataSearch="false" GeneralStartEvents="false"/>';
  return {
    ...{ name: "search_service", prefix: "tse", version: VERSION, capabilities },
    legacyCapability: (address) => ({
      name: "Search",
      xml: `<tt:Search>${textElement("tt:XAddr", address)}<tt:MetadataSearch>false</tt:MetadataSearch></tt:Search>`,
    }),
    operations: new Map<string, Operation>([
      ["GetServiceCapabilities", forEverybody(() => capabilities)],
      ["GetRecordingSummary", forUser(({ user }) => summary(recordings.all(user)))],
      [
        "GetRecordingInformation",
        forUser(({ user, content }) =>
          recordingInformation(
            "tse:RecordingInformation",
            recordings.one(user, content.text("RecordingToken")),
          ),
        ),
      ],
      [
        "FindRecordings",
        forUser((call) => {
          const found = inScope(recordings, call);
          return token(
            sessions.begin(
              call,
              "recordings",
              found.map((one) => recordingInformation("tt:RecordingInformation", one)),
            ),
          );
        }),
      ],
      ["GetRecordingSearchResults", forUser((call) => results(sessions, call, "recordings"))],
      ["FindEvents", forUser((call) => token(sessions.begin(call, "events", statesOf(recordings, call))))],
      ["GetEventSearchResults", forUser((call) => results(sessions, call, "events"))],
      [
        "GetSearchState",
        forUser((call) => textElement("tse:State", sessions.isOver(call) ? "Completed" : "Searching")),
      ],
      ["EndSearch", forUser((call) => textElement("tse:Endpoint", timeText(sessions.end(call))))],
    ]),
  };
}

/** Recordings over RTSP (ONVIF Replay Control Service Specification). */
export function replayService({ recordings, rtspPort }: RecordingServicesOptions): DeviceService {
  const capabilities =
    '<trp:Capabilities ReversePlayback="false" SessionTimeoutRange="60 60" RTP_RTSP_TCP="true"/>';
  return {
    ...{ name: "replay_service", prefix: "trp", version: VERSION, capabilities },
    legacyCapability: (address) => ({
      name: "Replay",
      xml: `<tt:Replay>${textElement("tt:XAddr", address)}</tt:Replay>`,
    }),
    operations: new Map<string, Operation>([
      ["GetServiceCapabilities", forEverybody(() => capabilities)],
      [
        "GetReplayUri",
        forUser((call) => textElement("trp:Uri", replayAddress(recordings, rtspPort(), call))),
      ],
      [
        "GetReplayConfiguration",
        forUser(() => "<trp:Configuration><tt:SessionTimeout>PT60S</tt:SessionTimeout></trp:Configuration>"),
      ],
    ]),
  };
}

function replayAddress(recordings: Recordings, rtspPort: number, { user, content, place }: UserCall): string {
  const { key, hasSound } = recordings.one(user, content.text("RecordingToken"));
  const stream = content.text("StreamSetup", "Stream");
  if (stream !== "" && stream !== "RTP-Unicast")
    throw new SoapFault(
      "Sender",
      ["InvalidArgVal", "InvalidStreamSetup"],
      "recordings are sent over RTSP, unicast",
    );
  const sound = hasSound ? "&sound=on" : "";
  return `${rtspBase(place, rtspPort)}?channelid=${key.channelId}&mode=archive&streamtype=${key.streamType}${sound}`;
}

function summary(all: readonly DeviceRecording[]): string {
  const from = Math.min(...all.map(({ fromUs }) => fromUs));
  const until = Math.max(...all.map(({ toUs }) => toUs));
  const isNone = all.length === 0;
  return (
    `<tse:Summary>${textElement("tt:DataFrom", timeText(isNone ? 0 : from))}` +
    `${textElement("tt:DataUntil", timeText(isNone ? 0 : until))}` +
    `${textElement("tt:NumberRecordings", all.length)}</tse:Summary>`
  );
}

/** The recordings of a search's scope; names that are none's are no error. */
function inScope(recordings: Recordings, { user, content }: UserCall): readonly DeviceRecording[] {
  const scope = content.child("Scope");
  if (scope?.child("RecordingInformationFilter") !== undefined)
    throw invalidArgument("InvalidFilterFault", "recordings are chosen by their tokens, not by a filter");
  const tokens = scope?.children("IncludedRecordings").map((each) => each.text()) ?? [];
  const sources = scope?.children("IncludedSources").map((each) => each.text("Token")) ?? [];
  if (tokens.length + sources.length > SCOPE_MAX)
    throw invalidArgument("TooManyTokens", `a search has at most ${SCOPE_MAX} recordings and sources`);
  const isWanted = ({ camera }: DeviceRecording): boolean =>
    (tokens.length === 0 && sources.length === 0) ||
    tokens.includes(camera.id) ||
    sources.some((source) => source.endsWith(camera.id));
  return recordings.all(user).filter(isWanted);
}

/** When recordings began and ended within an interval, in the order of the search: backwards if it ends before it starts. */
function statesOf(recordings: Recordings, call: UserCall): readonly string[] {
  const { content } = call;
  const start = momentOf(content.text("StartPoint")) ?? 0;
  const end = momentOf(content.text("EndPoint")) ?? TIME_US_MAX;
  const [fromUs, toUs] = [Math.min(start, end), Math.max(start, end)];
  const withStart = /^(?:true|1)$/i.test(content.text("IncludeStartState"));
  const states = inScope(recordings, call).flatMap((recording) => {
    const changes = recordings
      .sections(recording, fromUs, toUs)
      .flatMap(({ fromUs: began, toUs: ended }) => [
        { recording, timeUs: began, isRecording: true, isStart: false },
        { recording, timeUs: ended, isRecording: false, isStart: false },
      ])
      .filter(({ timeUs }) => timeUs >= fromUs && timeUs <= toUs)
      // The end of what is being recorded is not known.
      .filter(({ timeUs, isRecording }) => isRecording || !recording.isGrowing || timeUs < recording.toUs);
    if (!withStart) return changes;
    const isRecording = recordings.sections(recording, start, start + 1).length > 0;
    return [{ recording, timeUs: start, isRecording, isStart: true }, ...changes];
  });
  const forwards = states.sort((one, other) => one.timeUs - other.timeUs);
  const ordered = start <= end ? forwards : forwards.reverse();
  return ordered.slice(0, RESULTS_MAX).map(({ recording, ...state }) => recordingState(recording, state));
}

function momentOf(text: string): number | undefined {
  if (text === "") return undefined;
  const ms = Date.parse(text);
  const us = parseIsoTime(text) ?? (Number.isNaN(ms) ? undefined : ms * 1000);
  if (us === undefined) throw invalidArgument("InvalidTime", "a time is as 2026-11-21T09:00:00Z");
  return Math.min(Math.max(us, 0), TIME_US_MAX);
}

function token(text: string): string {
  return textElement("tse:SearchToken", text);
}

function results(sessions: SearchSessions, call: UserCall, kind: "recordings" | "events"): string {
  const { found, isOver } = sessions.take(call, kind);
  const state = textElement("tt:SearchState", isOver ? "Completed" : "Searching");
  return `<tse:ResultList>${state}${found.join("")}</tse:ResultList>`;
}
