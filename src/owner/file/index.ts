/**
 * owner/file: files of recordings that are made on the recorder and kept there for some days: what plays everywhere.
 *
 * Belongs here: making a movie of one piece of recordings, converting what has to be, writing the time into pictures, several cameras in one
 * picture, time lapses; the files, their list, their endpoints.
 * Does not belong here: files that are made while they are sent (`compat/export`), boxes of MP4 (`player`), the codec (`picture`),
 * the task that makes one (`owner/task`).
 */
export { FILE_ROUTES } from "./files.js";
export { GridMaking } from "./grid-making.js";
export type { MovieEdits } from "./movie-form.js";
export { MovieMaking, type MovieMakingOptions } from "./movie-making.js";
export { fileOfPath, maySeeFile } from "./saved-file-object.js";
export type { FileCodec, FileNeeds } from "./saved-files.js";
export {
  type FileToSave,
  KEPT_DAYS,
  SAVED_FILES_KIND,
  type SavedFile,
  SavedFiles,
  type SavedPart,
} from "./saved-files.js";
export type { TextDrawing } from "./time-stamp.js";
