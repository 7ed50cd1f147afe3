import { type Clock, STREAM_TYPES, streamKeyText } from "../../base/index.js";
import { EVENT_TYPES, type EventLog, type EventTypeName } from "../../event/index.js";
import {
  type LiveStream,
  type StreamDirectory,
  type StreamState,
  type Subscription,
  streamTrouble,
} from "../../live/index.js";
import type { Site, SiteStore } from "../../site/index.js";
import { changeEvent, channelOf, modeEvents } from "./event-mapping.js";
import { type SteadyChange, SteadyState } from "./steady-state.js";

export interface EventSourcesOptions {
  readonly events: EventLog;
  readonly site: SiteStore;
  readonly streams: StreamDirectory;
  readonly clock: Clock;
  /** Called with the revision up to which changes of the configuration are in the event log. */
  readonly noteReported: (revision: number) => void;
}

interface WatchedStream {
  readonly stream: LiveStream;
  readonly states: readonly SteadyState[];
  readonly subscriptions: readonly Subscription[];
}

/**
 * Raises events for rooms that raise none themselves: cameras lost and reconnected, what of their streams cannot be recorded,
 * configuration changed.
 */
export class EventSources {
  readonly #options: EventSourcesOptions;
  readonly #streams = new Map<string, WatchedStream>();
  #running = false;

  constructor(options: EventSourcesOptions) {
    this.#options = options;
    options.site.onChange("events", (site, previous, change) => {
      if (!this.#running) return;
      if (site.revision !== previous.revision) {
        options.events.raise(changeEvent(site.revision, change));
        options.noteReported(site.revision);
      }
      for (const event of modeEvents(site, previous)) options.events.raise(event);
      this.#follow(site);
    });
  }

  start(): void {
    this.#running = true;
    const { current } = this.#options.site;
    // What the start itself has changed is no news.
    this.#options.noteReported(current.revision);
    this.#follow(current);
  }

  stop(): void {
    this.#running = false;
    for (const key of [...this.#streams.keys()]) this.#forget(key);
  }

  #follow(site: Site): void {
    const wanted = new Set<string>();
    for (const camera of site.cameras) {
      for (const streamType of STREAM_TYPES) {
        const stream = this.#options.streams.stream(camera.id, streamType);
        if (stream === undefined) continue;
        const key = streamKeyText(stream.key);
        wanted.add(key);
        if (this.#streams.get(key)?.stream === stream) continue;
        this.#forget(key);
        this.#streams.set(key, this.#watch(stream));
      }
    }
    for (const key of [...this.#streams.keys()]) if (!wanted.has(key)) this.#forget(key);
  }

  #watch(stream: LiveStream): WatchedStream {
    const { clock } = this.#options;
    const connection = new SteadyState({
      holds: true,
      clock,
      report: (change) => this.#report(stream, change, CONNECTION),
    });
    const completeness = new SteadyState({
      holds: true,
      clock,
      report: (change) => this.#report(stream, change, COMPLETENESS),
    });
    const look = (): void => {
      const { state } = stream;
      const [trouble] = streamTrouble(stream, "en");
      if (trouble !== undefined) completeness.set(false, trouble[0]);
      else if (state.state === "active") completeness.set(true);
      else completeness.cancel();
    };
    const onState = (state: StreamState): void => {
      if (state.state === "active" || state.state === "waiting") connection.set(true);
      else if (state.state === "lost") connection.set(false, state.reason);
      else if (state.state === "idle") connection.cancel();
      look();
    };
    onState(stream.state);
    return {
      stream,
      states: [connection, completeness],
      subscriptions: [stream.onState(onState), stream.losses.onChange(look)],
    };
  }

  #report(stream: LiveStream, { holds, reason, unreported }: SteadyChange, names: StateNames): void {
    const { events, site } = this.#options;
    const times = unreported > 0 ? ` (interrupted ${unreported} times meanwhile)` : "";
    events.raise({
      typeId: EVENT_TYPES[holds ? names.back : names.lost].id,
      ...channelOf(site.current, stream.key.channelId),
      comment: `${stream.key.streamType}: ${holds ? names.said : reason}${times}`,
    });
  }

  #forget(key: string): void {
    const watched = this.#streams.get(key);
    this.#streams.delete(key);
    for (const subscription of watched?.subscriptions ?? []) subscription.close();
    for (const state of watched?.states ?? []) state.cancel();
  }
}

/** The events of a state, and what is said when it holds again. */
interface StateNames {
  readonly lost: EventTypeName;
  readonly back: EventTypeName;
  readonly said: string;
}

const CONNECTION: StateNames = { lost: "cameraLost", back: "cameraBack", said: "connected" };
const COMPLETENESS: StateNames = { lost: "framesLost", back: "framesComplete", said: "complete" };
