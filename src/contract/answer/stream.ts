/** What can be wrong with a stream of a camera: the words that its channel, health and events say it with. */

/** Why a stream is lost, for programs: each needs a different remedy. */
export const LOST_CAUSES = [
  /** The camera refuses login or password, or denies this user the stream. */
  "unauthorized",
  /** Nothing answers at the address, or not in time. */
  "unreachable",
  /** The camera answers, but has no such stream. */
  "no-stream",
  /** There is a stream in a codec or transport that nvrd does not support. */
  "unsupported",
  /** The settings ask for a secure connection, and the camera offers none, or its certificate fails. */
  "insecure",
  /** The camera shows another key than before, and is not sent the login until the owner accepts it. */
  "certificate-changed",
  /** The camera is not set up yet: it waits for its first password. */
  "not-activated",
  /** The stream, or its session, was running and then ended. */
  "interrupted",
] as const;
export type LostCause = (typeof LOST_CAUSES)[number];

/** Why something that a camera announces or sends is not recorded; words and remedies are in `live`. */
export const LOSS_IDS = [
  "no-memory",
  "too-large",
  "too-dense",
  "no-parameter-sets",
  "unknown-structure",
  "packets-lost",
  "malformed-packets",
  "other-payload-type",
  "other-channel",
  "no-picture",
  "no-clean-key-frame",
  "recorder-fault",
  "other-video",
  "sound-unsupported",
  "sound-refused",
  "sound-not-sent",
  "sound-packets-lost",
  "sound-unreadable",
] as const;
export type LossId = (typeof LOSS_IDS)[number];
