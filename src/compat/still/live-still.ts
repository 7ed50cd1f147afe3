import {
  type Clock,
  errorText,
  NvrdError,
  type StreamKey,
  streamKeyText,
  unlessAborted,
} from "../../base/index.js";
import type { LiveStream } from "../../live/index.js";
import {
  awaitLiveMaterial,
  type LivePicture,
  newestLiveFrame,
  newestLiveMaterial,
  type StillFrame,
  type StillMaterial,
  type StillSource,
  stillFrameText,
} from "../../picture/index.js";
import { SNAPSHOT_BYTES_MAX, type SnapshotSource } from "./snapshot-source.js";

/** Timeout for a snapshot from a camera. */
export const SNAPSHOT_TIMEOUT_MS = 4000;

/** A source for an available frame of a stream. */
function keptFrameSource(picture: LivePicture, frame: StillFrame, clock: Clock): StillSource {
  return {
    key: `live ${stillFrameText(frame)}${picture.exact ? " exact" : ""}`,
    // The camera may have been lost since the request.
    open: async (signal) =>
      (await newestLiveMaterial(picture)) ?? (await awaitLiveMaterial(picture, { clock, signal })),
  };
}

type LiveSourceOptions = Omit<AwaitedSourceOptions, "pictures">;

/** The present picture of the first stream, or of the first one that answers where it has none yet. */
export function liveSource(
  pictures: readonly [LivePicture, ...LivePicture[]],
  options: LiveSourceOptions,
): StillSource {
  const [first] = pictures;
  const frame = newestLiveFrame(first);
  if (frame !== undefined) return keptFrameSource(first, frame, options.clock);
  return awaitedSource(first, { pictures, ...options });
}

interface AwaitedSourceOptions {
  /** The streams to connect, the preferred one first; at least one. */
  readonly pictures: readonly LivePicture[];
  readonly snapshots: SnapshotSource | undefined;
  readonly clock: Clock;
}

/** The key of the result of `awaitedSource`: the stream that is connected first. */
export function awaitedSourceKey({ stream, rotation }: LivePicture): string {
  return `connect ${streamKeyText(stream.key)}/${rotation}`;
}

/** The first frame of a camera that must be connected, otherwise its snapshot. */
function awaitedSource(first: LivePicture, options: AwaitedSourceOptions): StillSource {
  const prepare = async (signal: AbortSignal): Promise<StillMaterial> => {
    const lost = await connect(options, signal);
    return lost instanceof NvrdError ? await snapshot(first, lost, options, signal) : lost;
  };
  return { key: awaitedSourceKey(first), prepare, open: prepare };
}

/**
 * Connects one stream after the other, as long as the camera answers and only lacks the stream, or the next one is there
 * already. Resolves with the last failure.
 */
async function connect(
  { pictures, clock }: AwaitedSourceOptions,
  signal: AbortSignal,
): Promise<StillMaterial | NvrdError> {
  let failure = new NvrdError("NOT_AVAILABLE", "the channel has no stream");
  for (const [index, picture] of pictures.entries()) {
    try {
      return await awaitLiveMaterial(picture, { clock, signal });
    } catch (error) {
      if (!(error instanceof NvrdError)) throw error;
      failure = error;
      const next = pictures[index + 1];
      const isNextThere = next !== undefined && newestLiveFrame(next) !== undefined;
      if (signal.aborted || !(lacksStream(picture.stream) || isNextThere)) break;
    }
  }
  return failure;
}

function lacksStream({ state }: LiveStream): boolean {
  return state.state === "lost" && (state.cause === "no-stream" || state.cause === "unsupported");
}

async function snapshot(
  picture: LivePicture,
  lost: NvrdError,
  { snapshots, clock }: AwaitedSourceOptions,
  signal: AbortSignal,
): Promise<StillMaterial> {
  if (snapshots === undefined || signal.aborted) throw lost;
  const { key } = picture.stream;
  let bytes: Uint8Array;
  try {
    bytes = await snapshotInTime(snapshots, key, { clock, signal });
  } catch (error) {
    if (error instanceof NvrdError && error.code === "NOT_SUPPORTED") throw lost;
    // The text of a foreign error may contain the camera's address and password.
    const reason = error instanceof NvrdError ? errorText(error) : "the request failed";
    throw new NvrdError("NOT_AVAILABLE", `${lost.message}, and no snapshot of the camera (${reason})`, {
      cause: error,
    });
  }
  const shownUs = clock.nowUs();
  return {
    kind: "jpeg",
    frame: { stream: `${streamKeyText(key)}/snapshot`, timeUs: shownUs, rotation: picture.rotation },
    shownUs,
    bytes,
    lasting: false,
    release: () => undefined,
  };
}

/** Settles within the timeout, whatever the camera does. */
async function snapshotInTime(
  snapshots: SnapshotSource,
  key: StreamKey,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const timer = clock.setTimeout(end, SNAPSHOT_TIMEOUT_MS);
  signal.addEventListener("abort", end, { once: true });
  try {
    const given = snapshots.snapshot(key.channelId, key.streamType, ended.signal);
    const bytes = await unlessAborted(given, ended.signal, noneInTime);
    if (bytes.byteLength > SNAPSHOT_BYTES_MAX)
      throw new NvrdError("NOT_AVAILABLE", `it is larger than ${SNAPSHOT_BYTES_MAX} bytes`);
    return bytes;
  } finally {
    timer.clear();
    signal.removeEventListener("abort", end);
  }
}

function noneInTime(): NvrdError {
  return new NvrdError("NOT_AVAILABLE", `none came within ${SNAPSHOT_TIMEOUT_MS / 1000} s`);
}
