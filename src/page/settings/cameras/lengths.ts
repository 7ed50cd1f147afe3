/** Longest texts of a camera, as the recorder takes them. */
export const NAME_LENGTH_MAX = 128;
export const PLACE_LENGTH_MAX = 1024;
export const ADDRESS_LENGTH_MAX = 2048;
export const LOGIN_LENGTH_MAX = 256;
export const DAYS_MAX = 36_500;
/** Seconds that are recorded before and after motion. */
export const MOTION_SECONDS = [1, 2, 3, 4, 5, 6] as const;
