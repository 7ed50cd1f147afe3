import { CAMERAS_MAX, NAME_LENGTH_MAX } from "../../contract/index.js";

/** The limits of a configuration. Lengths are in UTF-16 units, as `string.length` counts. */
export const SITE_LIMITS = {
  camerasMax: CAMERAS_MAX,
  nameLengthMax: NAME_LENGTH_MAX,
  /** A directory user's name may be a long address. */
  authorNameLengthMax: 256,
  changeSummaryLengthMax: 500,
  secretLengthMax: 256,
} as const;
