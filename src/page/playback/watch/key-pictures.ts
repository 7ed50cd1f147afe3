import type { KeyPictures } from "../../player/key-pictures.js";

let part: typeof KeyPictures | undefined;

/** With the screen: a hand may follow at once. Without it, as on a link that breaks, the element alone is drawn along. */
export function fetchKeyPictures(load: () => Promise<typeof KeyPictures>): void {
  if (part !== undefined) return;
  load().then(
    (fetched) => (part = fetched),
    (error: unknown) => console.warn("key frames are not kept", error),
  );
}

/** For each of so many cameras, of a part of the timeline; undefined while it has not been fetched. */
export function keyPictures(cameras: number, lengthMs: number): KeyPictures | undefined {
  return part && new part(cameras, lengthMs);
}
