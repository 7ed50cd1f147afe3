import type { ClockKnowledge } from "../../base/index.js";
import type { ArchiveStatus, HealthFigures } from "../../health/index.js";
import type { UpdateState, Upload } from "../../update/index.js";

/** Updates of the whole system. */
export interface Updates {
  readonly state: UpdateState;
  /** As `Updater.receive`. `by`: who sends it, for the log. */
  receive(upload: Upload, by: string): Promise<UpdateState>;
}

/** The wall clock, and who vouches for it. */
export interface WallClock extends Pick<ClockKnowledge, "isKnown" | "knownBy"> {
  nowUs(): number;
  /** Takes the wall clock as right from now on. Does nothing when it is known already. */
  trust(): void;
}

/** How the recorder is, as last looked at; asking costs nothing. */
export interface HealthStates {
  readonly status: ArchiveStatus;
}

/** All that is known of the recorder, for monitoring. */
export interface HealthQuestions {
  /** The same to all who ask within a second. Never rejects. */
  figures(): Promise<HealthFigures>;
}

/** Makes what a maker of nvrd needs to understand a recorder from afar. */
export interface SupportBundles {
  /** A tar archive, gzipped, without secrets. Who asks while one is made gets that one. */
  create(): Promise<Uint8Array>;
}
