/**
 * Retry interval of a write that the HTTP library could not send completely. The library closes a connection ten seconds after
 * such a write, even if the client is reading from the socket buffers, and a busy kernel reports free space late.
 */
export const WRITE_RETRY_MS = 3000;
