import type { Clock } from "../../base/index.js";

/** Whether work that cannot be broken off has ended well within a time. */
export async function within(clock: Clock, work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let clear: () => void = () => undefined;
  const late = new Promise<false>((resolve) => {
    const timer = clock.setTimeout(() => resolve(false), timeoutMs);
    clear = () => timer.clear();
  });
  const outcome = await Promise.race([
    work.then(
      () => true,
      () => false,
    ),
    late,
  ]);
  clear();
  return outcome;
}
