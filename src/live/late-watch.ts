/** A picture that is later than the one before by more than this comes after a stall, of the link or of the camera; */
const STALL_US_MIN = 420_000;
/** as lateness varies anyway, after a shorter stall than this all must be later than all were before, by so much. */
const STALL_US_SURE = 1_200_000;
const STALL_APART_US_MIN = 200_000;
/** A stalled link delivers what has waited: within this time, lateness has shrunk by this part of it. */
const CATCH_UP_US = 1_000_000;
const CATCH_UP_PART = 0.25;
const CATCH_UP_PICTURES = 2;
/** Less lateness than this is none. */
const CAUGHT_UP_US = 400_000;

/** Least lateness is looked at once in this time. */
const LOOK_US = 125_000;
/** A clock runs behind if the least lateness rose by this much, evenly: over this long, and so many looks. */
const BEHIND_US = 250_000;
const LOOKS_MIN = 2;
const LOOKS_US = 750_000;
/** The least lateness of a look falls by chance by this much, and a period of pictures more. */
const FALL_US = 10_000;

/** Pictures that are all later than this for so long, and than what lateness varies by, come from a clock that is behind. */
const LEVEL_US = 350_000;
const LEVEL_SPREADS = 0.75;
const LEVEL_BUCKET_US = 2_500_000;

/** Pictures that come so much later than a usual period after the one before were held up on the way, or by the recorder. */
const HOLD_US = 250_000;
/** So long after the last hold, lateness is that of the clock. */
const HOLD_OVER_US = 1_000_000;
/** Holds that go on are no excuse for a clock of which no picture has been in time for so long. */
const NEVER_CAUGHT_UP_US = 2_800_000;
/**
 * Nor are they where, after so many holds in a row, all that came until the next one was later than this, and no less late than after
 * the hold before.
 */
const LEFT_US = 1_200_000;
const LEFT_HOLDS = 3;
/** Where two holds are equally long, pictures are likely sent so: less shows it. */
const SENT_LEFT_US = 800_000;
const SENT_LEFT_HOLDS = 2;
/** So many holds in a row that are equally long, to this part of their length, are how the camera sends, or how it is read. */
const EVEN_PART = 0.05;
const EVEN_HOLDS = 2;

/** How far a picture is behind the one before. One object for each track, used again. */
export interface PictureDistance {
  elapsedUs: number;
  /** By the camera's clock. */
  stepUs: number;
  /** The usual distance of arrival; 0: not known yet. */
  periodUs: number;
}

/**
 * Distinguishes a link that delays pictures from a clock that is behind. A link makes pictures late by chance, or all at once and then
 * catches up; a clock that is slow, or did not run for a while, makes all of them late, and none catches up. A recorder that is
 * starved reads late again and again: pictures then come unevenly, which those of a wrong clock do not.
 */
export class LateWatch {
  #lateUs = 0;
  #stalledUs: number | undefined;
  #stalledLateUs = 0;
  /** The greatest lateness since it began. */
  #stalledMostUs = 0;
  #stalledLeastUs = Number.POSITIVE_INFINITY;
  #stalledPictures = 0;
  /** All that comes after the stall has to be later than this for the clock to be the cause. */
  #stalledOverUs = 0;
  #lookEndUs = Number.NEGATIVE_INFINITY;
  #lookLeastUs = Number.POSITIVE_INFINITY;
  #lookedUs = 0;
  #riseFromUs = 0;
  #riseLooks = 0;
  #riseGreatestUs = 0;
  #levelEndUs = Number.NEGATIVE_INFINITY;
  #levelLeastUs = Number.POSITIVE_INFINITY;
  #levelMostUs = Number.NEGATIVE_INFINITY;
  /** Of the bucket before. */
  #leastBeforeUs = Number.NEGATIVE_INFINITY;
  #mostBeforeUs = Number.NEGATIVE_INFINITY;
  /** How far the least lateness of a look has fallen from its peak; and in the bucket before. */
  #fallUs = 0;
  #fallBeforeUs = 0;
  #peakUs = Number.NEGATIVE_INFINITY;
  #heldUs = Number.NEGATIVE_INFINITY;
  #holdUs = 0;
  /** Pictures since the last hold. */
  #heldPictures = 0;
  /** Holds in a row that were as long as the one before. */
  #evenHolds = 0;
  /** Likewise of holds behind each of which one picture came. */
  #evenSingles = 0;
  /** The least lateness since the last hold, and of all that came between the two before. */
  #heldLeastUs = Number.POSITIVE_INFINITY;
  #leftUs = 0;
  /** Holds in a row, before which all that came was late, and no less than before the one before. */
  #leftHolds = 0;
  /** Between the two pictures before, by their arrival and by the camera's clock: the lesser. */
  #takenUs = 0;
  /** When a picture was in time. */
  #inTimeUs = Number.NEGATIVE_INFINITY;
  #nowUs = Number.NaN;

