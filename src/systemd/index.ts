/**
 * systemd: communication with the machine's service manager: readiness, watchdog and status, the journal,
 * credentials.
 *
 * Belongs here: the words and sockets of systemd; each does nothing where systemd is not.
 * Does not belong here: what is said: whether recording makes progress, and how the recorder is (beside `main`).
 */
export { CREDENTIAL_PREFIX, Credentials } from "./credentials.js";
export { nativeSendDatagram } from "./datagram.js";
export { journalEntry } from "./journal-entry.js";
export { isJournal, JournalLog } from "./journal-log.js";
export { NotifySocket } from "./notify-socket.js";
