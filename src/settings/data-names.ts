/** Name of the event log in the data directory. No dot: lmdb takes a path with a dot for a file. */
export const EVENTS_NAME = "events";
