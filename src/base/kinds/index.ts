/**
 * Names that the wire, the configuration and the recorder share.
 *
 * Belongs here: plain lists of words, which the page takes too.
 * Does not belong here: anything that runs.
 */
export { OBJECT_LABELS, type ObjectLabel } from "./object-labels.js";
export { PRESENCE_KINDS, SEEN_KINDS, type SeenKind } from "./seen-kinds.js";
export { eachStream, STREAM_TYPES, type StreamKey, type StreamType, streamKeyText } from "./stream-type.js";
