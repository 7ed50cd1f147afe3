import {
  type FragmentTimes,
  fragmentTimes,
  type TimeScales,
  timeScales,
  writeDecodeTime,
} from "./fragment.js";
import type { MediaHeader } from "./media-header.js";
import { PictureTimes } from "./picture-times.js";

/** A browser takes a hole of at most a picture or two; a longer one is closed. */
const HOLE_S = 0.06;
/** A picture that is decoded so far before the end of the last one is no continuation. */
const OVERLAP_S = 0.5;
/** Where nothing says how long a picture is shown. */
const PICTURE_S = 0.04;
/** A new start is placed so far behind the end that no old picture runs into it. */
const START_APART_S = 1;

/**
 * Places each fragment on the element's time axis: from the first key frame on, without a hole, whatever the times of the
 * stream do. Pictures and sound of a feed share a time origin, so both are moved by the same.
 */
export class Placement {
  readonly times = new PictureTimes();
  #scales: TimeScales = new Map();
  /** Added to the feed's own times; undefined until a key frame has come. */
  #shiftS: number | undefined;
  /** Where the next picture continues. */
  #endS = 0;
  /** How long the last picture is shown. */
  #lastS = 0;
  #restart = false;

  /** The end of the placed pictures, seconds. */
  get endS(): number {
    return this.#endS;
  }

  /** Another init segment: its pictures begin at the end. */
  begin(init: Uint8Array): void {
    this.#scales = timeScales(init);
    this.#shiftS = undefined;
  }

  /** The buffer is empty again and its time begins at 0. */
  reset(): void {
    this.times.clear();
    this.#shiftS = undefined;
    this.#endS = 0;
  }

  /**
   * What follows is another place of the recording: leaves all fragments out up to the discontinuity, and starts apart. `isCoarse`: of
   * each group of pictures its first one comes alone.
   */
  jump(isCoarse = false): void {
    this.#restart = true;
    this.times.beginStretch(isCoarse);
  }

  /** Writes the fragment's place into it. Undefined for one that cannot be shown; else whether it begins anew. */
  place(header: MediaHeader, fragment: Uint8Array): { readonly isStart: boolean } | undefined {
    const times = fragmentTimes(fragment, this.#scales);
    if (times === undefined) return undefined;
    return header.isSound ? this.#placeSound(times, fragment) : this.#placePicture(header, times, fragment);
  }

  #placeSound(times: FragmentTimes, fragment: Uint8Array): { readonly isStart: boolean } | undefined {
    // Sound that comes before the first picture has no place yet.
    if (this.#shiftS === undefined || this.#restart) return undefined;
    const startS = times.decodeS + this.#shiftS;
    if (startS < 0 || Math.abs(startS - this.#endS) > 2) return undefined;
    writeDecodeTime(fragment, times, startS);
    return { isStart: false };
  }

  #placePicture(
    header: MediaHeader,
    times: FragmentTimes,
    fragment: Uint8Array,
  ): { readonly isStart: boolean } | undefined {
    const isStart = this.#restart;
    if (isStart && !(header.isKey && header.isDiscontinuity)) return undefined;
    const holeS = times.decodeS + (this.#shiftS ?? Number.NaN) - this.#endS;
    const continues = holeS > -OVERLAP_S && !header.isDiscontinuity;
    if (!continues && !header.isKey) return undefined;
    if (isStart) this.#endS += START_APART_S;
    this.#restart = false;
    if (!continues || holeS > Math.max(HOLE_S, this.#lastS)) this.#shiftS = this.#endS - times.decodeS;
    const startS = times.decodeS + (this.#shiftS ?? 0);
    const durationS = times.durationS || header.durationMs / 1000 || PICTURE_S;
    writeDecodeTime(fragment, times, startS);
    this.#endS = startS + durationS;
    this.#lastS = durationS;
    const { wallMs, handOverMs } = header;
    this.times.add({ mediaS: startS + times.offsetS, durationS, wallMs, handOverMs });
    return { isStart };
  }
}
