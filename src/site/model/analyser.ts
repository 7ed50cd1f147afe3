import type { Guid } from "../../base/index.js";
import type { analyser, frigate, frigateCamera, StoredOf, vision } from "../../contract/index.js";

/** Analysers of pictures in the neighbourhood; stored in the configuration, used by the room `analysis`. */

type KeptVision = Omit<
  StoredOf<typeof vision>,
  "allChannels" | "channelIds" | "perMinuteOfChannelMax" | "authority"
>;

/** A server with the vision API of DeepStack and CodeProject.AI, to which pictures are sent. */
export interface VisionServer extends KeptVision {
  readonly kind: "vision";
  /** Absent: the usual authorities. */
  readonly authority?: string;
  /** Cameras whose pictures are sent. */
  readonly channelIds: "all" | readonly Guid[];
  readonly perMinuteOfCameraMax: number;
}

export type FrigateCamera = StoredOf<typeof frigateCamera>;

/** The events that Frigate publishes at the MQTT broker of the settings. */
export interface FrigateFeed {
  readonly kind: "frigate";
  /** Beginning of its topics. */
  readonly prefix: StoredOf<typeof frigate>["prefix"];
  readonly cameras: readonly FrigateCamera[];
}

export interface Analyser extends Omit<StoredOf<typeof analyser>, "kind" | "vision" | "frigate"> {
  readonly id: Guid;
  readonly source: VisionServer | FrigateFeed;
}
