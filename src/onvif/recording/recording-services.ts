import { rtspBase } from "../media/stream-addresses.js";
import {
  type DeviceService,
  forEverybody,
  forUser,
  type Operation,
  type UserCall,
} from "../soap/operation.js";
import { SoapFault, textElement } from "../soap/soap-message.js";
import type { MediaAttributes } from "./media-attributes.js";
import type { RecordedEvents } from "./recorded-events.js";
import { recordingConfiguration, recordingInformation, recordingItem, timeText } from "./recording-parts.js";
import type { DeviceRecording, Recordings } from "./recordings.js";
import { inScope } from "./search-scope.js";
import type { SearchSessions } from "./search-sessions.js";

const VERSION = { major: 26, minor: 6 };

export interface RecordingServicesOptions {
  readonly recordings: Recordings;
  readonly recordedEvents: RecordedEvents;
  readonly attributes: MediaAttributes;
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
  const { recordings, recordedEvents, attributes, sessions } = options;
  const capabilities = '<tse:Capabilities MetadataSearch="false" GeneralStartEvents="true"/>';
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
      ["GetMediaAttributes", forUser((call) => attributes.answer(call))],
      [
        "FindRecordings",
        forUser(async (call) => {
          const found = async () =>
            inScope(recordings, call).map((one) => recordingInformation("tt:RecordingInformation", one));
          return token(await sessions.begin(call, "recordings", found));
        }),
      ],
      ["GetRecordingSearchResults", forUser((call) => results(sessions, call, "recordings"))],
      [
        "FindEvents",
        forUser(async (call) => token(await sessions.begin(call, "events", () => recordedEvents.find(call)))),
      ],
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

function token(text: string): string {
  return textElement("tse:SearchToken", text);
}

function results(sessions: SearchSessions, call: UserCall, kind: "recordings" | "events"): string {
  const { found, isOver } = sessions.take(call, kind);
  const state = textElement("tt:SearchState", isOver ? "Completed" : "Searching");
  return `<tse:ResultList>${state}${found.join("")}</tse:ResultList>`;
}
