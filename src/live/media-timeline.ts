import { LateWatch } from "./late-watch.js";
import { nearArrival, PicturePace } from "./picture-pace.js";
import { PlacedOrder } from "./placed-order.js";

/** No picture arrives before it was taken: one that would be sent this long before it is decoded has a wrong time. */
const EARLY_US_MAX = 300_000;
/** or this long, where the session's first picture may have been read late, or have waited for others. */
const EARLY_UNSETTLED_US_MAX = 400_000;
/** The session's first picture is late by no more than this, but for what it has waited for others. */
const EARLY_FIRST_US_MAX = 250_000;
/** With more lateness than this a clock is believed only as long as a link may be the cause. */
const LATE_US_MAX = 400_000;
/** What comes later than this by a clock that is believed waits for what comes after it, as either the clock or the link may be the cause. */
const DOUBT_LATE_US = 450_000;
/** Reordered pictures, some of which come later than they are shown, show less of it. */
const DOUBT_LATE_REORDERED_US = 200_000;
/** A clock that is not proven yet is believed up to this lateness. */
const JITTER_US_MAX = 1_200_000;
/** A clock is proven when its times have fitted for this long and for so many pictures. */
const PROVEN_US = 1_000_000;
const PROVEN_PICTURES = 4;
/** A picture whose step in time is less than this part of the time that it took to come is later than the one before; */
const LATER_PART = 2 / 3;
/** after so many in a row, of pictures that are so far apart, the clock is the cause. With more pictures `LateWatch` decides. */
const LATER_IN_ROW_MAX = 3;
const RARE_US_MIN = 80_000;
/** A clock whose times go back so often in a row runs backwards, if the pictures are not shown in another order. */
const BACK_IN_ROW_MAX = 2;
/** No camera takes pictures in such a distance: after one that is later, the clock is the cause. */
const STEP_SANE_US_MIN = 15_000;
/** From one picture to the next, a clock that runs wrong differs by less than this, and one that was set by more. */
const STEP_US_MIN = 200_000;
/** Times that do not fit are consistent with each other if they differ from their arrivals by no more than this. */
const CANDIDATE_APART_US_MAX = 350_000;
const CANDIDATE_PICTURES = 2;
/** No camera sends a picture before so many others that are shown before it; known when pictures have come for so long. */
const WAITED_PICTURES_MAX = 8;
const WAIT_KNOWN_US = 150_000;
/** How fast what is usual follows pictures that are later. */
const USUAL_WEIGHT = 1 / 64;
/** For so long times that do not fit are outliers, if others fit again. */
const OUTLIERS_US_MAX = 2_000_000;
/** An outlier is placed this part of a period after the picture before: surely before the next. */
const OUTLIER_PART = 0.75;
/** So long after a time that did not fit, one that goes back is not a reordered picture's, and one that is late not the link's. */
const DOUBT_US = 10_000_000;
/** How long a clock must be consistent to be believed again: at once after a step; longer each time that it fails soon. */
const PROOF_US_FIRST = 1_000_000;
const PROOF_US_WRONG_RATE = 10_000_000;
const PROOF_US_MAX = 60_000_000;
/** A clock that was right for this long fails for the first time. */
const PROOF_FORGOTTEN_US = 60_000_000;

/**
 * "late": so late that either the clock or the link is the cause; "unjudged": it says nothing of that; "moved": the clock was the cause,
 * and this time is not by it.
 */
export type Doubt = "none" | "late" | "unjudged" | "moved";

/** When a picture comes, and what may be expected of its time. One object for each track, used again. */
export interface PictureArrival {
  /** Media time now, by the clock that counts: where a picture that is not late is. */
  atUs: number;
  /** Monotonic. */
  nowUs: number;
  /** How long before it is shown a picture may have to come. */
  reorderUs: number;
  /** How many pictures the stream says it sends before one that is shown before them; 0: it shows them as it sends them. */
  reorderDepth: number;
  /** The session has just begun: its first picture may have been read late. */
  isUnsettled: boolean;
}

