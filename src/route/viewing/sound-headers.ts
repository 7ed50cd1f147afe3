import { type ArchiveAccess, type ArchiveKey, streamTypesOf } from "../../archive/index.js";
import { US_PER_SECOND } from "../../base/index.js";
import type { Headers } from "../../http/index.js";
import type { LiveStream } from "../../live/index.js";
import { MULTIPART_HEADERS } from "./multipart-headers.js";

/**
 * The headers of a live answer in parts. Where sound was asked for and none will come, they say so: `Sound: none` when
 * the camera sends none that can be received, `Sound: off` when the channel's settings ask for none.
 */
export function liveHeaders({ sound }: Pick<LiveStream, "sound">, isWanted: boolean): Headers {
  if (!isWanted || sound === undefined || sound === "on") return MULTIPART_HEADERS;
  return [...MULTIPART_HEADERS, ["Sound", sound]];
}

/**
 * The headers of a recording's answer in parts: `Sound: none` where sound was asked for, and the recording has none from
 * `atUs` on. One that has only just begun may still get some.
 */
export function recordedHeaders(
  archive: Pick<ArchiveAccess, "hasSoundAt">,
  { of, atUs, isWanted }: { readonly of: ArchiveKey; readonly atUs: number; readonly isWanted: boolean },
): Headers {
  if (!isWanted) return MULTIPART_HEADERS;
  const isSilentAt = (timeUs: number): boolean => {
    const looks = streamTypesOf(of).map((streamType) =>
      archive.hasSoundAt({ channelId: of.channelId, streamType }, timeUs),
    );
    return looks.includes(false) && !looks.includes(true);
  };
  const isSilent = isSilentAt(atUs) && isSilentAt(atUs + US_PER_SECOND);
  return isSilent ? [...MULTIPART_HEADERS, ["Sound", "none"]] : MULTIPART_HEADERS;
}

/** What the header says, for the descriptions. */
export const SOUND_HEADER =
  "With `sound=on` the header `Sound: none` says that the camera sends no sound that can be received, `Sound: off` that the channel's settings ask for none (`SoundReceivingEnabled`). Of a recording `Sound: none` says that it has no sound where it begins.";
