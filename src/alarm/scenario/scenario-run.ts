import type { Guid } from "../../base/index.js";
import type { PtzUser } from "../../camera/index.js";
import type { ScenarioAction, UserScenario } from "../../site/index.js";

/** Runs at the same time, of different scenarios. */
export const RUNS_AT_ONCE_MAX = 16;
/** An action that takes longer is given up, and so is what is left of a run. */
export const ACTION_MS_MAX = 15_000;
export const RUN_MS_MAX = 120_000;
/** A scenario that a user starts has depth 1, one that its events start depth 2, and so on; beyond it nothing starts. */
export const SCENARIO_DEPTH_MAX = 3;

/** Who starts a scenario by hand. */
export interface ScenarioUser extends PtzUser {
  /** A channel that the user may not see does not exist. */
  maySee(channelId: Guid): boolean;
}

export interface RunRequest {
  readonly scenarioId: Guid;
  /** The channel for which it runs; undefined: for all of its channels. */
  readonly channelId: Guid | undefined;
  readonly isConfirmed: boolean;
  readonly user: ScenarioUser;
}

/** The reference's initiators: 2 by an event, 3 by a user, 4 at a time. */
export type ScenarioInitiator = 2 | 3 | 4;

/** What became of an action at its channel. */
export interface ActionResult {
  readonly action: ScenarioAction;
  /** Undefined: at none. */
  readonly channelId: Guid | undefined;
  /** Undefined: it was carried out. */
  readonly problem: string | undefined;
}

/** A run as it is known now. */
export interface ScenarioRun {
  readonly scenario: UserScenario;
  readonly initiator: ScenarioInitiator;
  /** Who or what started it: a user's name, the name of an event, a time. */
  readonly cause: string;
  readonly user: PtzUser | undefined;
  readonly channelId: Guid | undefined;
  readonly depth: number;
  readonly startedUs: number;
  /** Undefined while it runs. */
  readonly endedUs: number | undefined;
  readonly results: readonly ActionResult[];
}

/** Scenarios as the API and MQTT see them. */
export interface ScenarioControl {
  /**
   * Starts a scenario for a user; resolves when it ends. Throws NvrdError NOT_FOUND where the user sees no such scenario or
   * channel; CONFLICT where it must be confirmed, or runs already; TOO_MANY_REQUESTS.
   */
  run(request: RunRequest): Promise<ScenarioRun>;
  /** The run that goes on, or the last one since the start; undefined: none. */
  runOf(scenarioId: Guid): ScenarioRun | undefined;
  /** Whether the scenario is offered to who sees these channels. */
  isOffered(scenario: UserScenario, maySee: (channelId: Guid) => boolean): boolean;
}
