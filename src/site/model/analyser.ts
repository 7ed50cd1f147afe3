import type { Guid } from "../../base/index.js";
import type { analyser, frigate, StoredOf, vision } from "../../contract/index.js";

/** Analysers of pictures in the neighbourhood; stored in the configuration, used by the room `analysis`. */

/** A server with the vision API of DeepStack and CodeProject.AI, to which pictures are sent. */
export interface VisionServer extends Omit<StoredOf<typeof vision>, "allChannels" | "channelIds"> {
  readonly kind: "vision";
  /** Cameras whose pictures are sent. */
  readonly channelIds: "all" | readonly Guid[];
}

/** The events that Frigate publishes at the MQTT broker of the settings. */
export interface FrigateFeed extends StoredOf<typeof frigate> {
  readonly kind: "frigate";
}

export interface Analyser extends Omit<StoredOf<typeof analyser>, "kind" | "vision" | "frigate"> {
  readonly id: Guid;
  readonly source: VisionServer | FrigateFeed;
}
