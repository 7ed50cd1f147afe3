import { type Clock, errorText, type Guid, NvrdError, unlessAborted } from "../../base/index.js";
import type { Announcements, Ptz, Relays } from "../../camera/index.js";
import { EVENT_TYPES, type EventInput, type EventLog } from "../../event/index.js";
import type { TimedRecording } from "../../recording/index.js";
import type { EventAction, ScenarioAction, SiteStore } from "../../site/index.js";
import { ACTION_MS_MAX, type ActionResult, type ScenarioRun } from "./scenario-run.js";

/** Priority of a preset that no user asked for. */
const OWN_PRIORITY = "Low";
/** Cameras of one action that are moved at the same time. */
const CHANNELS_AT_ONCE_MAX = 8;

/** Recording as scenarios command it. */
export interface ScenarioRecording {
  recordFor(channelId: Guid, seconds: number, by: TimedRecording): void;
}

export interface ScenarioActionsOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly recording: ScenarioRecording;
  readonly ptz: Pick<Ptz, "perform">;
  readonly relays: Pick<Relays, "switch">;
  readonly announcements: Pick<Announcements, "play">;
  readonly events: Pick<EventLog, "raise">;
  readonly clock: Clock;
}

/** Carries out one action of a run. */
export class ScenarioActions {
  readonly #options: ScenarioActionsOptions;

  constructor(options: ScenarioActionsOptions) {
    this.#options = options;
  }

  /** The results at each channel, of which one that fails leaves the others alone. Never rejects. */
  async perform(run: ScenarioRun, action: ScenarioAction, signal: AbortSignal): Promise<ActionResult[]> {
    const channels = channelsOf(run, action);
    const results: ActionResult[] = [];
    for (let at = 0; at < channels.length; at += CHANNELS_AT_ONCE_MAX) {
      const some = channels.slice(at, at + CHANNELS_AT_ONCE_MAX);
      results.push(...(await Promise.all(some.map((id) => this.#performAt(run, action, id, signal)))));
    }
    return results;
  }

  async #performAt(
    run: ScenarioRun,
    action: ScenarioAction,
    channelId: Guid | undefined,
    signal: AbortSignal,
  ): Promise<ActionResult> {
    const { clock } = this.#options;
    const timeout = new AbortController();
    const timer = clock.setTimeout(() => timeout.abort(), ACTION_MS_MAX);
    try {
      await this.#carryOut(run, action, channelId, AbortSignal.any([signal, timeout.signal]));
      return { action, channelId, problem: undefined };
    } catch (error) {
      const isLate = timeout.signal.aborted;
      const problem = isLate ? `it took longer than ${ACTION_MS_MAX / 1000} s` : errorText(error);
      return { action, channelId, problem };
    } finally {
      timer.clear();
    }
  }

  async #carryOut(
    run: ScenarioRun,
    action: ScenarioAction,
    channelId: Guid | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { events, recording, ptz, relays, announcements } = this.#options;
    const initiator = initiatorOf(run);
    if (isEvent(action)) {
      events.raise({
        typeId: action.kind === "alarm" ? EVENT_TYPES.scenarioAlarm.id : EVENT_TYPES.scenarioEvent.id,
        comment: action.text === "" ? run.scenario.name : action.text,
        ...this.#about(channelId),
        initiator,
      });
      return;
    }
    if (channelId === undefined)
      throw new NvrdError("CONFLICT", "neither the action nor the scenario names a channel");
    if (action.kind === "record") {
      recording.recordFor(channelId, action.seconds, initiator);
      return;
    }
    if (action.kind === "output") {
      const { output, isOn } = action;
      const seconds = action.seconds ?? undefined;
      const switching = relays.switch({ channelId, output, isOn, seconds, signal });
      await unlessAborted(switching, signal, givenUp);
      const comment = `${output} ${isOn ? "on" : "off"}${seconds === undefined ? "" : ` for ${seconds} s`}`;
      events.raise({
        typeId: EVENT_TYPES.outputSwitched.id,
        ...{ comment, ...this.#about(channelId), initiator },
      });
      return;
    }
    if (action.kind === "announcement") {
      // Aborted only while the camera is asked: once it listens, all of it is played.
      const asked = new AbortController();
      const onAbort = (): void => asked.abort();
      signal.addEventListener("abort", onAbort, { once: true });
      const { announcementId } = action;
      const playing = announcements.play({ channelId, announcementId, by: initiator, signal: asked.signal });
      await unlessAborted(playing, signal, givenUp);
      signal.removeEventListener("abort", onAbort);
      return;
    }
    const { scenario, user = { id: scenario.id, name: scenario.name, priority: OWN_PRIORITY } } = run;
    const command = { kind: "preset", index: action.preset } as const;
    await unlessAborted(ptz.perform({ channelId, command, user, signal }), signal, givenUp);
  }

  #about(channelId: Guid | undefined): Pick<EventInput, "channelId" | "channelName"> {
    const camera = this.#options.site.current.cameras.find(({ id }) => id === channelId);
    return camera === undefined ? {} : { channelId: camera.id, channelName: camera.name };
  }
}

function isEvent(action: ScenarioAction): action is EventAction {
  return action.kind === "alarm" || action.kind === "event";
}

function givenUp(): Error {
  return new NvrdError("NOT_AVAILABLE", "it was given up", { hint: "" });
}

/** The initiator of what a run does: the scenario, in the way in which it was started. */
export function initiatorOf({ scenario, initiator }: ScenarioRun): TimedRecording {
  return { type: initiator, id: scenario.id, name: scenario.name };
}

/** The action's own channel, else that of the run, else those of the scenario; an event may be about none. */
function channelsOf(run: ScenarioRun, action: ScenarioAction): readonly (Guid | undefined)[] {
  const channelId = action.channelId ?? run.channelId;
  if (channelId !== undefined) return [channelId];
  return isEvent(action) || run.scenario.channelIds.length === 0 ? [undefined] : run.scenario.channelIds;
}
