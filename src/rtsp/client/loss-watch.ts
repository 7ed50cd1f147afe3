import { US_PER_SECOND } from "../../base/index.js";
import type { TrackReceiver } from "../depacketize/track-receiver.js";
import type { UnitLosses } from "../depacketize/unit-losses.js";

/** How often what was received is compared with what became of it: names are there within seconds, and nothing is done per packet. */
export const COMPARED_EACH_US = 2 * US_PER_SECOND;
/** Sound that was set up and of which nothing came for this long is not sent. */
export const SOUND_AWAITED_US = 8 * US_PER_SECOND;
/** Comparisons in a row with packets and without a picture, after which pictures are said to be missing. */
const PICTURELESS_COMPARISONS = 3;

export interface LossWatchOptions {
  readonly losses: UnitLosses;
  /** The pictures' track first. A track has another receiver where the camera sends another payload type than it announces. */
  readonly tracks: readonly { readonly receiver: TrackReceiver }[];
  /** Packets on channels that were not set up, since the connection began. */
  strayPackets(): number;
}

interface Counts {
  /** Who counted. */
  readonly receiver: TrackReceiver | undefined;
  packets: number;
  frames: number;
  lost: number;
  malformed: number;
  otherTypes: number;
}

const NO_COUNTS: Counts = {
  ...{ receiver: undefined, packets: 0, frames: 0 },
  ...{ lost: 0, malformed: 0, otherTypes: 0 },
};

/**
 * Compares what a session received with what was made of it: each difference that no depacketizer has counted gets its reason here.
 */
export class LossWatch {
  readonly #options: LossWatchOptions;
  #before: readonly Counts[];
  #strayPackets: number;
  #dueUs: number;
  readonly #soundDueUs: number;
  #isSoundMissing = false;
  #picturelessComparisons = 0;
  #hadPictures = false;

  constructor(options: LossWatchOptions, nowUs: number) {
    this.#options = options;
    this.#before = options.tracks.map(() => NO_COUNTS);
    // What a session before had asked for may still be on its way.
    this.#strayPackets = options.strayPackets();
    this.#dueUs = nowUs + COMPARED_EACH_US;
    this.#soundDueUs = nowUs + SOUND_AWAITED_US;
  }

  /** `nowUs`: monotonic time. */
  onTick(nowUs: number): void {
    if (nowUs < this.#dueUs) return;
    this.#dueUs = nowUs + COMPARED_EACH_US;
    const { losses, tracks, strayPackets } = this.#options;
    const counts = tracks.map(({ receiver }) => countsOf(receiver));
    const [video = NO_COUNTS, sound] = counts.map((now, index) =>
      since(now, this.#before[index] ?? NO_COUNTS),
    );
    this.#before = counts;
    const stray = strayPackets();
    losses.count("other-channel", stray - this.#strayPackets);
    this.#strayPackets = stray;
    losses.count("packets-lost", video.lost);
    losses.count("sound-packets-lost", sound?.lost ?? 0);
    losses.count("malformed-packets", video.malformed);
    losses.count("sound-unreadable", sound?.malformed ?? 0);
    losses.count("other-payload-type", unknownTypes(video, sound));
    this.#lookForPictures(video);
    if (counts[1] !== undefined) this.#lookForSound(counts[1].packets, video.packets, nowUs);
  }

  /** Packets come and were made pictures before; none is made now, and no reason was counted. */
  #lookForPictures({ packets, frames }: Counts): void {
    this.#hadPictures ||= frames > 0;
    if (frames > 0) this.#picturelessComparisons = 0;
    if (!this.#hadPictures || packets === 0 || frames > 0) return;
    this.#picturelessComparisons += 1;
    if (this.#picturelessComparisons >= PICTURELESS_COMPARISONS) this.#options.losses.count("no-picture");
  }

  #lookForSound(soundPackets: number, newVideoPackets: number, nowUs: number): void {
    const { losses } = this.#options;
    if (soundPackets > 0) {
      if (this.#isSoundMissing) losses.losses.unname("sound-not-sent");
      this.#isSoundMissing = false;
    } else if (!this.#isSoundMissing && newVideoPackets > 0 && nowUs >= this.#soundDueUs) {
      this.#isSoundMissing = true;
      losses.name("sound-not-sent");
    }
  }
}

function countsOf(receiver: TrackReceiver): Counts {
  const { packets, frames, lost, malformed, wrongPayloadType } = receiver;
  return { receiver, packets, frames, lost, malformed, otherTypes: wrongPayloadType };
}

function since(now: Counts, before: Counts): Counts {
  if (now.receiver !== before.receiver) return now;
  return {
    receiver: now.receiver,
    packets: now.packets - before.packets,
    frames: now.frames - before.frames,
    lost: now.lost - before.lost,
    malformed: now.malformed - before.malformed,
    otherTypes: now.otherTypes - before.otherTypes,
  };
}

/** Where both tracks come on one channel, each sees the other's packets as such of another type. */
function unknownTypes(video: Counts, sound: Counts | undefined): number {
  if (sound === undefined) return video.otherTypes;
  const isShared = video.otherTypes >= sound.packets && sound.otherTypes >= video.packets;
  return isShared ? video.otherTypes - sound.packets : video.otherTypes + sound.otherTypes;
}
