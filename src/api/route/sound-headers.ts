import { type Headers, MULTIPART_HEADERS } from "../../http/index.js";
import type { LiveStream } from "../../live/index.js";

/**
 * The headers of a live answer in parts. Where sound was asked for and none will come, they say so: `Sound: none` when
 * the camera sends none that can be received, `Sound: off` when the channel's settings ask for none.
 */
export function liveHeaders({ sound }: Pick<LiveStream, "sound">, isWanted: boolean): Headers {
  if (!isWanted || sound === undefined || sound === "on") return MULTIPART_HEADERS;
  return [...MULTIPART_HEADERS, ["Sound", sound]];
}

/** What the header says, for the descriptions. */
export const SOUND_HEADER =
  "With `sound=on` the header `Sound: none` says that the camera sends no sound that can be received, `Sound: off` that the channel's settings ask for none (`SoundReceivingEnabled`).";
