/** Lengths of texts that are not in the configuration, in characters. */

/** Of the name of a position of a camera: ONVIF cameras take at most this. */
export const POSITION_NAME_LENGTH_MAX = 64;
export const ANNOUNCEMENT_NAME_LENGTH_MAX = 100;
/** Of what a program says of an event. */
export const EVENT_COMMENT_LENGTH_MAX = 1000;
/** Of a text that is looked for in the event log. The index of texts has nothing shorter. */
export const EVENT_SEARCH_LENGTH_MIN = 3;
export const EVENT_SEARCH_LENGTH_MAX = 100;
