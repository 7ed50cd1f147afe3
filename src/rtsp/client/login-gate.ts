/**
 * Decides when a source may try its credentials. A device counts wrong passwords over all its streams and locks the
 * account, so all sources of one device and login must share one gate.
 */
export interface LoginGate {
  /** Resolves with a turn as soon as an attempt may begin; with undefined if the signal is aborted first. */
  turn(waiting: LoginWaiting): Promise<LoginTurn | undefined>;
}

/** A source that waits for a turn. */
export interface LoginWaiting {
  readonly signal: AbortSignal;
  /** Called if it has to wait because the device refused these credentials to another source. */
  onRefused(): void;
}

/** One attempt, and the session it opened. The first verdict counts; `ended` is always called last. */
export interface LoginTurn {
  /** The device accepted the credentials. */
  accepted(): void;
  /** The device refused them, `tries` times in this one attempt; 1 when absent. */
  refused(tries?: number): void;
  /** The session is over, or the attempt failed before the device said anything about the credentials. */
  ended(): void;
}
