import { signal } from "@preact/signals";

/** Channels of the wall without a picture. */
export const withoutPicture = signal<ReadonlySet<string>>(new Set());

export function notePicture(channel: string, isMissing: boolean): void {
  if (withoutPicture.peek().has(channel) === isMissing) return;
  const next = new Set(withoutPicture.peek());
  if (isMissing) next.add(channel);
  else next.delete(channel);
  withoutPicture.value = next;
}
