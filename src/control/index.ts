/**
 * control: one service a data directory, and how the command line talks to it: the lock and the control socket.
 *
 * Belongs here: the lock, the socket's protocol, its server in the service and its client in the command line.
 * Does not belong here: what a command does (main registers it), users and rights (the socket's file mode is its right).
 */
export { callControl, ServiceSilentError } from "./control-client.js";
export { REQUEST_BYTES_MAX, readAnswer } from "./control-protocol.js";
export { type ControlCall, ControlServer } from "./control-server.js";
export { DataLock, LOCK_FILE } from "./data-lock.js";