/**
 * Media time that runs as pictures arrive, whatever the camera's timestamps say. A sane clock's times pass unchanged. What does not
 * fit the arrival is put between its neighbours; a clock that was set goes on from where pictures are, without a gap; one that
 * runs wrong is not believed, and its pictures are paced by their arrival (`docs/design/frames.md`).
 */
export class MediaTimeline {
  readonly #pace = new PicturePace();
  readonly #watch = new LateWatch();
  readonly #order = new PlacedOrder();
  /** NaN at first, so that V8 expects no small integers. */
  readonly #distance = { elapsedUs: Number.NaN, stepUs: Number.NaN, periodUs: Number.NaN };
  #isRunning = false;
  #isTrusted = true;
  /** Times given less those of the camera, while it is trusted. */
  #correctionUs = 0;
  #steps = 0;
  #trustedSinceUs = 0;
  /** Pictures whose times have fitted since then. */
  #fitting = 0;
  /** Of the picture before: the camera's time, the one given, and how late it was. */
  #rawUs = 0;
  #givenUs = 0;
  #lateUs = 0;
  #nowUs = 0;
  /** Pictures in a row, each of which was later than the one before. */
  #laterInRow = 0;
  #stepUs = 0;
  /** Pictures in a row whose times went back. */
  #backInRow = 0;
  /** Likewise, and when it came, of the newest picture that was shown after those before it. */
  #forwardRawUs = 0;
  #forwardUs = 0;
  #forwardStepUs = 0;
  #mediaPeriodUs = 0;
  #fittedUs = 0;
  /** Pictures in a row whose times did not fit, and when the last one came. */
  #misfits = 0;
  #misfitUs = Number.NEGATIVE_INFINITY;
  #candidateRawUs = 0;
  #candidateUs = 0;
  #candidates = 0;
  /** Of these: the least time from what the camera's clock says to the arrival. */
  #candidateLeastUs = 0;
  #proofUs = 0;
  /** How late the pictures are that wait for no others, of a stream that is shown in another order; NaN before there are any. */
  #usualLateUs = Number.NaN;
  #doubt: Doubt = "none";
  #movedUs = 0;
  /** The time given to the first of the pictures that have been late since. */
  #doubtFromUs = Number.POSITIVE_INFINITY;

  /** What is to be thought of the time that was given last. */
  get doubt(): Doubt {
    return this.#doubt;
  }

  /** How much later the time that was given last is than the clock said before it was found to be wrong. */
  get movedUs(): number {
    return this.#movedUs;
  }

  /** What to add to the camera's media time; undefined while the camera's clock is not believed. */
  get correctionUs(): number | undefined {
    return this.#isTrusted ? this.#correctionUs : undefined;
  }

  /** Counts the changes of the correction. */
  get steps(): number {
    return this.#steps;
  }

