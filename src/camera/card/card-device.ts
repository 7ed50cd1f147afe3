import { formatIsoTime, NvrdError } from "../../base/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type { DeviceServices } from "../description/device-description.js";
import type { SoapClient } from "../soap/soap-client.js";
import { escapeXml } from "../soap/soap-envelope.js";
import type { XmlElement } from "../xml/xml-element.js";
import { type DeviceRecording, type DeviceSection, recordingOf, sectionsOf } from "./card-recording.js";

/** Recordings, and changes of their state, that are read of a device. */
export const RECORDINGS_MAX = 256;
export const STATES_MAX = 1000;
/** Questions for the results of one search: a device may answer with one result, or none, each time. */
const ROUNDS_MAX = 64;
const RESULTS_A_ROUND = 100;

const STATES_FILTER =
  '<n:TopicExpression xmlns:n="http://docs.oasis-open.org/wsn/b-2" xmlns:tns1="http://www.onvif.org/ver10/topics"' +
  ' Dialect="http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet">tns1:RecordingHistory/Track/State</n:TopicExpression>';

interface Search {
  readonly find: string;
  readonly results: string;
  readonly content: string;
  /** Name of a result's element. */
  readonly name: string;
  readonly resultsMax: number;
}

/** What a device keeps, as ONVIF calls of Profile G. Rejects with CameraFailure. */
export class CardDevice {
  readonly #client: SoapClient;
  readonly #search: string;
  readonly #replay: string;

  /** Throws NvrdError NOT_SUPPORTED if the device does not have the services. */
  constructor(client: SoapClient, { search, replay }: DeviceServices) {
    if (search === undefined || replay === undefined)
      throw new NvrdError("NOT_SUPPORTED", "the camera offers no recordings of its own (ONVIF Profile G)", {
        hint: "",
      });
    this.#client = client;
    this.#search = search;
    this.#replay = replay;
  }

  async recordings(signal: AbortSignal): Promise<readonly DeviceRecording[]> {
    const found = await this.#find(
      {
        ...{ find: "FindRecordings", results: "GetRecordingSearchResults", name: "RecordingInformation" },
        content: "<m:Scope/>",
        resultsMax: RECORDINGS_MAX,
      },
      signal,
    );
    return found.flatMap((element) => recordingOf(element) ?? []);
  }

  /** Where a recording is contiguous within a time, by the device's clock. */
  async sections(
    { token, otherTracks }: Pick<DeviceRecording, "token" | "otherTracks">,
    within: DeviceSection,
    signal: AbortSignal,
  ): Promise<readonly DeviceSection[]> {
    const scope = `<m:Scope><tt:IncludedRecordings>${escapeXml(token)}</tt:IncludedRecordings></m:Scope>`;
    const find = (filter: string): Promise<XmlElement[]> =>
      this.#find(
        {
          ...{ find: "FindEvents", results: "GetEventSearchResults", name: "Result", resultsMax: STATES_MAX },
          content:
            `<m:StartPoint>${formatIsoTime(within.fromUs)}</m:StartPoint><m:EndPoint>${formatIsoTime(within.toUs)}</m:EndPoint>` +
            `${scope}<m:SearchFilter>${filter}</m:SearchFilter><m:IncludeStartState>true</m:IncludeStartState>`,
        },
        signal,
      );
    return sectionsOf(await this.#filtered(find), within, otherTracks);
  }

  /** Motion and the like would take the place of the states that are wanted; a device may know no filters. */
  async #filtered(find: (filter: string) => Promise<XmlElement[]>): Promise<XmlElement[]> {
    try {
      return await find(STATES_FILTER);
    } catch (error) {
      if (!(error instanceof CameraFailure) || error.kind !== "refused") throw error;
      return await find("");
    }
  }

  async replayUri(token: string, signal: AbortSignal): Promise<string> {
    const setup =
      "<m:StreamSetup><tt:Stream>RTP-Unicast</tt:Stream><tt:Transport><tt:Protocol>RTSP</tt:Protocol></tt:Transport></m:StreamSetup>";
    const answer = await this.#client.call({
      ...{ address: this.#replay, service: "replay", operation: "GetReplayUri", signal },
      content: `${setup}<m:RecordingToken>${escapeXml(token)}</m:RecordingToken>`,
    });
    return answer.child("Uri")?.rawText ?? "";
  }

  async #find(search: Search, signal: AbortSignal): Promise<XmlElement[]> {
    const begun = await this.#client.call({
      ...{ address: this.#search, service: "search", operation: search.find, signal },
      content: `${search.content}<m:MaxMatches>${search.resultsMax}</m:MaxMatches><m:KeepAliveTime>PT30S</m:KeepAliveTime>`,
    });
    const token = `<m:SearchToken>${escapeXml(begun.text("SearchToken"))}</m:SearchToken>`;
    const found: XmlElement[] = [];
    try {
      for (let round = 0; round < ROUNDS_MAX && found.length < search.resultsMax; round += 1) {
        const answer = await this.#client.call({
          ...{ address: this.#search, service: "search", operation: search.results, signal },
          content: `${token}<m:MinResults>1</m:MinResults><m:MaxResults>${RESULTS_A_ROUND}</m:MaxResults><m:WaitTime>PT2S</m:WaitTime>`,
        });
        const list = answer.child("ResultList");
        found.push(...(list?.children(search.name) ?? []));
        if (list?.text("SearchState") !== "Searching" && list?.text("SearchState") !== "Queued") break;
      }
    } finally {
      await this.#end(token, signal);
    }
    return found.slice(0, search.resultsMax);
  }

  /** A device has few searches at once, and keeps one until it is ended or long unused. */
  async #end(token: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      await this.#client.call({
        ...{ address: this.#search, service: "search", operation: "EndSearch", signal },
        content: token,
      });
    } catch (error) {
      // Many devices have forgotten a search that has returned all; one that has not ends it by itself (KeepAliveTime).
      if (!(error instanceof NvrdError)) throw error;
    }
  }
}