  /** Whether pictures were held up on the way a moment ago: they are late, and the clock is not the cause. */
  get isHeld(): boolean {
    if (this.#isEven() || this.isRare || this.#isLeftBehind()) return false;
    return this.#nowUs - this.#heldUs < HOLD_OVER_US && this.#nowUs - this.#inTimeUs < NEVER_CAUGHT_UP_US;
  }

  /** Whether the camera has come to take few pictures: they come one by one, at even distances. */
  get isRare(): boolean {
    return this.#evenSingles >= EVEN_HOLDS;
  }

  #isEven(): boolean {
    return this.#evenHolds >= EVEN_HOLDS;
  }

  /** Of what was held up the last is in time, or more follows. */
  #isLeftBehind(): boolean {
    const isSent = this.#evenHolds > 0 && this.#leftHolds >= SENT_LEFT_HOLDS && this.#leftUs > SENT_LEFT_US;
    return isSent || (this.#leftHolds >= LEFT_HOLDS && this.#leftUs > LEFT_US);
  }

  /** A picture comes, before its lateness is known. */
  arrived(nowUs: number, { elapsedUs, stepUs, periodUs }: PictureDistance): void {
    this.#nowUs = nowUs;
    const usualUs = Math.max(periodUs, this.#takenUs);
    // What the camera's clock says too is how it takes pictures.
    const isHeldUp = elapsedUs > usualUs + HOLD_US && elapsedUs > stepUs + HOLD_US;
    if (periodUs > 0 && isHeldUp) this.#hold(nowUs, elapsedUs);
    this.#takenUs = Math.min(elapsedUs, stepUs);
    this.#heldPictures += 1;
  }

  #hold(nowUs: number, lengthUs: number): void {
    const isLeft =
      this.#heldLeastUs < Number.POSITIVE_INFINITY &&
      this.#heldLeastUs > Math.max(CAUGHT_UP_US, this.#leftUs);
    this.#leftHolds = isLeft ? this.#leftHolds + 1 : 0;
    this.#leftUs = isLeft ? this.#heldLeastUs : 0;
    this.#heldLeastUs = Number.POSITIVE_INFINITY;
    const isEven = Math.abs(lengthUs - this.#holdUs) < EVEN_PART * lengthUs;
    // One picture after each is a camera that takes fewer now.
    const isSingle = this.#heldPictures === 1;
    this.#heldPictures = 0;
    this.#evenHolds = isEven && !isSingle ? this.#evenHolds + 1 : 0;
    this.#evenSingles = isEven && isSingle ? this.#evenSingles + 1 : 0;
    this.#holdUs = lengthUs;
    this.#heldUs = nowUs;
  }

  /** Another mapping begins with a picture of this lateness. */
  restart(lateUs: number, nowUs: number): void {
    this.#lateUs = lateUs;
    this.#stalledUs = undefined;
    this.#lookEndUs = nowUs + LOOK_US;
    this.#lookLeastUs = lateUs;
    this.#restartRise(lateUs);
    this.#lookedUs = lateUs;
    this.#levelEndUs = nowUs + LEVEL_BUCKET_US;
    this.#levelLeastUs = lateUs;
    this.#levelMostUs = lateUs;
    this.#leastBeforeUs = Number.NEGATIVE_INFINITY;
    this.#fallUs = 0;
    this.#fallBeforeUs = 0;
    this.#peakUs = lateUs;
    this.#inTimeUs = nowUs;
    this.#heldLeastUs = lateUs;
    this.#leftHolds = 0;
    this.#leftUs = 0;
  }

  /** The picture before was an outlier, and this one has the lateness of those before it: that was no fall by chance. */
  forgetFall(lateUs: number): void {
    this.#fallUs = 0;
    this.#fallBeforeUs = 0;
    this.#peakUs = lateUs;
    this.#lookLeastUs = lateUs;
  }

  /** Takes the lateness of the next picture; true if the clock is behind. */
  isBehind(lateUs: number, nowUs: number, periodUs: number): boolean {
    if (lateUs < CAUGHT_UP_US) this.#inTimeUs = nowUs;
    this.#heldLeastUs = Math.min(this.#heldLeastUs, lateUs);
    if (this.isHeld) this.#restartRise(lateUs);
    const stalled = this.#isStoppedClock(lateUs, nowUs);
    const slow = this.#isSlow(lateUs, nowUs, periodUs);
    const level = this.#isLevel(lateUs, nowUs);
    this.#lateUs = lateUs;
    return this.#isLeftBehind() || ((stalled || slow || level) && !this.isHeld);
  }

  #isStoppedClock(lateUs: number, nowUs: number): boolean {
    const jumpUs = lateUs - this.#lateUs;
    // What comes in bursts after a stall is later by turns.
    const isNew = this.#stalledUs === undefined || lateUs > this.#stalledMostUs + STALL_US_MIN;
    if (jumpUs > STALL_US_MIN && isNew) {
      this.#stall(lateUs, nowUs);
      this.#stalledMostUs = lateUs;
      const isKnown = this.#leastBeforeUs > Number.NEGATIVE_INFINITY;
      const mostUs = isKnown ? Math.max(this.#levelMostUs, this.#mostBeforeUs) : Number.POSITIVE_INFINITY;
      this.#stalledOverUs = jumpUs > STALL_US_SURE ? 0 : mostUs + STALL_APART_US_MIN;
    }
    if (this.#stalledUs === undefined) return false;
    this.#stalledLeastUs = Math.min(this.#stalledLeastUs, lateUs);
    this.#stalledMostUs = Math.max(this.#stalledMostUs, lateUs);
    this.#stalledPictures += 1;
    if (lateUs < CAUGHT_UP_US) this.#stalledUs = undefined;
    const sinceUs = nowUs - (this.#stalledUs ?? nowUs);
    if (sinceUs < CATCH_UP_US || this.#stalledPictures <= CATCH_UP_PICTURES) return false;
    if (this.#stalledLeastUs > this.#stalledLateUs - CATCH_UP_PART * sinceUs)
      return this.#stalledLeastUs > this.#stalledOverUs;
    this.#stall(this.#stalledLeastUs, nowUs);
    return false;
  }

  #stall(lateUs: number, nowUs: number): void {
    this.#stalledUs = nowUs;
    this.#stalledLateUs = lateUs;
    this.#stalledLeastUs = lateUs;
    this.#stalledPictures = 0;
  }

  #isSlow(lateUs: number, nowUs: number, periodUs: number): boolean {
    if (nowUs < this.#lookEndUs) {
      this.#lookLeastUs = Math.min(this.#lookLeastUs, lateUs);
      return false;
    }
    const leastUs = this.#lookLeastUs;
    const riseUs = leastUs - this.#lookedUs;
    this.#peakUs = Math.max(this.#peakUs, leastUs);
    this.#fallUs = Math.max(this.#fallUs, this.#peakUs - leastUs);
    this.#levelMostUs = Math.max(this.#levelMostUs, leastUs);
    this.#lookedUs = leastUs;
    this.#lookLeastUs = lateUs;
    this.#lookEndUs = nowUs + LOOK_US;
    if (riseUs < -FALL_US - periodUs) this.#restartRise(leastUs);
    else {
      this.#riseLooks += 1;
      this.#riseGreatestUs = Math.max(this.#riseGreatestUs, riseUs);
    }
    const risenUs = leastUs - this.#riseFromUs;
    const apartUs = this.#isEven() ? this.#holdUs : periodUs;
    const looks = Math.max(LOOKS_MIN, Math.round(LOOKS_US / Math.max(apartUs, LOOK_US)));
    const isEven = this.#riseLooks >= looks && 2 * this.#riseGreatestUs <= risenUs;
    // More than lateness has varied by before.
    return leastUs > BEHIND_US && risenUs > Math.max(BEHIND_US, this.#fallUs, this.#fallBeforeUs) && isEven;
  }

  #restartRise(lateUs: number): void {
    this.#riseFromUs = lateUs;
    this.#riseLooks = 0;
    this.#riseGreatestUs = 0;
  }

  #isLevel(lateUs: number, nowUs: number): boolean {
    if (nowUs < this.#levelEndUs) {
      this.#levelLeastUs = Math.min(this.#levelLeastUs, lateUs);
      // Of pictures that come at even distances only the last of each are as late as the clock is.
      if (!this.#isEven()) this.#levelMostUs = Math.max(this.#levelMostUs, lateUs);
      return false;
    }
    const leastUs = Math.min(this.#levelLeastUs, this.#leastBeforeUs);
    const spreadUs = Math.max(this.#levelMostUs, this.#mostBeforeUs) - leastUs;
    this.#fallBeforeUs = this.#fallUs;
    this.#fallUs = 0;
    this.#peakUs = lateUs;
    this.#leastBeforeUs = this.#levelLeastUs;
    this.#mostBeforeUs = this.#levelMostUs;
    this.#levelLeastUs = lateUs;
    this.#levelMostUs = this.#isEven() ? Number.NEGATIVE_INFINITY : lateUs;
    this.#levelEndUs = nowUs + LEVEL_BUCKET_US;
    return leastUs > LEVEL_US + LEVEL_SPREADS * spreadUs;
  }
}
