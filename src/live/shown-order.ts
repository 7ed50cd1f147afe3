/** Whole groups of pictures, and pictures in them, that show that a stream does not reorder. */
const GROUPS_MIN = 2;
const PICTURES_MIN = 30;

/**
 * Whether the pictures of one format are shown in the order of decoding, as far as they have come: many cameras never
 * reorder, and do not say so in their parameter sets.
 */
export class ShownOrder {
  #groups = 0;
  #pictures = 0;
  #isReordered = false;

  /** True after two whole groups with 30 pictures of which none was shown later than decoded; false again after one that was. */
  get isAsDecoded(): boolean {
    return !this.#isReordered && this.#groups >= GROUPS_MIN && this.#pictures >= PICTURES_MIN;
  }

  /** The next picture in decode order. */
  take(picture: { readonly key: boolean; readonly presentationOffsetUs: number }): void {
    if (picture.presentationOffsetUs > 0) this.#isReordered = true;
    if (picture.key && this.#pictures > 0) this.#groups += 1;
    this.#pictures += 1;
  }

  /** Pictures of another format follow. */
  restart(): void {
    this.#groups = 0;
    this.#pictures = 0;
    this.#isReordered = false;
  }
}
