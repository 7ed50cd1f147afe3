/** Exit statuses. systemd/nvrd.service does not restart on `usage`: a restart would read the same settings. */
export const EXIT = {
  done: 0,
  /** `check` found problems that remain. */
  problems: 1,
  /** Wrong flags or settings. */
  usage: 2,
  /** The service could not start or stop, or the check could not be made. */
  failed: 3,
  /** Another nvrd uses the data directory. */
  locked: 4,
} as const;
