import type { StreamType } from "../../base/index.js";
import type { LiveCodec, StreamMessage, Tile, WatchMessage } from "../../contract/answer/index.js";

/** A picture is enlarged by at most this much when a stream is chosen. */
const SCALE_MAX = 1.1;
/** The stream that is shown is kept while it is enlarged by no more than this, so that a tile's edge decides nothing. */
const SCALE_KEPT_MAX = 1.3;
/** Assumed of a stream that has not been seen. */
const MAIN_ASSUMED = { width: 1920, height: 1080 };
const ALTERNATIVE_ASSUMED = { width: 640, height: 360 };

/** One enabled stream of the channel that the user may receive. */
export interface StreamCandidate {
  readonly streamType: StreamType;
  /** `other`: MJPEG, MPEG-4 Part 2. */
  readonly codec: "avc1" | "hvc1" | "other";
  /** 0 while it is not known. */
  readonly width: number;
  readonly height: number;
  /** `lost`: its camera does not answer; `idle`: nothing is known, it is connected when it is watched. */
  readonly state: "active" | "lost" | "idle";
}

export interface StreamWish {
  readonly codecs: readonly LiveCodec[];
  readonly tile: Tile;
  readonly stream: NonNullable<WatchMessage["stream"]>;
  /** What is shown now. */
  readonly shown?: StreamType | undefined;
}

export interface StreamChoice {
  readonly streamType: StreamType;
  readonly source: StreamMessage["source"];
  readonly reason: StreamMessage["reason"];
}

/** The smallest stream that fills the tile, of those that the client can play. Undefined if there is none. */
export function chooseStream(
  candidates: readonly StreamCandidate[],
  wish: StreamWish,
): StreamChoice | undefined {
  const asked = bestOf(wanted(candidates, wish), wish);
  if (asked === undefined) return undefined;
  // A stream that is not connected is no better: the next look would find it lost, and the one after that go back.
  const isOneActive = candidates.some(({ state }) => state === "active");
  const usable = isOneActive ? candidates.filter(({ state }) => state !== "lost") : candidates;
  const playable = usable.filter(({ codec }) => codec !== "other" && wish.codecs.includes(codec));
  const pool = playable.length > 0 ? playable : wish.codecs.includes("avc1") ? usable : [];
  const inPool = wanted(pool, wish);
  const chosen = bestOf(inPool.length > 0 ? inPool : pool, wish);
  if (chosen === undefined) return undefined;
  const isTranscoded = playable.length === 0;
  const { streamType } = chosen;
  const source = isTranscoded ? "transcode" : streamType === "Main" ? "main" : "alternative";
  return { streamType, source, reason: reasonOf({ asked, chosen, isTranscoded, wish }) };
}

function reasonOf(made: {
  readonly asked: StreamCandidate;
  readonly chosen: StreamCandidate;
  readonly isTranscoded: boolean;
  readonly wish: StreamWish;
}): StreamMessage["reason"] {
  const { asked, chosen, isTranscoded, wish } = made;
  const isPlayable = asked.codec !== "other" && wish.codecs.includes(asked.codec);
  if (isTranscoded || !isPlayable) return "codec-not-playable";
  if (asked !== chosen) return "only-stream";
  const isOther = wish.stream !== "auto" && (wish.stream === "main") !== (chosen.streamType === "Main");
  return isOther ? "only-stream" : undefined;
}

/** Those of the kind that the client names; all where there is none of it. */
function wanted(candidates: readonly StreamCandidate[], { stream }: StreamWish): readonly StreamCandidate[] {
  if (stream === "auto") return candidates;
  const named = candidates.filter(({ streamType }) => (streamType === "Main") === (stream === "main"));
  return named.length > 0 ? named : candidates;
}

/** The smallest that fills the tile, else the largest. */
function bestOf(candidates: readonly StreamCandidate[], wish: StreamWish): StreamCandidate | undefined {
  const bySize = [...candidates].sort((one, other) => pixelsOf(one) - pixelsOf(other));
  return bySize.find((candidate) => fills(candidate, wish)) ?? bySize.at(-1);
}

function fills(candidate: StreamCandidate, { tile, shown }: StreamWish): boolean {
  const { width, height } = sizeOf(candidate);
  const scale = Math.min(tile.width / width, tile.height / height);
  return scale <= (candidate.streamType === shown ? SCALE_KEPT_MAX : SCALE_MAX);
}

function pixelsOf(candidate: StreamCandidate): number {
  const { width, height } = sizeOf(candidate);
  return width * height;
}

function sizeOf(candidate: StreamCandidate): Tile {
  if (candidate.width > 0 && candidate.height > 0) return candidate;
  return candidate.streamType === "Main" ? MAIN_ASSUMED : ALTERNATIVE_ASSUMED;
}
