/**
 * systemd: how the service speaks with the machine's service manager: readiness, watchdog and status, the journal,
 * credentials.
 *
 * Belongs here: the words and sockets of systemd; each does nothing where systemd is not.
 * Does not belong here: what is said: whether recording makes progress, and how the recorder is (beside `main`).
 */
export * from "./credentials.js";
export * from "./datagram.js";
export * from "./journal-entry.js";
export * from "./journal-log.js";
export * from "./notify-socket.js";
