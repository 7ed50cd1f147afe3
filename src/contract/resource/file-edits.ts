/** What may be done to recordings for a file. */

/** What becomes of the pictures: H.264, or as they were recorded. */
export const PICTURE_FORMS = ["H264", "AsRecorded"] as const;
/** How many times as fast as the recording a file may be. */
export const FILE_SPEED_MAX = 3600;
/** Cameras beside one another in one picture. */
export const FILE_CHANNELS_MAX = 16;
