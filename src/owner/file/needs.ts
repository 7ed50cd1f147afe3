import type { ArchiveAccess, RecordedAccess } from "../../archive/index.js";
import type { ExportNeeds } from "../../compat/index.js";
import type { Codec } from "../../picture/index.js";
import type { SavedFiles } from "./saved-files.js";
import type { TextDrawing } from "./time-stamp.js";

/** What converts for files. */
export type FileCodec = Pick<
  Codec,
  "prepare" | "openVideoDecoder" | "openVideoEncoder" | "openSoundTranscoder"
>;

/** What the routes of this topic work with. */
export interface FileNeeds extends ExportNeeds {
  readonly archive: ArchiveAccess & Pick<RecordedAccess, "openRecorded">;
  readonly files: SavedFiles;
  readonly fileCodec: FileCodec;
  /** Draws what is written into the pictures of files. */
  readonly texts: TextDrawing;
}
