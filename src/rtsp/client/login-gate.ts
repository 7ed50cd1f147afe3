/**
 * Decides when a source may try its credentials. One device counts wrong passwords of all its streams together and
 * locks the account, so whoever makes sources gives those of one device and login the same gate.
 */
export interface LoginGate {
  /** Resolves with a turn as soon as an attempt may begin; with undefined when the signal ends the waiting. */
  turn(waiting: LoginWaiting): Promise<LoginTurn | undefined>;
}

/** Who waits for a turn. */
export interface LoginWaiting {
  readonly signal: AbortSignal;
  /** Called when it has to wait because the device refused these credentials to whoever tried them. */
  onRefused(): void;
}

/** One attempt, and the session it opened. The first verdict counts; `ended` is called last, always. */
export interface LoginTurn {
  /** The device took the credentials. */
  accepted(): void;
  /** The device refused them, `tries` times in this one attempt; 1 when absent. */
  refused(tries?: number): void;
  /** The session is over, or the attempt failed before the device said anything about the credentials. */
  ended(): void;
}
