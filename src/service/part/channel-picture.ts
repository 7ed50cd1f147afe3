import { type Clock, type Guid, NvrdError, type StreamType } from "../../base/index.js";
import { liveSource, type SnapshotSource } from "../../compat/index.js";
import type { StreamDirectory } from "../../live/index.js";
import {
  type LivePicture,
  newestLiveFrame,
  type Still,
  type StillSize,
  type Stills,
} from "../../picture/index.js";
import { rotationOf } from "../../player/index.js";
import type { SiteStore } from "../../site/index.js";

export interface ChannelPictureParts {
  readonly site: Pick<SiteStore, "current">;
  readonly streams: StreamDirectory;
  readonly snapshots: SnapshotSource;
  readonly stills: Stills;
  readonly clock: Clock;
}

export interface WantedPicture {
  readonly channelId: Guid;
  /** The streams that may be used, the preferred one first; those that send now come before all others. */
  readonly streamTypes: readonly StreamType[];
  readonly size: StillSize;
  readonly signal: AbortSignal;
}

/** The channel's present picture. Rejects with NvrdError where there is none, or when `signal` is aborted. */
export async function channelPicture(parts: ChannelPictureParts, wanted: WantedPicture): Promise<Still> {
  const { snapshots, stills, clock } = parts;
  const { signal } = wanted;
  const [first, ...others] = livePictures(parts, wanted);
  if (first === undefined) throw new NvrdError("NOT_FOUND", "the channel has no stream to show");
  const share = stills.make(liveSource([first, ...others], { snapshots, clock }), wanted.size);
  const cancel = (): void => share.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    if (signal.aborted) cancel();
    return await share.still;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function livePictures(
  { site, streams }: ChannelPictureParts,
  { channelId, streamTypes }: WantedPicture,
): readonly LivePicture[] {
  const camera = site.current.cameras.find(({ id }) => id === channelId);
  if (camera === undefined) return [];
  const pictures = streamTypes.flatMap((streamType): LivePicture[] => {
    const stream = streams.stream(channelId, streamType);
    return stream === undefined ? [] : [{ stream, rotation: rotationOf(camera, streamType), exact: true }];
  });
  const sending = pictures.filter((picture) => newestLiveFrame(picture) !== undefined);
  return [...sending, ...pictures.filter((picture) => !sending.includes(picture))];
}
