import { type Clock, STREAM_TYPES, streamKeyText } from "../../base/index.js";
import { EVENT_TYPES, type EventLog } from "../../event/index.js";
import type { LiveStream, StreamDirectory, StreamState, Subscription } from "../../live/index.js";
import type { Site, SiteStore } from "../../site/index.js";
import { changeEvent, channelOf, modeEvents } from "./event-mapping.js";
import { type SteadyChange, SteadyState } from "./steady-state.js";

export interface EventSourcesOptions {
  readonly events: EventLog;
  readonly site: SiteStore;
  readonly streams: StreamDirectory;
  readonly clock: Clock;
}

interface WatchedStream {
  readonly stream: LiveStream;
  readonly connection: SteadyState;
  readonly subscription: Subscription;
}

/**
 * Raises events for rooms that raise none themselves: cameras lost and reconnected, configuration changed.
 */
export class EventSources {
  readonly #options: EventSourcesOptions;
  readonly #streams = new Map<string, WatchedStream>();
  #running = false;

  constructor(options: EventSourcesOptions) {
    this.#options = options;
    options.site.onChange("events", (site, previous, change) => {
      if (!this.#running) return;
      options.events.raise(changeEvent(site, change));
      for (const event of modeEvents(site, previous)) options.events.raise(event);
      this.#follow(site);
    });
  }

  start(): void {
    this.#running = true;
    this.#follow(this.#options.site.current);
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
    const { clock, events, site } = this.#options;
    const tell = ({ holds, reason, untold }: SteadyChange): void => {
      const times = untold > 0 ? ` (interrupted ${untold} times meanwhile)` : "";
      const said = holds ? "connected" : reason;
      events.raise({
        typeId: holds ? EVENT_TYPES.cameraBack.id : EVENT_TYPES.cameraLost.id,
        ...channelOf(site.current, stream.key.channelId),
        comment: `${stream.key.streamType}: ${said}${times}`,
      });
    };
    const connection = new SteadyState({ holds: true, clock, tell });
    const onState = (state: StreamState): void => {
      if (state.state === "active") connection.set(true);
      else if (state.state === "lost") connection.set(false, state.reason);
      else if (state.state === "idle") connection.cancel();
    };
    onState(stream.state);
    return { stream, connection, subscription: stream.onState(onState) };
  }

  #forget(key: string): void {
    const watched = this.#streams.get(key);
    this.#streams.delete(key);
    watched?.subscription.close();
    watched?.connection.cancel();
  }
}
