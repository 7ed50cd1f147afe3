import { useEffect } from "preact/hooks";
import { RequestError, reachable } from "./request.js";

/**
 * Reads something for as long as the component is shown: at once, when `inputs` change, and again when the recorder answers
 * after it did not. That it does not answer is said by the frame; other errors are `onError`'s.
 */
export function useRead(
  read: () => Promise<unknown>,
  onError: (error: unknown) => void,
  inputs: readonly unknown[] = [],
): void {
  const isThere = reachable.value;
  useEffect(() => {
    if (!isThere) return;
    read().catch((error: unknown) => {
      if (!(error instanceof RequestError && error.status === 0)) onError(error);
    });
  }, [isThere, ...inputs]);
}
