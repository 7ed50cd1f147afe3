import type { Guid } from "../base/index.js";
import type { EventLog, EventRecord } from "../event/index.js";
import type { UserCall } from "./operation.js";
import { EVENTS_OF_TOPICS, lostMessage, messageOf, motionMessage, TOPICS } from "./property-message.js";
import { type FoundEvent, foundEvent, STATE_TOPIC } from "./recording-parts.js";
import type { DeviceRecording, Recordings } from "./recordings.js";
import { inScope, spanOf } from "./search-scope.js";
import { topicFilter } from "./topic-filter.js";

/** Results of a search; what is beyond is found by another one from the last time on. */
export const RESULTS_MAX = 1000;
/** Events that are read of a camera to learn how its inputs were at the start of a search. */
const INPUT_EVENTS_MAX = 64;

export interface RecordedEventsOptions {
  readonly recordings: Recordings;
  readonly events: Pick<EventLog, "search">;
}

interface Span {
  readonly startUs: number;
  readonly endUs: number;
}

/**
 * What happened in recordings: where they begin and end, and of their cameras motion, lost connections and inputs, as far as the
 * event log has them.
 */
export class RecordedEvents {
  readonly #options: RecordedEventsOptions;

  constructor(options: RecordedEventsOptions) {
    this.#options = options;
  }

  /**
   * The results of FindEvents as elements, in the order of the search: backwards if it ends before it starts. Rejects with
   * SoapFault, and with NvrdError NOT_AVAILABLE if the event log cannot be read.
   */
  async find(call: UserCall): Promise<readonly string[]> {
    const { recordings } = this.#options;
    const isWanted = topicFilter(call.content.child("SearchFilter"));
    const span = spanOf(call);
    const withStart = /^(?:true|1)$/i.test(call.content.text("IncludeStartState"));
    const found = inScope(recordings, call);
    const topics = [...EVENTS_OF_TOPICS.keys()].filter(isWanted);
    const states = isWanted(STATE_TOPIC) ? found : [];
    const started = withStart
      ? [
          ...states.map((recording) => this.#stateAt(recording, span.startUs)),
          ...(await this.#propertiesAt(found, topics, span.startUs, call)),
        ]
      : [];
    const changes = [
      ...states.flatMap((recording) => this.#states(recording, span)),
      ...(await this.#changes(found, topics, span, call)),
    ].sort((one, other) => one.timeUs - other.timeUs);
    const ordered = span.startUs <= span.endUs ? changes : changes.reverse();
    return [...started, ...ordered].slice(0, RESULTS_MAX).map(foundEvent);
  }

  #stateAt(recording: DeviceRecording, timeUs: number): FoundEvent {
    const what = this.#options.recordings.sections(recording, timeUs, timeUs + 1).length > 0;
    return { recording, timeUs, isStart: true, what };
  }

  /** When a recording began and ended. */
  #states(recording: DeviceRecording, span: Span): readonly FoundEvent[] {
    const [fromUs, toUs] = interval(span);
    return (
      this.#options.recordings
        .sections(recording, fromUs, toUs)
        .flatMap(({ fromUs: began, toUs: ended }) => [
          { recording, timeUs: began, what: true, isStart: false },
          { recording, timeUs: ended, what: false, isStart: false },
        ])
        .filter(({ timeUs }) => timeUs >= fromUs && timeUs <= toUs)
        // The end of what is being recorded is not known.
        .filter(({ timeUs, what }) => what || !recording.isGrowing || timeUs < recording.toUs)
    );
  }

  /** Changes of properties since the beginning of each recording; the first ones in the direction of the search. */
  async #changes(
    found: readonly DeviceRecording[],
    topics: readonly string[],
    span: Span,
    call: UserCall,
  ): Promise<readonly FoundEvent[]> {
    const [fromUs, toUs] = interval(span);
    const byId = new Map(found.map((recording) => [recording.camera.id, recording]));
    const firstUs = Math.min(...found.map((recording) => recording.fromUs));
    const records = await this.#search(call, [...byId.keys()], topics, {
      ...{ fromUs: Math.max(fromUs, firstUs), toUs, limit: RESULTS_MAX },
      fromBegin: span.startUs <= span.endUs,
    });
    return records.flatMap((record): readonly FoundEvent[] => {
      const [recording, what] = [byId.get(record.channelId), messageOf(record)];
      const isOfIt = recording !== undefined && record.timeUs >= recording.fromUs;
      return isOfIt && what !== undefined ? [{ recording, what, timeUs: record.timeUs, isStart: false }] : [];
    });
  }

  /** How properties were at a time, by the last events before it. */
  async #propertiesAt(
    found: readonly DeviceRecording[],
    topics: readonly string[],
    timeUs: number,
    call: UserCall,
  ): Promise<readonly FoundEvent[]> {
    const all: FoundEvent[] = [];
    for (const recording of found) {
      if (call.signal.aborted) return [];
      for (const topic of topics) {
        const messages = await this.#propertyAt(recording, topic, timeUs, call);
        all.push(...messages.map((what) => ({ recording, timeUs, what, isStart: true })));
      }
    }
    return all;
  }

  async #propertyAt({ camera, fromUs }: DeviceRecording, topic: string, timeUs: number, call: UserCall) {
    const isInput = topic === TOPICS.input;
    const limit = isInput ? INPUT_EVENTS_MAX : 1;
    const before = { fromUs, toUs: timeUs, limit, fromBegin: false };
    const records = timeUs < fromUs ? [] : await this.#search(call, [camera.id], [topic], before);
    const messages = records.flatMap((record) => messageOf(record) ?? []);
    // Of each source the last one is how it was.
    const last = [...new Map(messages.map((message) => [message.source[1], message])).values()];
    if (last.length > 0 || isInput) return last;
    const make = topic === TOPICS.motion ? motionMessage : lostMessage;
    return [make(camera.id, false, "Initialized", 0)];
  }

  async #search(
    { user, signal }: UserCall,
    channelIds: readonly Guid[],
    topics: readonly string[],
    query: {
      readonly fromUs: number;
      readonly toUs: number;
      readonly limit: number;
      readonly fromBegin: boolean;
    },
  ): Promise<readonly EventRecord[]> {
    const typeIds = new Set(topics.flatMap((topic) => EVENTS_OF_TOPICS.get(topic) ?? []));
    if (typeIds.size === 0 || channelIds.length === 0 || query.fromUs > query.toUs) return [];
    const records: EventRecord[] = [];
    const batches = this.#options.events.search({ ...query, typeIds, channelIds: new Set(channelIds) });
    for await (const batch of batches) {
      if (signal.aborted) break;
      records.push(...batch.flatMap((record) => user.shown(record) ?? []));
    }
    return records;
  }
}

function interval({ startUs, endUs }: Span): readonly [fromUs: number, toUs: number] {
  return [Math.min(startUs, endUs), Math.max(startUs, endUs)];
}
