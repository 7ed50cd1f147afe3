import { setImmediate } from "node:timers/promises";
import type { Guid } from "../../base/index.js";
import type { EventLog, EventRecord } from "../../event/index.js";
import {
  EVENTS_OF_TOPICS,
  lostMessage,
  messageOf,
  motionMessage,
  TOPICS,
} from "../event/property-message.js";
import { topicFilter } from "../event/topic-filter.js";
import type { UserCall } from "../soap/operation.js";
import { type FoundEvent, foundEvent, type RecordingState, STATE_TOPICS } from "./recording-parts.js";
import { type DeviceRecording, isOneSection, type Recordings, type Section } from "./recordings.js";
import { inScope, spanOf } from "./search-scope.js";

/** Results of a search; what is beyond is found by another one from the last time on. */
export const RESULTS_MAX = 1000;
/** Events that are read of a camera to learn how its inputs were at the start of a search. */
const INPUT_EVENTS_MAX = 64;
/** Sections are read in pieces of this length, so that frames and other requests get their turn. */
const PIECE_US = 86_400_000_000;
/** Read around what was asked for: where the edge of a piece is no beginning or end of a section. */
const MARGIN_US = 2_000_000;

const TRACK_STATE = "RecordingHistory/Track/State";

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
    const stateTopics = STATE_TOPICS.filter(isWanted);
    const started = withStart
      ? [
          ...found.flatMap((recording) => this.#statesAt(recording, stateTopics, span.startUs)),
          ...(await this.#propertiesAt(found, topics, span.startUs, call)),
        ]
      : [];
    const sign = isForward(span) ? 1 : -1;
    const properties = await this.#changes(found, topics, span, call);
    let changes = properties.toSorted((one, other) => sign * (one.timeUs - other.timeUs));
    for (const recording of stateTopics.length === 0 ? [] : found) {
      const states = await this.#states(recording, stateTopics, span, call.signal);
      changes = [...changes, ...states]
        .sort((one, other) => sign * (one.timeUs - other.timeUs))
        .slice(0, RESULTS_MAX);
    }
    return [...started, ...changes].slice(0, RESULTS_MAX).map(foundEvent);
  }

  #statesAt(
    recording: DeviceRecording,
    topics: readonly (typeof STATE_TOPICS)[number][],
    timeUs: number,
  ): readonly FoundEvent[] {
    const isThere = this.#options.recordings
      .sections(recording, timeUs - MARGIN_US, timeUs + MARGIN_US)
      .some(({ fromUs, toUs }) => fromUs <= timeUs && timeUs < toUs);
    const states: RecordingState[] = topics.map((stateOf) => ({ stateOf, isThere }));
    if (topics.includes(TRACK_STATE) && recording.hasSound)
      states.push({
        ...{ stateOf: TRACK_STATE, ofSound: true },
        isThere: isThere && this.#options.recordings.hasSoundAt(recording, timeUs),
      });
    return states.map((what) => ({ recording, timeUs, isStart: true, what }));
  }

  /** When a recording began and ended: the first ones in the direction of the search. */
  async #states(
    recording: DeviceRecording,
    topics: readonly (typeof STATE_TOPICS)[number][],
    span: Span,
    signal: AbortSignal,
  ): Promise<readonly FoundEvent[]> {
    const [fromUs, toUs] = interval(span);
    // The end of what is being recorded is not known.
    const isKnown = (timeUs: number, isThere: boolean): boolean =>
      timeUs >= fromUs && timeUs <= toUs && (isThere || !recording.isGrowing || timeUs < recording.toUs);
    const states: FoundEvent[] = [];
    for await (const section of this.#walk(recording, span)) {
      const edges = await this.#edges(recording, section, topics, signal);
      const sign = isForward(span) ? 1 : -1;
      for (const { timeUs, what } of edges.toSorted((one, other) => sign * (one.timeUs - other.timeUs)))
        if (isKnown(timeUs, what.isThere)) states.push({ recording, timeUs, isStart: false, what });
      if (states.length >= RESULTS_MAX || signal.aborted) break;
    }
    return states;
  }

  /** Where a section begins and ends, and its sound. */
  async #edges(
    recording: DeviceRecording,
    section: Section,
    topics: readonly (typeof STATE_TOPICS)[number][],
    signal: AbortSignal,
  ): Promise<readonly { readonly timeUs: number; readonly what: RecordingState }[]> {
    const of = ({ fromUs, toUs }: Section, state: Omit<RecordingState, "isThere">) => [
      { timeUs: fromUs, what: { ...state, isThere: true } },
      { timeUs: toUs, what: { ...state, isThere: false } },
    ];
    const edges = topics.flatMap((stateOf) => of(section, { stateOf }));
    const sound = topics.includes(TRACK_STATE)
      ? await this.#options.recordings.sound(recording, section, signal)
      : [];
    const sounds = sound.flatMap((one) => of(one, { stateOf: TRACK_STATE, ofSound: true }));
    return [...edges, ...sounds];
  }

  /** Sections around the time of a search, in its direction; at the ends of that time they are cut. */
  async *#walk(recording: DeviceRecording, span: Span): AsyncGenerator<Section> {
    const [fromUs, toUs] = interval(span);
    const low = Math.max(fromUs, recording.fromUs) - MARGIN_US;
    const high = Math.min(toUs, recording.toUs) + MARGIN_US;
    let last: Section | undefined;
    for (let doneUs = 0; low + doneUs < high; doneUs += PIECE_US) {
      if (doneUs > 0) await setImmediate();
      const piece = isForward(span)
        ? { fromUs: low + doneUs, toUs: Math.min(high, low + doneUs + PIECE_US) }
        : { fromUs: Math.max(low, high - doneUs - PIECE_US), toUs: high - doneUs };
      const found = this.#options.recordings.sections(recording, piece.fromUs, piece.toUs);
      for (const section of isForward(span) ? found : found.toReversed()) {
        const cut = {
          fromUs: Math.max(section.fromUs, piece.fromUs),
          toUs: Math.min(section.toUs, piece.toUs),
        };
        if (last === undefined || !isOneSection(last, cut)) {
          if (last !== undefined) yield last;
          last = cut;
        } else last = { fromUs: Math.min(last.fromUs, cut.fromUs), toUs: Math.max(last.toUs, cut.toUs) };
      }
    }
    if (last !== undefined) yield last;
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
      fromBegin: isForward(span),
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

function isForward({ startUs, endUs }: Span): boolean {
  return startUs <= endUs;
}
