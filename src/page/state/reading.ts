import { useEffect } from "preact/hooks";
import { RequestError, reachable } from "./request.js";

/** Wait before asking again, where the service does not say how long. */
const RETRY_MS = 2000;

/**
 * Reads something for as long as the component is shown: at once, when `inputs` change, when the recorder answers after it did
 * not, and again until it is read where there was no answer or the recorder was not ready (503). That there is no answer is
 * said by the frame; other errors are `onError`'s, each once.
 */
export function useRead(
  read: () => Promise<unknown>,
  onError: (error: unknown) => void,
  inputs: readonly unknown[] = [],
): void {
  const isThere = reachable.value;
  useEffect(() => {
    if (!isThere) return;
    const shown = new AbortController();
    void readUntilAnswered(read, onError, shown.signal);
    return () => shown.abort();
  }, [isThere, ...inputs]);
}

async function readUntilAnswered(
  read: () => Promise<unknown>,
  onError: (error: unknown) => void,
  shown: AbortSignal,
): Promise<void> {
  let isSaid = false;
  while (!shown.aborted) {
    let waitMs: number;
    try {
      await read();
      return;
    } catch (error) {
      if (shown.aborted) return;
      const refusal = error instanceof RequestError ? error : undefined;
      const isAnswered = refusal?.status !== 0;
      if (isAnswered && !isSaid) onError(error);
      if (isAnswered && refusal?.status !== 503) return;
      isSaid ||= isAnswered;
      waitMs = refusal?.retryAfterS === undefined ? RETRY_MS : refusal.retryAfterS * 1000;
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
