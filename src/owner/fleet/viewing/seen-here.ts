import { maySeeFleet, type Principal } from "../../../access/index.js";
import { type Guid, type StreamKey, streamKeyText } from "../../../base/index.js";
import { blankCamera } from "../../../camera/index.js";
import type { Query } from "../../../http/index.js";
import type { StreamDirectory } from "../../../live/index.js";
import { refusedViewing } from "../../../player/index.js";
import { readVideoRequest, viewingOf } from "../../../route/index.js";
import { type Camera, DEFAULT_CAMERA_OPTIONS, type Site, type SiteStore } from "../../../site/index.js";
import { requireHub } from "../boxes.js";
import type { FleetNeeds } from "../fleet-control.js";
import type { NamedChannel } from "../named-channels.js";
import { sharedLive, viewersLike } from "../shared-live.js";
import { SharedStream } from "./shared-stream.js";

/** What showing a recorder's camera as one of the hub's own works with. */
export type SeenNeeds = Pick<FleetNeeds, "boxes" | "liveFeeds" | "clock" | "openStreams"> & {
  readonly site: Pick<SiteStore, "current">;
};

/** Who watches which camera, and how. */
export interface SeenRequest {
  readonly channel: NamedChannel;
  readonly principal: Principal;
  readonly query: Query;
}

/** A recorder's camera as endpoints of the hub find it. */
export interface SeenCamera {
  /** The request as it names the camera by its id. */
  readonly query: Query;
  readonly site: { readonly current: Site };
  readonly streams: StreamDirectory;
}

const STREAMS = { Main: "main", Alternative: "alternative" } as const;

/** The streams that are watched, by recorder, stream and rights, of each server. */
const ofServers = new WeakMap<object, Map<string, SharedStream>>();

/** Whether what is asked for is live pictures that all viewers can share. Throws NvrdError BAD_REQUEST. */
export function isShared({ needs, ...asked }: SeenRequest & { readonly needs: SeenNeeds }): boolean {
  const video = readVideoRequest(asked.query, cameraOf(asked.channel, needs));
  const { key, sound, playback } = video;
  if (playback !== undefined || sound || !maySeeFleet(asked.principal)) return false;
  // The recorder says what it refuses.
  if (refusedViewing(asked.principal, viewingOf(video)) !== undefined) return false;
  // Of several others the live socket names the smallest.
  const others = channelOf(asked.channel.id, needs)?.Streams.filter(
    ({ StreamType }) => StreamType !== "Main",
  );
  return key.streamType === "Main" || (key.streamType === "Alternative" && others?.length === 1);
}

/**
 * A recorder's camera as one of this hub's own, for who watches it live; undefined: its camera's stream cannot be shared. Rejects with the
 * NvrdError that the recorder refuses it with.
 */
export async function seenHere(needs: SeenNeeds, asked: SeenRequest): Promise<SeenCamera | undefined> {
  const camera = cameraOf(asked.channel, needs);
  const { key } = readVideoRequest(asked.query, camera);
  const shared = sharedStream(needs, asked, key);
  if ((await shared.form()) === "otherwise") return undefined;
  return {
    query: asked.query,
    site: {
      get current() {
        return { ...needs.site.current, cameras: [camera] };
      },
    },
    streams: {
      stream: (channelId, streamType) =>
        channelId === camera.id && streamType === key.streamType && !shared.hasEnded
          ? shared.stream
          : undefined,
    },
  };
}

function sharedStream(needs: SeenNeeds, { channel, principal }: SeenRequest, key: StreamKey): SharedStream {
  const known = ofServers.get(needs.liveFeeds) ?? new Map<string, SharedStream>();
  ofServers.set(needs.liveFeeds, known);
  const user = viewersLike(principal);
  const name = `${streamKeyText(key)} ${user.Rights.join()} ${user.Realtime}`;
  const { boxId, ownId } = channel;
  const stream = STREAMS[key.streamType as keyof typeof STREAMS];
  const shared: SharedStream =
    known.get(name) ??
    new SharedStream({
      ...{ key, wish: { channel: ownId, stream, boxId, user }, live: sharedLive(needs), clock: needs.clock },
      onEnd: () => {
        if (known.get(name) === shared) known.delete(name);
        if (shared.hasEnded) needs.openStreams.recheckSoon();
      },
    });
  known.set(name, shared);
  return shared;
}

function channelOf(id: Guid, needs: SeenNeeds) {
  return requireHub(needs)
    .catalogue.boxes.flatMap(({ channels }) => channels)
    .find(({ Id }) => Id === id);
}

function cameraOf({ id }: NamedChannel, needs: SeenNeeds): Camera {
  const name = channelOf(id, needs)?.Name ?? id;
  return { ...blankCamera(needs.site.current.server.id), id, name, kept: DEFAULT_CAMERA_OPTIONS };
}
