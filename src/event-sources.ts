import { type Clock, type ClockTimer, type Guid, STREAM_TYPES, streamKeyText } from "./base/index.js";
import { EVENT_TYPES, type EventLog } from "./event/index.js";
import { changeEvent, channelOf } from "./event-mapping.js";
import type { LiveStream, StreamDirectory, StreamState, Subscription } from "./live/index.js";
import type { Camera, Site, SiteStore } from "./site/index.js";
import { type SteadyChange, SteadyState } from "./steady-state.js";

/** How often it is looked whether channels are being recorded. */
const RECORDING_POLL_MS = 1000;

export interface EventSourcesOptions {
  readonly events: EventLog;
  readonly site: SiteStore;
  readonly streams: StreamDirectory;
  readonly recording: { isRecording(channelId: Guid): boolean };
  readonly clock: Clock;
}

interface WatchedStream {
  readonly stream: LiveStream;
  readonly connection: SteadyState;
  readonly subscription: Subscription;
}

/**
 * Makes events of what the rooms do that have no word of their own for it: cameras lost and back, recording started and
 * stopped, the configuration changed. Make it after the StreamDirectory and the Recorder: they follow the
 * configuration first.
 */
export class EventSources {
  readonly #options: EventSourcesOptions;
  readonly #streams = new Map<string, WatchedStream>();
  readonly #recording = new Map<Guid, SteadyState>();
  #timer: ClockTimer | undefined;

  constructor(options: EventSourcesOptions) {
    this.#options = options;
    options.site.onChange((site, _previous, change) => {
      if (this.#timer === undefined) return;
      options.events.raise(changeEvent(site, change));
      this.#follow(site);
    });
  }

  start(): void {
    const { clock, site } = this.#options;
    this.#timer = clock.setInterval(() => this.#lookAtRecording(site.current), RECORDING_POLL_MS);
    this.#follow(site.current);
  }

  stop(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    for (const key of [...this.#streams.keys()]) this.#forget(key);
    for (const state of this.#recording.values()) state.cancel();
    this.#recording.clear();
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
    this.#lookAtRecording(site);
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

  #lookAtRecording(site: Site): void {
    const { recording } = this.#options;
    for (const camera of site.cameras) {
      const state = this.#recording.get(camera.id) ?? this.#recordingState(camera.id);
      const records = recording.isRecording(camera.id);
      state.set(records, records ? "" : whyNotRecorded(camera));
    }
    if (this.#recording.size === site.cameras.length) return;
    const known = new Set(site.cameras.map((camera) => camera.id));
    for (const [channelId, state] of this.#recording) {
      if (known.has(channelId)) continue;
      // Its recording ended with it, which the change of the configuration says.
      state.cancel();
      this.#recording.delete(channelId);
    }
  }

  #recordingState(channelId: Guid): SteadyState {
    const { clock, events, site } = this.#options;
    const tell = ({ holds, reason }: SteadyChange): void => {
      events.raise({
        typeId: holds ? EVENT_TYPES.recordingStarted.id : EVENT_TYPES.recordingStopped.id,
        ...channelOf(site.current, channelId),
        comment: reason,
      });
    };
    const state = new SteadyState({ holds: false, clock, tell });
    this.#recording.set(channelId, state);
    return state;
  }
}

function whyNotRecorded(camera: Camera): string {
  if (camera.disabled) return "the channel is switched off";
  if (camera.archive.archivingDisabled) return "recording is switched off";
  if (camera.archive.archivingMode === "AlwaysOn") return "the camera sends nothing";
  return `recording mode is ${camera.archive.archivingMode}`;
}
