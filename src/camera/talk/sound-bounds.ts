/** Longest announcement, and the largest file that is read: 120 s of 48 kHz, stereo, 16 bits. */
export const ANNOUNCEMENT_SECONDS_MAX = 120;
export const SOUND_FILE_BYTES_MAX = 24 * 1024 * 1024;
/** Samples of G.711 a second. */
export const VOICE_RATE = 8000;
