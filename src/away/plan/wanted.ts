import { type Guid, STREAM_TYPES, type StreamType } from "../../base/index.js";
import type { AwayPlan, AwayTarget } from "../../site/index.js";

/** What goes of a camera. */
export function planOf({ plan, cameras }: Pick<AwayTarget, "plan" | "cameras">, channelId: Guid): AwayPlan {
  return cameras.find((camera) => camera.channelId === channelId) ?? plan;
}

/** The streams whose segments go. */
export function wantedStreams({ content, stream }: AwayPlan): readonly StreamType[] {
  if (content === "nothing") return [];
  if (stream === "recorded") return STREAM_TYPES;
  return stream === "main" ? ["Main"] : ["Alternative"];
}
