import type { IconName } from "../control/icon.js";
import type { SavedWall } from "./saved-walls.js";

/** A line of the menu of walls. */
export interface WallChoice {
  readonly key: string;
  readonly icon: IconName;
  readonly name: string;
  readonly isCurrent: boolean;
  readonly depth?: number;
  readonly view?: SavedWall;
  readonly open: () => void;
}
