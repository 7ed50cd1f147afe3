import type { CheckProgress, CheckReport } from "../../archive/index.js";
import type { Clock } from "../../base/index.js";
import type { DeviceDirectory, StreamTrials } from "../../camera/index.js";
import type { SiteStore } from "../../site/index.js";
import type { StorageControl } from "../../storage/index.js";
import type { Tasks } from "../../task/index.js";
import type { ExportNeeds } from "../export/index.js";
import type { TalkNeeds } from "../talk/index.js";
import type { CameraPictures } from "./camera-pictures.js";

/** Compares the index of recordings with the recordings. */
export interface ArchiveChecks {
  check(options: {
    /** Repair the index. */
    readonly rebuild: boolean;
    /** Read every byte. */
    readonly deep: boolean;
    readonly onProgress: (progress: CheckProgress) => void;
    readonly signal: AbortSignal;
  }): Promise<CheckReport>;
}

/** What the routes of this topic work with. */
export interface TaskNeeds extends ExportNeeds, Pick<TalkNeeds, "announcements" | "openStreams"> {
  readonly tasks: Tasks;
  readonly site: SiteStore;
  readonly devices: DeviceDirectory;
  readonly streamTrials: Pick<StreamTrials, "try">;
  /** Pictures of cameras that are tried. */
  readonly cameraPictures: CameraPictures;
  readonly storage: StorageControl;
  readonly archiveChecks: ArchiveChecks;
  /** Type of the licence: the configuration API needs Enterprise or Ultra. */
  readonly productType: string;
  readonly clock: Clock;
}
