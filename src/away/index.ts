/**
 * away: recordings off the box, on object storage (S3) or at another recorder: targets, what goes there, how it is sent and proven, how it comes back.
 *
 * Belongs here: the S3 client over a signer, the test of a target, replication, the audit of what was sent.
 * Does not belong here: the targets themselves (`site`), reading segments of the archive (`archive`), the API (`owner`).
 *
 * Parts: `s3/`: the client; `seal/`: age files; `send/`: a target's sending thread, and what it does; `plan/`: what goes, and what has gone; `back/`:
 * what lies in a bucket, and reading it; `reader/`: many recorders' buckets, read without a recorder; `store/`: what other recorders of the
 * LAN keep here, as a bucket of theirs.
 */
export type { AwayControl, AwayLock } from "./away-control.js";
export { CATALOGUE_TIMING, type CatalogueTiming } from "./back/catalogue.js";
export { type BucketState, bucketState, setProposedRules } from "./bucket-state.js";
export type { DayFacts } from "./day-books.js";
export type { EvidenceLockState, LockChange, LockWish } from "./evidence-locks.js";
export type { ManifestEvent, ManifestGap } from "./plan/manifest.js";
export { rateAt } from "./plan/send-limits.js";
export { BOXES_TIMING, type Box, type BoxChannel, type BoxesTiming, guidOf } from "./reader/bucket-boxes.js";
export { BucketReader, type BucketReaderOptions } from "./reader/bucket-reader.js";
export { requireReadingOnly } from "./reading-check.js";
export { keptTarget, recorderTarget } from "./recorder-target.js";
export { AWAY_TIMING, type AwaySources, type AwayTargetState, type AwayTiming } from "./replication.js";
export { Replications, type ReplicationsOptions } from "./replications.js";
export { type RestoreOptions, type RestoreProgress, type RestoreReport, restoreBucket } from "./restore.js";
export { type ReturnState, Returns, type ReturnsOptions } from "./returns.js";
export { bytesBody, type ObjectBody } from "./s3/object-body.js";
export type { LockMode, ObjectLock, Retention } from "./s3/s3-bucket.js";
export { type ObjectList, S3Client, type Sending, type SentPart, type StoredObject } from "./s3/s3-client.js";
export { S3Error, type S3Fault } from "./s3/s3-error.js";
export type { RecorderPlace, S3Target } from "./s3/s3-target.js";
export { type StartSendingThread, sendingHere, startSendingThread } from "./send/sender.js";
export { ReplicaKeeper } from "./store/replica-keeper.js";
export { OFFER_BYTES_MAX, REPLICA_PATH, type ReplicaOffer, readOffer } from "./store/replica-offer.js";
export { type ReplicaServing, recorderHash } from "./store/replica-server.js";
export { REPLICA_SHARES_MAX, ReplicaShares } from "./store/replica-shares.js";
export { type SendTarget, s3TargetOf } from "./target-address.js";
export { type CheckStep, checkTarget, type TargetCheckOptions, type TargetProblem } from "./target-check.js";
