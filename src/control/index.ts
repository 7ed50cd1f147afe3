/**
 * control: one service a data directory, and how the command line talks to it: the lock and the control socket.
 *
 * Belongs here: the lock, the socket's protocol, its server in the service and its client in the command line.
 * Does not belong here: what a command does (main registers it), users and rights (the socket's file mode is its right).
 */
export * from "./control-client.js";
export * from "./control-protocol.js";
export * from "./control-server.js";
export * from "./data-lock.js";
