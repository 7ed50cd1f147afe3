/** What Safari on a phone has instead of MediaSource. */
interface ManagedWindow {
  readonly ManagedMediaSource?: typeof MediaSource;
}

/** The browser's way to play what a script hands it; undefined where there is none. */
export function mediaSourceClass(): typeof MediaSource | undefined {
  const managed = (globalThis as ManagedWindow).ManagedMediaSource;
  return managed ?? (globalThis as { MediaSource?: typeof MediaSource }).MediaSource;
}
