import type { ClockKnowledge } from "../../base/index.js";
import type { ArchiveStatus, HealthFigures } from "../../health/index.js";
import type { UpdateState, Upload } from "../../update/index.js";

/** Updates of the whole system. */
export interface Updates {
  readonly state: UpdateState;
  /** See `Updater.receive`. `by`: the sender, for the log. */
  receive(upload: Upload, by: string): Promise<UpdateState>;
}

/** The wall clock, and who vouches for it. */
export interface WallClock extends Pick<ClockKnowledge, "isKnown" | "knownBy"> {
  nowUs(): number;
  /** Takes the wall clock as right from now on. Does nothing when it is known already. */
  trust(): void;
}

/** The last known state of the recorder, from memory. */
export interface HealthStates {
  readonly status: ArchiveStatus;
}

/** All health data of the recorder, for monitoring. */
export interface HealthQuestions {
  /** Cached for a second. Never rejects. */
  figures(): Promise<HealthFigures>;
}

/** Creates support bundles for remote diagnosis. */
export interface SupportBundles {
  /** A gzipped tar archive without secrets. Concurrent requests get the same one. */
  create(): Promise<Uint8Array>;
}
