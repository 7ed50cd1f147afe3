/**
 * How often a write that the HTTP library could not send whole is tried again: the library closes a connection ten seconds
 * after one that failed, though its client takes what lies in the sockets' buffers, and a kernel with much to send says late
 * that there is room.
 */
export const WRITE_RETRY_MS = 3000;