  /** A time that cannot be judged, because it is the first, or the recorder's clock was set. */
  carry(rawUs: number, nowUs: number): number {
    this.#pass(rawUs, nowUs, 0);
    const givenUs = this.#isTrusted ? rawUs + this.#correctionUs : this.#givenUs + this.#pace.periodUs;
    if (!this.#isRunning) this.#trustedSinceUs = nowUs;
    this.#isRunning = true;
    this.#watch.restart(0, nowUs);
    this.#fit(nowUs, 0);
    this.#doubt = "none";
    return this.#give(rawUs, givenUs);
  }

  /** A time of the packet whose first was given last: it has the distance that the packet's contents say. */
  follow(rawUs: number): number {
    return this.#givenUs + rawUs - this.#rawUs;
  }

  /** The time of a picture that the camera's clock places at `rawUs`. */
  next(rawUs: number, arrival: PictureArrival): number {
    const { atUs, nowUs, reorderDepth } = arrival;
    this.#pass(rawUs, nowUs, reorderDepth);
    const mappedUs = rawUs + this.#correctionUs;
    const lateUs = atUs - mappedUs;
    // Such a picture has waited for the one that is shown after it: with few pictures a second it is late by seconds, and no clock is wrong.
    const hasWaited =
      reorderDepth > 0 &&
      this.#misfits === 0 &&
      this.#order.isWithinStep(rawUs, mappedUs, reorderDepth) &&
      this.#mayWait(rawUs);
    if (this.#isTrusted && hasWaited) {
      this.#doubt = "unjudged";
      return this.#give(rawUs, mappedUs);
    }
    if (this.#isTrusted && this.#isFitting(mappedUs, lateUs, arrival)) {
      if (this.#backInRow > 0) this.#watch.forgetFall(lateUs);
      if (!this.#watch.isBehind(lateUs, nowUs, this.#pace.periodUs)) {
        this.#fit(nowUs, lateUs);
        if (reorderDepth > 0) this.#noteUsual(lateUs);
        this.#judgeDoubt(mappedUs, lateUs, reorderDepth);
        return this.#give(rawUs, this.#inOrder(mappedUs, arrival));
      }
      this.#distrust();
    } else if (this.#isTrusted && this.#misfits === 0 && Math.abs(lateUs - this.#lateUs) < STEP_US_MIN)
      this.#distrust();
    const givenUs = this.#misfit(rawUs, arrival);
    // One that is placed by others says no more than those.
    this.#doubt = atUs - givenUs > DOUBT_LATE_US ? "unjudged" : "moved";
    this.#movedUs = givenUs - mappedUs;
    if (this.#doubt === "moved") this.#moveDoubtful();
    return givenUs;
  }

  #judgeDoubt(mappedUs: number, lateUs: number, reorderDepth: number): void {
    const isLate = lateUs > (reorderDepth > 0 ? DOUBT_LATE_REORDERED_US : DOUBT_LATE_US);
    this.#doubt = isLate ? "late" : "none";
    if (!isLate) this.#doubtFromUs = Number.POSITIVE_INFINITY;
    else if (this.#doubtFromUs === Number.POSITIVE_INFINITY) this.#doubtFromUs = mappedUs;
  }

  /** The clock was the cause that pictures came late: those that are shown between them are to be between where these are now. */
  #moveDoubtful(): void {
    if (this.#doubtFromUs === Number.POSITIVE_INFINITY) return;
    this.#order.move(this.#doubtFromUs, this.#movedUs);
    this.#doubtFromUs = Number.POSITIVE_INFINITY;
  }

  /** Whether a picture may have waited for the session's first one: a clock that was set back since has no place before that. */
  #mayWait(rawUs: number): boolean {
    const passedUs = this.#nowUs - this.#forwardUs;
    const distanceUs = passedUs / (this.#order.since + 1);
    return passedUs < WAIT_KNOWN_US || this.#order.picturesAhead(rawUs, distanceUs) <= WAITED_PICTURES_MAX;
  }

  #pass(rawUs: number, nowUs: number, reorderDepth: number): void {
    const elapsedUs = this.#isRunning ? Math.max(0, nowUs - this.#nowUs) : 0;
    this.#nowUs = nowUs;
    this.#stepUs = rawUs - this.#rawUs;
    this.#distance.elapsedUs = elapsedUs;
    this.#distance.stepUs = this.#stepUs;
    this.#distance.periodUs = this.#pace.periodUs;
    this.#watch.arrived(nowUs, this.#distance);
    if (this.#isRunning) this.#pace.arrived(elapsedUs);
    this.#backInRow = this.#stepUs < 0 && reorderDepth === 0 ? this.#backInRow + 1 : 0;
    // A picture that is shown before others that have come says nothing of how far the clock has gone.
    if (reorderDepth > 0 && this.#order.isBetween(rawUs, reorderDepth)) return;
    const passedUs = nowUs - this.#forwardUs;
    this.#forwardStepUs = rawUs - this.#forwardRawUs;
    // Where pictures come one by one, those between have come later, too.
    const pictures = 1 + (reorderDepth > 0 && this.#watch.isRare ? this.#order.since : 0);
    this.#laterInRow = this.#forwardStepUs < LATER_PART * passedUs ? this.#laterInRow + pictures : 0;
    this.#forwardRawUs = rawUs;
    this.#forwardUs = nowUs;
  }

  #isFitting(mappedUs: number, lateUs: number, arrival: PictureArrival): boolean {
    const { nowUs, reorderUs } = arrival;
    const isInDoubt = nowUs - this.#misfitUs < DOUBT_US;
    if (-lateUs > this.#earlyUsMax(isInDoubt, arrival)) return false;
    if (this.#backInRow >= BACK_IN_ROW_MAX) return false;
    if (lateUs <= LATE_US_MAX) return true;
    // A link delays pictures, but neither repeats times nor goes back, nor makes each picture later than the one before.
    if (mappedUs <= this.#givenUs - 2 * reorderUs) return false;
    if (this.#isBehindByStep()) return false;
    // A clock that was wrong a moment ago is the cause, not the link.
    if (isInDoubt) return this.#watch.isHeld;
    const isProven = this.#fitting >= PROVEN_PICTURES && nowUs - this.#trustedSinceUs >= PROVEN_US;
    return isProven || this.#watch.isHeld || lateUs <= JITTER_US_MAX;
  }

  #earlyUsMax(isInDoubt: boolean, { reorderUs, reorderDepth, isUnsettled }: PictureArrival): number {
    if (reorderDepth === 0) {
      // What shows that pictures are reordered may have been a clock that went back.
      const isUsual = !isUnsettled && (isInDoubt || reorderUs === 0);
      return isUsual ? EARLY_US_MAX : EARLY_UNSETTLED_US_MAX;
    }
    // A picture comes earlier by those that are sent after it and shown before it than the first one, which may have waited for as many.
    const firstUs = EARLY_FIRST_US_MAX + reorderDepth * this.#pace.periodUs;
    return Math.min(EARLY_UNSETTLED_US_MAX + reorderUs, Math.max(EARLY_UNSETTLED_US_MAX, firstUs));
  }

  #isBehindByStep(): boolean {
    if (this.#laterInRow > 0 && this.#forwardStepUs < STEP_SANE_US_MIN) return true;
    const isEach =
      this.#laterInRow >= LATER_IN_ROW_MAX && (this.#pace.periodUs >= RARE_US_MIN || this.#watch.isRare);
    return isEach && !this.#watch.isHeld;
  }

  #fit(nowUs: number, lateUs: number): void {
    if (this.#misfits === 0 && this.#stepUs > 0) this.#mediaPeriodUs = this.#stepUs;
    this.#lateUs = lateUs;
    this.#fitting += 1;
    this.#fittedUs = nowUs;
    this.#misfits = 0;
    this.#candidates = 0;
  }

  #noteUsual(lateUs: number): void {
    const usualUs = Number.isNaN(this.#usualLateUs) ? lateUs : this.#usualLateUs;
    this.#usualLateUs = Math.min(lateUs, usualUs + (lateUs - usualUs) * USUAL_WEIGHT);
  }

  /** A time that goes back is that of a reordered picture, or of a clock that was just wrong. */
  #inOrder(mappedUs: number, { nowUs, reorderDepth }: PictureArrival): number {
    const mayGoBack = reorderDepth > 0 || nowUs - this.#misfitUs > DOUBT_US;
    return mayGoBack ? mappedUs : Math.max(mappedUs, this.#givenUs + 1);
  }

  #give(rawUs: number, givenUs: number): number {
    this.#order.took(rawUs, givenUs, givenUs > this.#order.newestGivenUs);
    this.#rawUs = rawUs;
    this.#givenUs = givenUs;
    return givenUs;
  }

  /** The camera's time is not used for this picture. */
  #misfit(rawUs: number, arrival: PictureArrival): number {
    const { atUs, nowUs, reorderDepth } = arrival;
    // The steps of reordered pictures are no period.
    const hasPeriod = reorderDepth === 0 && this.#mediaPeriodUs > 0;
    const isAlone = this.#isTrusted && this.#misfits === 0 && hasPeriod;
    const givenUs = isAlone
      ? Math.max(nearArrival(this.#givenUs + OUTLIER_PART * this.#mediaPeriodUs, atUs), this.#givenUs + 1)
      : this.#paced(rawUs, arrival);
    this.#misfits += 1;
    this.#misfitUs = nowUs;
    if (nowUs - this.#fittedUs > OUTLIERS_US_MAX && this.#misfits > CANDIDATE_PICTURES)
      this.#isTrusted = false;
    if (this.#isConsistent(rawUs, arrival)) this.#trust(rawUs, givenUs, arrival);
    return this.#give(rawUs, givenUs);
  }

  /** By arrival, and in the order in which pictures are shown. */
  #paced(rawUs: number, { atUs, reorderDepth }: PictureArrival): number {
    if (reorderDepth === 0) return this.#pace.next(this.#givenUs, atUs);
    const betweenUs = this.#mayWait(rawUs) ? this.#order.between(rawUs, reorderDepth) : undefined;
    if (betweenUs !== undefined) return betweenUs;
    // Those that came since the picture shown last are shown before this one.
    return this.#pace.next(this.#order.newestGivenUs + this.#order.since * this.#pace.periodUs, atUs);
  }

  /** Whether times that do not fit have been consistent for long enough to be believed. */
  #isConsistent(rawUs: number, { atUs, nowUs, reorderDepth }: PictureArrival): boolean {
    const apartUs = rawUs - this.#candidateRawUs - (nowUs - this.#candidateUs);
    const apartUsMax = CANDIDATE_APART_US_MAX + reorderDepth * this.#pace.periodUs;
    if (this.#candidates === 0 || Math.abs(apartUs) > apartUsMax) {
      this.#candidates = 1;
      this.#candidateRawUs = rawUs;
      this.#candidateUs = nowUs;
      this.#candidateLeastUs = atUs - rawUs;
      return false;
    }
    this.#candidates += 1;
    this.#candidateLeastUs = Math.min(this.#candidateLeastUs, atUs - rawUs);
    // One of so many waits for no other.
    const picturesMin = CANDIDATE_PICTURES + reorderDepth;
    return this.#candidates >= picturesMin && nowUs - this.#candidateUs >= this.#proofUs;
  }

  /** The clock was set: from here on it is right again. */
  #trust(rawUs: number, givenUs: number, { atUs, nowUs, reorderDepth }: PictureArrival): void {
    const isFirst = nowUs - this.#trustedSinceUs > PROOF_FORGOTTEN_US + this.#proofUs;
    this.#proofUs = isFirst ? 0 : Math.min(Math.max(PROOF_US_FIRST, 2 * this.#proofUs), PROOF_US_MAX);
    this.#isTrusted = true;
    this.#trustedSinceUs = nowUs;
    // What a picture has waited for others is no part of the clock.
    const usualUs = reorderDepth === 0 ? Number.NaN : this.#usualLateUs;
    this.#correctionUs = Number.isNaN(usualUs) ? givenUs - rawUs : this.#candidateLeastUs - usualUs;
    const lateUs = atUs - rawUs - this.#correctionUs;
    this.#steps += 1;
    this.#fitting = 0;
    this.#watch.restart(lateUs, nowUs);
    this.#fit(nowUs, lateUs);
  }

  /** The clock runs at another rate, or stood still. */
  #distrust(): void {
    this.#isTrusted = false;
    this.#steps += 1;
    this.#candidates = 0;
    this.#proofUs = Math.max(this.#proofUs, PROOF_US_WRONG_RATE);
  }
}
