import { type ArchiveKey, whenKnown } from "../../archive/index.js";
import { type Clock, errorText, type Guid, type Log } from "../../base/index.js";
import { nearestRecordedUs } from "../viewing/known-recordings.js";
import { pictureAfterUs, pictureBeforeUs } from "./neighbour-picture.js";
import type { PlaybackChannel } from "./playback-channel.js";
import type { PlaybackOrder } from "./playback-order.js";
import { GAP_US_MIN, type PlaybackArchive } from "./playback-reading.js";
import type { RecordedStreams } from "./recorded-streams.js";
import type { RecordingOpener } from "./recording-opener.js";

export interface OrderPlaceOptions {
  readonly archive: PlaybackArchive;
  readonly streams: RecordedStreams;
  readonly opener: RecordingOpener;
  /** Aborted when nobody plays any more. */
  readonly gone: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

/** Finds the moment that an order means. What cannot be found out leaves the order as it is: none of it rejects. */
export class OrderPlace {
  readonly #options: OrderPlaceOptions;

  constructor(options: OrderPlaceOptions) {
    this.#options = options;
  }

  resolved(order: PlaybackOrder, channels: readonly PlaybackChannel[]): Promise<PlaybackOrder> {
    const [first] = channels;
    if (order.step === undefined || order.step === 0 || first === undefined)
      return this.#notBehind(order, channels);
    return this.#stepped(order, order.step, first);
  }

  /** Where steps lead to; the moment itself where there is no further picture. */
  async #stepped(order: PlaybackOrder, step: number, first: PlaybackChannel): Promise<PlaybackOrder> {
    const { archive, streams, opener, gone, log } = this.#options;
    const find = step > 0 ? pictureAfterUs : pictureBeforeUs;
    let { timeUs } = order;
    try {
      const { streamTypes } = streams(first.watch.channelId);
      const key = first.key ?? (await opener.choose(first.watch, streamTypes, { timeUs, gone }));
      for (let done = 0; done < Math.abs(step); done++) {
        const nextUs = await find(archive, key, timeUs);
        if (nextUs === undefined || gone.aborted) break;
        timeUs = nextUs;
      }
    } catch (error) {
      log.info({ reason: errorText(error) }, "a step of a playback was not possible");
    }
    return { ...order, timeUs };
  }

  /** Behind all that is recorded of the channels, also in the future: the last that is. */
  async #notBehind(order: PlaybackOrder, channels: readonly PlaybackChannel[]): Promise<PlaybackOrder> {
    const { timeUs } = order;
    if (this.#options.archive.indexFault(timeUs) !== undefined) return order;
    const recorded = await Promise.all(channels.map(({ watch }) => this.#lastOf(watch.channelId, timeUs)));
    const lastUs = recorded.reduce<number>((latest, each) => Math.max(latest, each ?? 0), 0);
    // Right behind the last picture, what follows is on its way to the disk.
    return lastUs === 0 || timeUs - lastUs < GAP_US_MIN ? order : { ...order, timeUs: lastUs };
  }

  /** As `lastBehindUs`; undefined too where that cannot be known, or may not be: opening the channel reports it to the client. */
  async #lastOf(channelId: Guid, timeUs: number): Promise<number | undefined> {
    const { archive, streams, gone, clock, log } = this.#options;
    try {
      const of = { channelId, streamTypes: streams(channelId).streamTypes };
      return await whenKnown(() => lastBehindUs(archive, of, timeUs), clock, { gone: () => gone });
    } catch (error) {
      log.debug({ reason: errorText(error) }, "where the recordings of a channel end is not known");
      return undefined;
    }
  }
}

/** The end of what is recorded, where a moment lies behind it; else a moment that does not. Undefined where nothing is recorded. */
function lastBehindUs(archive: PlaybackArchive, of: ArchiveKey, timeUs: number): number | undefined {
  const keyFrameUs = archive.nearestFrameUs(of, Number.MAX_SAFE_INTEGER);
  if (keyFrameUs === undefined || keyFrameUs > timeUs) return keyFrameUs;
  return nearestRecordedUs(archive, of, timeUs);
}
