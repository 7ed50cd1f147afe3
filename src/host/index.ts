/**
 * host: what the process says to the machine it runs on and hears from it. Each part has its door.
 *
 * Belongs here: `systemd/` (readiness, watchdog, journal, credentials), `control/` (one service per data directory, the control
 * socket of the command line). Does not belong here: what a command does (`command`), care of the machine (`box`).
 */
export {};
