import type { Guid } from "../../base/index.js";
import type { PeerKey } from "../../rtsp/index.js";
import type { Camera, SiteStore } from "../../site/index.js";
import { type CameraKey, type CameraNotes, KEYS_MAX } from "./camera-notes.js";
import { deviceOf } from "./stream-address.js";

export interface CameraKeysOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly notes: CameraNotes;
  /** Called once for each key that is shown instead of the expected one. */
  readonly onChanged: (camera: Camera, key: CameraKey) => void;
}

/**
 * Which keys cameras have: the one that is met first at a port is expected from then on. Their certificates are their own, so that
 * nothing else distinguishes a camera from what somebody put in its place.
 */
export class CameraKeys {
  readonly #options: CameraKeysOptions;

  constructor(options: CameraKeysOptions) {
    this.#options = options;
  }

  /** Whether the login may go to the camera with this key. Any key may, of a channel that is not configured. */
  accepts(channelId: Guid, port: number, { sha256 }: PeerKey): boolean {
    const camera = this.#options.site.current.cameras.find(({ id }) => id === channelId);
    if (camera === undefined) return true;
    const known = this.of(camera).find((key) => key.port === port);
    if (known === undefined || known.sha256 === sha256) {
      if (known?.offered !== undefined || known === undefined) this.#learn(camera, { port, sha256 });
      return true;
    }
    if (known.offered === sha256) return false;
    const changed = { ...known, offered: sha256 };
    this.#learn(camera, changed);
    this.#options.onChanged(camera, changed);
    return false;
  }

  of(camera: Camera): readonly CameraKey[] {
    return this.#options.notes.of(camera)?.keys ?? [];
  }

  /**
   * From now on `sha256`, which the camera offers, is the expected one: of all channels of its device to which it was offered. False
   * when it is not offered.
   */
  accept(camera: Camera, sha256: string): boolean {
    if (!this.of(camera).some(({ offered }) => offered === sha256)) return false;
    const device = deviceOf(camera);
    for (const one of this.#options.site.current.cameras) {
      if (one.id !== camera.id && deviceOf(one) !== device) continue;
      for (const key of this.of(one))
        if (key.offered === sha256) this.#learn(one, { port: key.port, sha256 });
    }
    return true;
  }

  #learn(camera: Camera, key: CameraKey): void {
    const others = this.of(camera).filter(({ port }) => port !== key.port);
    this.#options.notes.learn(camera, { keys: [...others, key].slice(-KEYS_MAX) });
  }
}
