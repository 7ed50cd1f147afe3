import { MotionBackground } from "./motion-background.js";
import { BlobFinder } from "./motion-blobs.js";
import type { MotionZone } from "./motion-zones.js";
import { type ZoneMasks, zoneMasks } from "./zone-mask.js";

/** A small grey picture, row by row. */
export interface GrayPicture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** A place in a picture, in parts of it. */
export interface PictureBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Pixels of the picture that boxes are compared with zones on. */
const BOX_GRID = { width: 160, height: 90 };

/**
 * Finds what is different in zones from one picture to the next. The pictures may be seconds apart, so that nothing can be
 * followed from one to another, as `MotionAnalyzer` does; light and specks are left out in the same way.
 */
export class RegionMotion {
  readonly #zones: readonly MotionZone[];
  #scene: Scene | undefined;

  constructor(zones: readonly MotionZone[]) {
    this.#zones = zones;
  }

  /** Whether something moved since the picture before; false for the first one, and for one of another size. */
  take(picture: GrayPicture): boolean {
    const { width, height, data } = picture;
    const known = this.#scene;
    const scene =
      known?.width === width && known.height === height ? known : new Scene(this.#zones, width, height);
    const moved = scene === known && scene.differs(data);
    scene.set(data);
    this.#scene = scene;
    return moved;
  }

  /** What comes next is not compared with what was before. */
  restart(): void {
    this.#scene = undefined;
  }
}

/** Whether a box lies in zones, at least with a corner. */
export function touchesZones(zones: readonly MotionZone[], box: PictureBox): boolean {
  const { width, height } = BOX_GRID;
  const { masks } = zoneMasks(zones, width, height);
  const [left, right] = [Math.floor(box.left * width), Math.ceil((box.left + box.width) * width)];
  const [top, bottom] = [Math.floor(box.top * height), Math.ceil((box.top + box.height) * height)];
  for (let y = Math.max(0, top); y < Math.min(height, bottom); y++)
    for (let x = Math.max(0, left); x < Math.min(width, right); x++)
      if (masks.some((mask) => mask[y * width + x] === 1)) return true;
  return false;
}

class Scene {
  readonly width: number;
  readonly height: number;
  readonly #masks: ZoneMasks;
  readonly #background: MotionBackground;
  readonly #finder: BlobFinder;

  constructor(zones: readonly MotionZone[], width: number, height: number) {
    this.width = width;
    this.height = height;
    this.#masks = zoneMasks(zones, width, height);
    this.#background = new MotionBackground(width * height);
    this.#finder = new BlobFinder({ width, height }, this.#masks.masks);
  }

  set(picture: Uint8Array): void {
    this.#background.reset(picture);
  }

  differs(picture: Uint8Array): boolean {
    const { thresholds, minPixels } = this.#masks;
    this.#background.compare(picture, thresholds);
    const blobs = this.#finder.find(this.#background.changed, Math.min(...minPixels));
    return blobs.some(({ zonePixels }) => minPixels.some((least, at) => (zonePixels[at] ?? 0) >= least));
  }
}
