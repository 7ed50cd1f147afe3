/**
 * control: one service per data directory, and the command line's connection to it: the lock and the control socket.
 *
 * Belongs here: the lock, the socket's protocol, its server in the service and its client in the command line.
 * Does not belong here: what a command does (the service registers it), users and rights (access is by the socket's
 * file mode).
 */
export { callControl, NoServiceError } from "./control-client.js";
export { REQUEST_BYTES_MAX } from "./control-protocol.js";
export { type ControlCall, ControlServer } from "./control-server.js";
export { DataLock, LOCK_FILE } from "./data-lock.js";
export { socketAddress } from "./socket-address.js";
