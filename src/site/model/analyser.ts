import type { Guid } from "../../base/index.js";

/** Analysers of pictures in the neighbourhood; stored in the configuration, used by the room `analysis`. */

export const ANALYSER_KINDS = ["vision", "frigate"] as const;
export const PLATES_PATHS = ["/v1/vision/alpr", "/v1/image/alpr"] as const;
export type PlatesPath = (typeof PLATES_PATHS)[number];
export const FACES_PATHS = ["/v1/vision/face/recognize", "/v1/vision/face"] as const;
export type FacesPath = (typeof FACES_PATHS)[number];

/** A server with the vision API of DeepStack and CodeProject.AI, to which pictures are sent. */
export interface VisionServer {
  readonly kind: "vision";
  /** An http:// or https:// URL; the paths of the API follow its own path. */
  readonly url: string;
  /** Write-only for the API; empty if the server asks for none. */
  readonly apiKey: string;
  /** Certificates (PEM) of the only authorities that are trusted; absent: the usual ones. */
  readonly authority?: string;
  readonly objects: boolean;
  readonly plates: boolean;
  readonly platesPath: PlatesPath;
  /** Only of cameras whose face detector is on. */
  readonly faces: boolean;
  readonly facesPath: FacesPath;
  /** Cameras whose pictures are sent. */
  readonly channelIds: "all" | readonly Guid[];
  readonly onMotion: boolean;
  /** While motion lasts, a picture each so many seconds; 0: one at its beginning alone. */
  readonly repeatSeconds: number;
  /** With or without motion, a picture each so many seconds; 0: none. */
  readonly intervalSeconds: number;
  /** Most pictures in a minute, of all cameras and of one. */
  readonly perMinuteMax: number;
  readonly perMinuteOfCameraMax: number;
  /** For one answer. */
  readonly timeoutSeconds: number;
}

/** A camera as Frigate calls it. The boxes of its events are pixels of a picture of this size. */
export interface FrigateCamera {
  readonly name: string;
  readonly channelId: Guid;
  readonly width: number;
  readonly height: number;
}

/** The events that Frigate publishes at the MQTT broker of the settings. */
export interface FrigateFeed {
  readonly kind: "frigate";
  /** Beginning of its topics. */
  readonly prefix: string;
  readonly cameras: readonly FrigateCamera[];
}

export interface Analyser {
  readonly id: Guid;
  readonly name: string;
  readonly isEnabled: boolean;
  /** Percent; what the analyser is less sure of is ignored. */
  readonly minConfidence: number;
  /** For so long the same is not told again. */
  readonly quietSeconds: number;
  /** What is found counts as motion of the camera, so that the mode `MDandManual` records it. */
  readonly startsRecording: boolean;
  readonly source: VisionServer | FrigateFeed;
}
