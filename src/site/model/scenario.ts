import type { Guid } from "../../base/index.js";
import type { WeekDay } from "./week.js";

/** Scenarios: lists of actions that users, events and times start; stored in the configuration, run by the room `scenario`. */

export const SCENARIO_ACTION_KINDS = [
  "record",
  "preset",
  "output",
  "announcement",
  "alarm",
  "event",
] as const;
export type ScenarioActionKind = (typeof SCENARIO_ACTION_KINDS)[number];

interface ActionAtChannel {
  /** Null: the channel for which the scenario runs. */
  readonly channelId: Guid | null;
}

/** Records the channel for some time, whatever its mode. */
export interface RecordAction extends ActionAtChannel {
  readonly kind: "record";
  readonly seconds: number;
}

/** Moves the camera to a preset. */
export interface PresetAction extends ActionAtChannel {
  readonly kind: "preset";
  readonly preset: number;
}

/** Switches a digital output (relay) of the camera. */
export interface OutputAction extends ActionAtChannel {
  readonly kind: "output";
  /** The camera's own name for it. */
  readonly output: string;
  readonly isOn: boolean;
  /** After so many seconds it is switched back; null: it stays. */
  readonly seconds: number | null;
}

/** Plays an announcement at the camera's loudspeaker. */
export interface AnnouncementAction extends ActionAtChannel {
  readonly kind: "announcement";
  readonly announcementId: Guid;
}

/** An event with a text, as an alarm or as information. */
export interface EventAction extends ActionAtChannel {
  readonly kind: "alarm" | "event";
  readonly text: string;
}

export type ScenarioAction = RecordAction | PresetAction | OutputAction | AnnouncementAction | EventAction;

/** Starts the scenario when an event of a type happens at one of the scenario's channels. */
export interface EventStart {
  readonly kind: "event";
  readonly eventTypeIds: readonly Guid[];
}

/** Starts the scenario at a time of day, local. */
export interface TimeStart {
  readonly kind: "time";
  readonly days: readonly WeekDay[];
  readonly minute: number;
}

export type ScenarioStart = EventStart | TimeStart;

/** A scenario, as users start it by hand for its cameras; events and times start it too. */
export interface UserScenario {
  readonly id: Guid;
  readonly name: string;
  /** Whether a user must confirm the start. */
  readonly needConfirmation: boolean;
  /** The cameras for which it is offered. */
  readonly channelIds: readonly Guid[];
  /** Carried out one after the other; absent: none. */
  readonly actions?: readonly ScenarioAction[];
  /** What starts it besides users; absent: nothing. */
  readonly starts?: readonly ScenarioStart[];
}
