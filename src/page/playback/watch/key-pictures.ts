import type { KeyPictures, KeyPicturesOptions } from "../../player/key-pictures.js";

let part: typeof KeyPictures | undefined;

/** With the screen: a hand may follow at once. Without it, as on a link that breaks, the element alone is drawn along. */
export function fetchKeyPictures(load: () => Promise<typeof KeyPictures>): void {
  if (part !== undefined) return;
  load().then(
    (fetched) => (part = fetched),
    (error: unknown) => console.warn("key frames are not kept", error),
  );
}

/** Of one camera; undefined while the part has not been fetched. */
export function keyPictures(options: KeyPicturesOptions): KeyPictures | undefined {
  return part && new part(options);
}
