import type { DiskHistory, HealthFigures } from "../../health/index.js";
import type { StorageControl } from "../../storage/index.js";

/** What the routes of this topic work with. */
export interface DiskNeeds {
  /** The disks of the machine and what can be done with them. */
  readonly storage: StorageControl;
  /** What the disks said of themselves, for years. */
  readonly diskHistory: Pick<DiskHistory, "of">;
  /** How fast the volumes fill. */
  readonly monitoring: { figures(): Promise<Pick<HealthFigures, "volumes">> };
}
