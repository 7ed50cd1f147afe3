import { by, decimal, flag, group, line, list, optional } from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";

/** The privacy masks of a camera, as the body that replaces them: `/api/channels/{id}/masks`. */

export const MASKS_MAX = 64;
export const MASK_POINTS_MAX = 64;

export const maskPoint = { X: decimal(0, 1), Y: decimal(0, 1) } as const;

export const privacyMask = {
  Mask: optional(line(64)),
  Points: list(group(maskPoint), MASK_POINTS_MAX, "points"),
  IsEnabled: by(flag, true),
} as const;

export const privacyMasks = {
  Masks: list(group(privacyMask), MASKS_MAX, "masks"),
} as const;

export const privacyMasksTexts: TextsOf<typeof privacyMasks> = {
  Masks: "All that there are to be: masks that are left out are deleted.",
  "Masks.Mask": "The camera's own name for one that is there. Null or absent: a new one.",
  "Masks.Points": "Corners in order, in parts of the picture from its upper left corner.",
  "Masks.IsEnabled": "False: it is kept, and hides nothing.",
};
