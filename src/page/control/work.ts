import { useSignal } from "@preact/signals";
import { sayError } from "./notice.js";

/**
 * Work that a press starts: whether it is under way, for the button that waits for it, and what starts it. What it fails with
 * is `onError`'s, by default a notice's.
 */
export function useWork(
  onError: (error: unknown) => void = sayError,
): readonly [isBusy: boolean, act: (work: () => Promise<unknown>) => Promise<void>] {
  const isBusy = useSignal(false);
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    isBusy.value = true;
    try {
      await work();
    } catch (error) {
      onError(error);
    } finally {
      isBusy.value = false;
    }
  };
  return [isBusy.value, act];
}
