import * as v from "valibot";
import { HOST_NAME, IPV4, readIdentity, readRecipient } from "../../contract/index.js";
import { between, flag, guid, line, list, name, oneOf, text, whole } from "../../contract/reading/index.js";
import {
  AWAY_AGE_BY,
  AWAY_BEGINNINGS,
  AWAY_CONTENTS,
  AWAY_LOCK_MODES,
  AWAY_STREAMS,
  AWAY_STYLES,
} from "../model/away-target.js";
import { WEEK_DAYS } from "../model/model.js";
import { SITE_LIMITS } from "../model/site-limits.js";

/** The schema of targets of recordings off the box, and of their values in the API. */

const ENDPOINT_SAID = `^https?://(?:${HOST_NAME}|${IPV4})(?::[1-9]\\d{0,3})?/?$`;

export const awayEndpoint = v.pipe(
  line(SITE_LIMITS.awayUrlLengthMax),
  v.check(isOrigin, "accepted: http:// or https://, a host and perhaps a port"),
  v.metadata({ jsonSchema: { pattern: ENDPOINT_SAID } }),
);
/** Empty: none. Proxies that are reached over TLS are rare, and those that are not see no content of https. */
export const awayProxy = v.pipe(
  line(SITE_LIMITS.awayUrlLengthMax),
  v.check(
    (value) => value === "" || (isOrigin(value) && new URL(value).protocol === "http:"),
    "accepted: http://, a host and perhaps a port, or empty, without a login",
  ),
  v.metadata({ jsonSchema: { pattern: `^(?:|${ENDPOINT_SAID.slice(1, -1).replace("https?", "http")})$` } }),
);
export const awayRegion = v.pipe(
  line(SITE_LIMITS.awayRegionLengthMax),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, "accepted: the name of a region, for example us-east-1"),
);
export const awayBucket = v.pipe(
  line(SITE_LIMITS.awayBucketLengthMax),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/, "accepted: the name of a bucket"),
);
/** Only signs that are the same in every signature and every listing. */
export const awayPrefix = v.pipe(
  line(SITE_LIMITS.awayPrefixLengthMax),
  v.regex(
    /^(?:|(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)+)$/,
    "accepted: empty, or folders of letters, digits, dots, dashes and underscores, with a slash at the end",
  ),
);
export const awayAccessKey = v.pipe(
  line(SITE_LIMITS.awaySecretLengthMax),
  v.regex(/^[\x21-\x7e]+$/, "accepted: an access key"),
);
/** Goes into a header as it is. */
export const awaySecret = v.pipe(
  line(SITE_LIMITS.awaySecretLengthMax),
  v.regex(/^[\x21-\x7e]*$/, "accepted: letters, digits and signs of ASCII"),
);
export const awayToken = v.pipe(
  line(SITE_LIMITS.awayTokenLengthMax),
  v.regex(/^[\x21-\x7e]*$/, "accepted: letters, digits and signs of ASCII"),
);
export const awayAuthority = v.pipe(
  text(SITE_LIMITS.awayAuthorityLengthMax),
  v.regex(
    /^(?:|\s*(?:-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+)$/,
    "accepted: certificates as PEM, or empty",
  ),
);
export const awayStyle = oneOf(AWAY_STYLES);
export const awayProxyLogin = line(SITE_LIMITS.awaySecretLengthMax);

export const awayContent = oneOf(AWAY_CONTENTS);
export const awayStream = oneOf(AWAY_STREAMS);
export const awayBeginning = oneOf(AWAY_BEGINNINGS);
export const awaySeconds = whole(0, SITE_LIMITS.awaySecondsMax);
export const awayRate = v.nullable(whole(0, SITE_LIMITS.awayKbpsMax));
export const awayVolume = v.nullable(whole(1, SITE_LIMITS.awayGbPerMonthMax));
export const awayAuditPercent = between(0, 100);
export const awayLockDays = whole(1, SITE_LIMITS.awayDaysMax);
export const awayKeepDays = v.nullable(whole(1, SITE_LIMITS.awayDaysMax));
/** A public key as `age-keygen` shows it. */
export const awayRecipient = v.pipe(
  line(SITE_LIMITS.awaySecretLengthMax),
  v.regex(/^age1[02-9ac-hj-np-z]{58}$/, "accepted: a public key of age, age1 and 58 signs"),
  v.check(
    (text) => readRecipient(text) !== undefined,
    "accepted: a public key of age whose checksum is right",
  ),
);
/** A private key as `age-keygen` writes it. */
export const awayIdentity = v.pipe(
  line(SITE_LIMITS.awaySecretLengthMax),
  v.regex(
    /^(?:|AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58})$/,
    "accepted: a private key of age, AGE-SECRET-KEY-1 and 58 signs, or empty",
  ),
  v.check(
    (text) => text === "" || readIdentity(text) !== undefined,
    "accepted: a private key of age whose checksum is right",
  ),
);
export const awayMinute = whole(0, 1440);

const plan = {
  content: awayContent,
  stream: awayStream,
  from: awayBeginning,
  secondsBefore: awaySeconds,
  secondsAfter: awaySeconds,
};
const hours = v.pipe(
  v.strictObject({ day: oneOf(WEEK_DAYS), fromMinute: awayMinute, toMinute: awayMinute, kbpsMax: awayRate }),
  v.check(({ fromMinute, toMinute }) => fromMinute < toMinute, "accepted: hours that begin before they end"),
);

function isOrigin(value: string): boolean {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return false;
  const { username, password, pathname, search, hash } = new URL(value);
  return username === "" && password === "" && pathname === "/" && search === "" && hash === "";
}

export const awayTargets = list(
  v.strictObject({
    id: guid,
    name,
    isEnabled: flag,
    endpoint: awayEndpoint,
    region: awayRegion,
    bucket: awayBucket,
    prefix: awayPrefix,
    style: awayStyle,
    accessKeyId: awayAccessKey,
    secretAccessKey: awaySecret,
    sessionToken: awayToken,
    authority: awayAuthority,
    proxy: awayProxy,
    proxyLogin: awayProxyLogin,
    proxyPassword: awaySecret,
    plan: v.strictObject(plan),
    cameras: list(v.strictObject({ channelId: guid, ...plan }), SITE_LIMITS.camerasMax, "cameras"),
    kbpsMax: awayRate,
    hours: list(hours, SITE_LIMITS.awayHoursMax, "hours"),
    gbPerMonthMax: awayVolume,
    auditPercent: awayAuditPercent,
    lock: v.strictObject({ mode: oneOf(AWAY_LOCK_MODES), days: awayLockDays, isHeld: flag }),
    keepDays: awayKeepDays,
    ageBy: oneOf(AWAY_AGE_BY),
    recipients: list(awayRecipient, SITE_LIMITS.awayRecipientsMax, "public keys"),
    identity: awayIdentity,
  }),
  SITE_LIMITS.awayTargetsMax,
  "away targets",
);
