import { CAMERAS_MAX, camera, FRAME_RATE_MAX, NAME_LENGTH_MAX } from "../../contract/index.js";

/** The limits of a configuration. Lengths are in UTF-16 units, as `string.length` counts. */
export const SITE_LIMITS = {
  camerasMax: CAMERAS_MAX,
  nameLengthMax: NAME_LENGTH_MAX,
  commentLengthMax: camera.Description.max,
  directoryUrlLengthMax: 280,
  /** Of a distinguished name, or a filter. */
  directoryNameLengthMax: 1024,
  directoryAttributeLengthMax: 64,
  directoryPasswordLengthMax: 256,
  directoryTimeoutMsMin: 100,
  directoryTimeoutMsMax: 10_000,
  /** A directory user's name may be a long address. */
  authorNameLengthMax: 256,
  changeSummaryLengthMax: 500,
  secretLengthMax: 256,
  /** Maximum frame rate in a camera's limits. */
  frameRateMax: FRAME_RATE_MAX,
  profileTokenLengthMax: 256,
} as const;
