const listeners = new Set<(error: unknown) => void>();

/** Calls `listener` with what a timer's function throws. Without a listener it is an uncaught exception, which ends the process. */
export function onTimerFault(listener: (error: unknown) => void): { clear(): void } {
  listeners.add(listener);
  return { clear: () => void listeners.delete(listener) };
}

/** Reports that a timer's function has thrown. Its other calls and all other timers go on. */
export function reportTimerFault(error: unknown): void {
  for (const listener of listeners) listener(error);
  if (listeners.size > 0) return;
  setImmediate(() => {
    throw error;
  });
}
