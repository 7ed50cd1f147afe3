import type { Guid } from "../base/index.js";

/** The last known state of a target's messages. */
export interface AlarmTargetState {
  readonly id: Guid;
  readonly name: string;
  readonly isEnabled: boolean;
  /** The last try failed; it is repeated. */
  readonly isFailing: boolean;
  /** It may not get more within this hour. */
  readonly isLimited: boolean;
  readonly waitingEvents: number;
  /** Events that were left out because too many waited or for too long, since the start. */
  readonly omittedEvents: number;
  /** Unix µs; undefined: nothing was sent since the start. */
  readonly lastSentUs: number | undefined;
  /** Why the last try failed, without anything secret; undefined when it did not. */
  readonly problem: string | undefined;
}

/** The result of a test message. */
export interface AlarmTestResult {
  readonly id: Guid;
  readonly name: string;
  /** Undefined: it was taken. */
  readonly problem: string | undefined;
}

/** The alarms as the API sees them. */
export interface AlarmControl {
  states(): readonly AlarmTargetState[];
  /** Sends a test message to one target or to all enabled ones. Rejects with NOT_FOUND. */
  test(id: Guid | undefined): Promise<readonly AlarmTestResult[]>;
}
