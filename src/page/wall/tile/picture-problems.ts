import { type Signal, signal } from "@preact/signals";

/** Channels of the wall without a picture. */
export const withoutPicture = signal<ReadonlySet<string>>(new Set());
/** Those of which pictures were left out a moment ago, as the link or the device is too slow. */
export const slowPictures = signal<ReadonlySet<string>>(new Set());

export function note(where: Signal<ReadonlySet<string>>, channel: string, isSo: boolean): void {
  if (where.peek().has(channel) === isSo) return;
  const next = new Set(where.peek());
  if (isSo) next.add(channel);
  else next.delete(channel);
  where.value = next;
}
