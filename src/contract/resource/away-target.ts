import { readIdentity, readRecipient } from "../kinds/age-key.js";
import {
  by,
  choice,
  clearable,
  decimal,
  flag,
  group,
  id,
  line,
  list,
  name,
  needed,
  secret,
  storedAs,
  unsaid,
  whole,
  word,
  writeOnly,
} from "../kinds/kinds.js";
import { certificates, HTTP_ORIGIN, PROXY } from "../kinds/rules.js";
import type { TextsOf } from "../kinds/texts.js";
import { DAY_MINUTES, WEEK_DAYS } from "../kinds/week.js";
import { CAMERAS_MAX } from "./channels.js";

/** Targets of recordings off the box, buckets of S3-compatible object storage: `/configure/away`. */

export const AWAY_TARGETS_MAX = 4;

const URL_LENGTH_MAX = 512;
const SECRET_LENGTH_MAX = 256;

/** Goes into a header as it is. */
const secretText = (max: number) =>
  secret(by(line(max, { pattern: /^[\x21-\x7e]*$/, accepted: "letters, digits and signs of ASCII" }), ""));

/** Where a target is, and the login for it. */
export const awayReach = {
  Endpoint: needed(line(URL_LENGTH_MAX, ...HTTP_ORIGIN)),
  Region: by(
    line(64, {
      pattern: /^[A-Za-z0-9][A-Za-z0-9_-]*$/,
      accepted: "the name of a region, for example us-east-1",
    }),
    "us-east-1",
  ),
  Bucket: needed(
    line(63, { pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/, accepted: "the name of a bucket" }),
  ),
  /** Begins each name in the bucket. Only signs that are the same in every signature and every listing. */
  Prefix: by(
    line(128, {
      pattern: /^(?:|(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)+)$/,
      accepted: "empty, or folders of letters, digits, dots, dashes and underscores, with a slash at the end",
    }),
    "",
  ),
  Style: by(word("Path", "Host"), "Path"),
  AccessKeyId: needed(line(SECRET_LENGTH_MAX, { pattern: /^[\x21-\x7e]+$/, accepted: "an access key" })),
  SecretAccessKey: secretText(SECRET_LENGTH_MAX),
  /** Of temporary credentials. */
  SessionToken: secretText(4096),
  Authority: by(certificates, ""),
  Proxy: by(line(URL_LENGTH_MAX, ...PROXY), ""),
  ProxyLogin: by(line(SECRET_LENGTH_MAX), ""),
  ProxyPassword: secretText(SECRET_LENGTH_MAX),
} as const;

const content = word("Everything", "Events", "Protected", "KeyFrames", "Nothing");
const stream = word("Recorded", "Main", "Alternative");
const beginning = word("Now", "Oldest");
const seconds = whole(0, 3600);

/** What goes of a camera. */
export const awayPlan = {
  Content: by(content, "Nothing"),
  Stream: by(stream, "Recorded"),
  From: by(beginning, "Now"),
  SecondsBefore: by(seconds, 10),
  SecondsAfter: by(seconds, 60),
} as const;

/** The same of one camera. What is left out is as the target has it, so that there are no defaults. */
export const awayCamera = {
  ChannelId: id,
  Content: content,
  Stream: stream,
  From: beginning,
  SecondsBefore: seconds,
  SecondsAfter: seconds,
} as const;

/** Kilobits a second; null: no limit, 0: nothing is sent. */
const rate = storedAs("kbpsMax", clearable(whole(0, 10_000_000)));
const minute = whole(0, DAY_MINUTES);

/** Hours of the week with a bandwidth of their own. */
export const awayHours = {
  Day: choice(...WEEK_DAYS),
  FromMinute: minute,
  ToMinute: minute,
  KilobitsPerSecondMax: rate,
} as const;

/** How fast it goes, and how much is read back. */
export const awayPace = {
  KilobitsPerSecondMax: rate,
  Hours: unsaid(list(group(awayHours, "Day", "FromMinute", "ToMinute"), 168, "hours"), []),
  GigabytesPerMonthMax: storedAs("gbPerMonthMax", clearable(whole(1, 1_000_000))),
  AuditPercentPerDay: storedAs("auditPercent", by(decimal(0, 100), 1)),
} as const;

const days = whole(1, 36_500);

/** How protected times are locked in the bucket, each from the moment on at which it is seen. */
export const awayLock = {
  LockMode: storedAs("mode", by(word("None", "Governance", "Compliance"), "None")),
  LockDays: storedAs("days", by(days, 90)),
  LegalHold: storedAs("isHeld", by(flag, false)),
} as const;

