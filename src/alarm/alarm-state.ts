import type { Guid } from "../base/index.js";

/** The last known state of a target's messages. */
export interface AlarmTargetState {
  readonly id: Guid;
  readonly name: string;
  readonly isEnabled: boolean;
  /** The last attempt failed and will be repeated. */
  readonly isFailing: boolean;
  /** It has reached its limit for this hour. */
  readonly isLimited: boolean;
  /** It is quiet by its hours. */
  readonly isQuiet: boolean;
  readonly waitingEvents: number;
  /** Events omitted since the start, because too many waited or for too long. */
  readonly omittedEvents: number;
  /** Unix µs; undefined: nothing was sent since the start. */
  readonly lastSentUs: number | undefined;
  /** Why the last attempt failed, without secrets; undefined if it succeeded. */
  readonly problem: string | undefined;
}

/** How the last message to a target went, also a test, also before the start. */
export interface AlarmResult {
  /** Unix µs. */
  readonly timeUs: number;
  readonly isTest: boolean;
  /** Undefined: it was accepted. */
  readonly problem: string | undefined;
}

/** The result of a test message. */
export interface AlarmTestResult {
  readonly id: Guid;
  readonly name: string;
  /** Undefined: it was accepted. */
  readonly problem: string | undefined;
}

/** The alarms as the API sees them. */
export interface AlarmControl {
  states(): readonly AlarmTargetState[];
  /** How the last message to a target went; undefined: none was sent yet. */
  lastResult(id: Guid): AlarmResult | undefined;
  /** Sends a test message to one target or to all enabled ones. Rejects with NOT_FOUND. */
  test(id: Guid | undefined): Promise<readonly AlarmTestResult[]>;
}
