import { type Clock, errorText, type Guid, type Log, pauseUnlessAborted } from "../../base/index.js";
import type { RecorderBefore } from "./types.js";

/** The state of a recorder for the health gate. */
export interface GateState {
  /** Identifies this run of the service: a different id means a crash in between. */
  readonly runId: string;
  /** Whether the API answered a request over the network. */
  readonly apiAnswers: boolean;
  /** Whether a file can be written and synced in the data directory. */
  readonly dataWritable: boolean;
  readonly channels: readonly GateChannel[];
  readonly volumes: readonly GateVolume[];
}

export interface GateChannel {
  readonly id: Guid;
  readonly name: string;
  /** Whether it is to be recorded now. */
  readonly wanted: boolean;
  /** Whether frames are written to disk. */
  readonly isRecording: boolean;
  /** Whether nothing at all answers at the camera's address. */
  readonly isUnreachable: boolean;
}

export interface GateVolume {
  readonly id: Guid | null;
  readonly directory: string;
  readonly usable: boolean;
}

/** Gets the service's state. Rejects if it does not answer. */
export type GateProbe = () => Promise<GateState>;

export interface GateTimes {
  /** Time limit for the new system to start and record. */
  readonly deadlineMs: number;
  /** How long there must be no problem without a break, in one run of the service. */
  readonly holdMs: number;
  readonly pollMs: number;
}

/** Cameras need minutes after a power cut; large volumes are recovered while recording continues. */
export const GATE_TIMES: GateTimes = { deadlineMs: 600_000, holdMs: 60_000, pollMs: 3000 };

export type GateVerdict = { readonly good: true } | { readonly good: false; readonly reason: string };

export interface HealthGateOptions {
  readonly probe: GateProbe;
  readonly clock: Clock;
  readonly log: Log;
  readonly times?: GateTimes;
}

const NAMED_MAX = 5;

/**
 * Regressions since the update; empty if none.
 * @param lenient At the deadline: an unreachable camera counts as the camera's fault, as long as another one of those
 * before is recorded.
 */
export function gateProblems(look: GateState, before: RecorderBefore, lenient: boolean): readonly string[] {
  const problems: string[] = [];
  if (!look.apiAnswers) problems.push("the API does not answer");
  if (!look.dataWritable) problems.push("the data directory cannot be written");
  const missingVolumes = before.volumes.filter(
    (id) => !look.volumes.some((volume) => volume.id === id && volume.usable),
  );
  if (missingVolumes.length > 0) {
    const known = look.volumes.filter(({ id }) => id !== null && missingVolumes.includes(id));
    problems.push(
      `volumes are not in use: ${named(
        known.map(({ directory }) => directory),
        missingVolumes.length,
      )}`,
    );
  }
  const silent = silentChannels(look, before, lenient);
  if (silent.length > 0)
    problems.push(
      `cameras do not record as before: ${named(
        silent.map(({ name }) => name),
        silent.length,
      )}`,
    );
  return problems;
}

function silentChannels(look: GateState, before: RecorderBefore, lenient: boolean): readonly GateChannel[] {
  const expected = look.channels.filter(({ id }) => before.channels.includes(id));
  const silent = expected.filter(({ wanted, isRecording }) => wanted && !isRecording);
  const someRecord = expected.some(({ isRecording }) => isRecording);
  return lenient && someRecord ? silent.filter(({ isUnreachable }) => !isUnreachable) : silent;
}

function named(names: readonly string[], count: number): string {
  const shown = names.slice(0, NAMED_MAX).join(", ");
  return count > names.slice(0, NAMED_MAX).length
    ? `${count}${shown === "" ? "" : `, among them ${shown}`}`
    : shown;
}

/** Checks a new system until it has been healthy for a while, or the time limit is reached. */
export class HealthGate {
  readonly #options: HealthGateOptions;
  readonly #times: GateTimes;
  /** Since when (monotonic µs) and in which run there has been no problem. */
  #well: { readonly sinceUs: number; readonly runId: string } | undefined;
  #problems: readonly string[] = ["the service does not answer"];

  constructor(options: HealthGateOptions) {
    this.#options = options;
    this.#times = options.times ?? GATE_TIMES;
  }

  /** Resolves with the verdict; never rejects. */
  async judge(before: RecorderBefore): Promise<GateVerdict> {
    const { clock, log } = this.#options;
    const startUs = clock.monotonicUs();
    const never = new AbortController().signal;
    for (;;) {
      const elapsedMs = (clock.monotonicUs() - startUs) / 1000;
      const isLate = elapsedMs + this.#times.holdMs >= this.#times.deadlineMs;
      await this.#look(before, isLate);
      const nowUs = clock.monotonicUs();
      if (this.#well !== undefined && nowUs - this.#well.sinceUs >= this.#times.holdMs * 1000)
        return { good: true };
      if (this.#well === undefined && isLate) break;
      if ((nowUs - startUs) / 1000 > this.#times.deadlineMs + this.#times.holdMs) break;
      await pauseUnlessAborted(clock, this.#times.pollMs, never);
    }
    const reason = this.#problems.join("; ");
    log.error({ reason }, "the health gate rejects this system");
    return { good: false, reason };
  }

  async #look(before: RecorderBefore, lenient: boolean): Promise<void> {
    const { probe, clock, log } = this.#options;
    let runId = "";
    let problems: readonly string[];
    try {
      const look = await probe();
      runId = look.runId;
      problems = gateProblems(look, before, lenient);
    } catch (error) {
      problems = [`the service does not answer: ${errorText(error)}`];
    }
    if (problems.join() !== this.#problems.join()) log.info({ problems }, "health gate");
    if (problems.length > 0) this.#well = undefined;
    else if (this.#well?.runId !== runId) {
      if (this.#well !== undefined) problems = ["the service has restarted meanwhile"];
      this.#well = { sinceUs: clock.monotonicUs(), runId };
    }
    this.#problems = problems.length > 0 ? problems : this.#problems;
  }
}