/** A public key as `age-keygen` shows it. */
const recipient = line(
  SECRET_LENGTH_MAX,
  { pattern: /^age1[02-9ac-hj-np-z]{58}$/, accepted: "a public key of age, age1 and 58 signs" },
  {
    check: (text) => readRecipient(text) !== undefined,
    accepted: "a public key of age whose checksum is right",
  },
);

/** A private key as `age-keygen` writes it. */
const identity = line(
  SECRET_LENGTH_MAX,
  {
    pattern: /^(?:|AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58})$/,
    accepted: "a private key of age, AGE-SECRET-KEY-1 and 58 signs, or empty",
  },
  {
    check: (text) => text === "" || readIdentity(text) !== undefined,
    accepted: "a private key of age whose checksum is right",
  },
);

/** How long it is kept there, and for whom. */
export const awayKeeping = {
  KeepDays: clearable(days),
  AgeBy: by(word("Recorder", "Bucket"), "Recorder"),
  Recipients: unsaid(list(recipient, 4, "public keys"), []),
} as const;

export const awayTarget = {
  Name: needed(name),
  IsEnabled: by(flag, true),
  ...awayReach,
  ClearSecrets: writeOnly(flag),
  ...awayPlan,
  Cameras: list(group(awayCamera, "ChannelId"), CAMERAS_MAX, "cameras"),
  ...awayPace,
  ...awayLock,
  ...awayKeeping,
  Identity: secret(by(identity, "")),
} as const;

export const awayTargetTexts: TextsOf<typeof awayTarget> = {
  Name: "Required in POST. Names must be unique, ignoring case.",
  Endpoint: "Required in POST: `http` or `https`, a host and perhaps a port.",
  Bucket: "Required in POST. It must be there.",
  Prefix: "Folders in the bucket, with a slash at the end. Two targets may not have the same place.",
  Style: "`Path`: `https://host/bucket/…`; `Host`: `https://bucket.host/…`.",
  AccessKeyId: "Required in POST.",
  SecretAccessKey:
    "Required in POST, and in PUT when `Endpoint` becomes another scheme, host or port, or `Authority` another one. Null in answers.",
  SessionToken:
    "Of temporary credentials. Required like `SecretAccessKey` where one is stored. Null in answers.",
  Authority:
    "Certificates (PEM) of the only authorities that are trusted for `https`. Empty: the usual ones.",
  Proxy: "The `http` address of a proxy. Empty: none.",
  ProxyPassword:
    "Null in answers. Required in PUT when `Proxy` becomes another host or port and one is stored.",
  ClearSecrets:
    "True removes `SessionToken`, `ProxyPassword` and `Identity`. If null, absent or empty in PUT, secrets are unchanged.",
  Content:
    "What of the recordings of all cameras goes that `Cameras` does not name. `Events`: motion and other events of the camera, with seconds around. `KeyFrames`: one picture for each of the camera's key frames, at most one a second, without sound. Protected times go with each of them but `Nothing`, whole.",
  Stream: "`Recorded`: whatever streams are recorded.",
  From: "`Now`: what is recorded from now on, and what is protected. `Oldest`: all of it.",
  Cameras: "Cameras with a plan of their own. Members left out are those of the target.",
  KilobitsPerSecondMax: "Null: no limit. 0: nothing is sent. Absent in PUT: unchanged.",
  Hours:
    "Times of the week (local) with a limit of their own, in minutes of the day. The first that fits counts.",
  GigabytesPerMonthMax: "Null: no limit. Absent in PUT: unchanged.",
  AuditPercentPerDay: "Share of the days in the bucket that is read back each day. 0: none.",
  LockMode:
    "How the recordings of protected times are locked in the bucket: `Governance` may be lifted, `Compliance` by nobody before its day. The bucket must have object lock. [Locks](#post-apiawaylocks) of single times need no setting.",
  LockDays: "How many days such a lock lasts, from the day on at which it is set.",
  LegalHold: "Such recordings are also held without an end.",
  KeepDays:
    "Days after which recordings are removed from the bucket, those of protected times and locked ones excepted. Null: never. Absent in PUT: unchanged.",
  AgeBy:
    "Who removes them: the recorder, or rules of the bucket, which [`PUT /api/away/buckets/{id}/lifecycle`](#put-apiawaybucketsidlifecycle) sets.",
  Recipients:
    "Public keys of [age](https://age-encryption.org) for which recordings are encrypted before they go. Empty: they are not. [Encryption](../guide/away.md#encryption).",
  Identity:
    "The private key to one of them: with it the recorder can play what it sent. Without it only `nvrd restore` with a key can. Null in answers.",
};
