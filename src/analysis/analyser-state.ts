import type { Guid } from "../base/index.js";
import type { Finding } from "./finding.js";
import type { VisionTask } from "./vision-answer.js";

/** What was left out, and why. */
export interface AnalyserDrops {
  /** The analyser was still at work. */
  readonly busy: number;
  /** More than the rates allow. */
  readonly rate: number;
  /** It was left alone after a failure. */
  readonly failing: number;
  /** The camera had no picture. */
  readonly noPicture: number;
  /** Messages that were none of Frigate's events. */
  readonly unread: number;
}

/** How an analyser does, since it was switched on. */
export interface AnalyserState {
  readonly id: Guid;
  readonly name: string;
  readonly isEnabled: boolean;
  /** The last answer did not come or could not be used. */
  readonly isFailing: boolean;
  /** Why, without secrets. */
  readonly problem: string | undefined;
  /** Pictures sent; of Frigate, events received. */
  readonly asked: number;
  readonly answered: number;
  readonly failed: number;
  /** Events that were made. */
  readonly reportedEvents: number;
  readonly dropped: AnalyserDrops;
  /** Unix microseconds; undefined: there was none. */
  readonly lastAnswerUs: number | undefined;
}

export interface TaskTrial {
  readonly task: VisionTask;
  readonly tookMs: number;
  readonly findings: readonly Finding[];
  /** Undefined: it answered. */
  readonly problem: string | undefined;
}

/** What came back for a picture of a camera. */
export interface AnalyserTrial {
  readonly channelId: Guid;
  readonly picture: { readonly jpeg: Uint8Array; readonly width: number; readonly height: number };
  readonly tasks: readonly TaskTrial[];
}

/** The analysers as the API sees them. */
export interface AnalysisControl {
  states(): readonly AnalyserState[];
  /**
   * Sends a picture of the camera, or of the first of its cameras, to a vision server, whether it is switched on or not. Rejects
   * with NvrdError: NOT_FOUND, CONFLICT (of Frigate), NOT_AVAILABLE (no picture), TOO_MANY_REQUESTS.
   */
  test(id: Guid, channelId: Guid | undefined): Promise<AnalyserTrial>;
}

export const NO_DROPS: AnalyserDrops = { busy: 0, rate: 0, failing: 0, noPicture: 0, unread: 0 };
