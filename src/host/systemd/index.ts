/**
 * systemd: communication with the machine's service manager: readiness, watchdog and status, the journal,
 * credentials.
 *
 * Belongs here: the protocols and sockets of systemd; without systemd they do nothing.
 * Does not belong here: what is reported: progress of recording, and health (`service/process`).
 */
export { CREDENTIAL_PREFIX, Credentials } from "./credentials.js";
export { nativeSendDatagram } from "./datagram.js";
export { journalEntry } from "./journal-entry.js";
export { isJournal, JournalLog } from "./journal-log.js";
export { type JournalLine, JournalUnreadable, readJournal } from "./journal-reader.js";
export { NotifySocket } from "./notify-socket.js";
