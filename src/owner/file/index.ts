/**
 * owner/file: files of recordings that are made on the recorder and kept there for some days: what plays everywhere.
 *
 * Belongs here: making a movie of one piece of recordings, converting what has to be; the files, their list, their endpoints.
 * Does not belong here: files that are made while they are sent (`compat/export`), boxes of MP4 (`player`), the codec (`picture`),
 * the task that makes one (`owner/task`).
 */
export { FILE_ROUTES } from "./files.js";
export { PICTURE_FORMS, type PictureForm } from "./movie-form.js";
export { MovieMaking } from "./movie-making.js";
export type { FileCodec, FileNeeds } from "./needs.js";
export { fileOfPath, maySeeFile } from "./saved-file-object.js";
export { KEPT_DAYS, SAVED_FILES_KIND, type SavedFile, SavedFiles } from "./saved-files.js";
