import type { Principal } from "../../access/index.js";
import { NvrdError, STREAM_TYPES } from "../../base/index.js";
import { refusedViewing, rotationOf } from "../../player/index.js";
import type { Camera } from "../../site/index.js";
import type { StripStream } from "./strips.js";

/** The recorded streams whose pictures the user may see, the smallest first. Throws NvrdError FORBIDDEN if there is none. */
export function visibleStreams(principal: Principal, camera: Camera): StripStream[] {
  let refusal: string | undefined;
  const allowed = [...STREAM_TYPES].reverse().filter((streamType) => {
    const of = { channelId: camera.id, streamType };
    const refused = refusedViewing(principal, { of, sound: false, archived: true });
    refusal ??= refused;
    return refused === undefined;
  });
  if (allowed.length === 0) throw new NvrdError("FORBIDDEN", `${refusal} channel ${camera.name}`);
  return allowed.map((streamType) => ({ streamType, rotation: rotationOf(camera, streamType) }));
}
