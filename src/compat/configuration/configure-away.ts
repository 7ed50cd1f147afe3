import * as v from "valibot";
import type { S3Fault } from "../../away/index.js";
import { NvrdError } from "../../base/index.js";
import {
  type CollectionDescription,
  checkChannels,
  collection,
  collectionRoutes,
  ENTER_AGAIN,
  given,
  givenMember,
  guidOrNone,
  guidText,
  type InputPlace,
  members,
  nameText,
  type RequestContext,
  type Route,
  secretAfter,
  TEXT,
} from "../../route/index.js";
import {
  AWAY_PLAN_DEFAULT,
  AWAY_TARGET_DEFAULT,
  type AwayPlan,
  type AwayTarget,
  awayValues,
  SECRET_PLACES,
  SITE_LIMITS,
  siteValues,
  WEEK_DAYS,
} from "../../site/index.js";
import type { ConfigurationNeeds } from "./needs.js";

const { flag } = siteValues;
const secret = given(awayValues.awaySecret);
const REGION_DEFAULT = "us-east-1";
const AUDIT_PERCENT_DEFAULT = 1;
const CONTENTS = {
  Everything: "everything",
  Events: "events",
  Protected: "protected",
  KeyFrames: "keyFrames",
  Nothing: "nothing",
} as const;
const STREAMS = { Recorded: "recorded", Main: "main", Alternative: "alternative" } as const;
const LOCK_MODES = { None: "none", Governance: "governance", Compliance: "compliance" } as const;
const AGE_BY = { Recorder: "recorder", Bucket: "bucket" } as const;
const BEGINNINGS = { Now: "now", Oldest: "oldest" } as const;

const plan = {
  Content: given(siteValues.oneOf(["Everything", "Events", "Protected", "KeyFrames", "Nothing"])),
  Stream: given(siteValues.oneOf(["Recorded", "Main", "Alternative"])),
  From: given(siteValues.oneOf(["Now", "Oldest"])),
  SecondsBefore: given(awayValues.awaySeconds),
  SecondsAfter: given(awayValues.awaySeconds),
};
const rate = v.optional(awayValues.awayRate);

const schema = members({
  Id: guidOrNone,
  Name: given(nameText),
  IsEnabled: given(flag),
  Endpoint: given(awayValues.awayEndpoint),
  Region: given(awayValues.awayRegion),
  Bucket: given(awayValues.awayBucket),
  Prefix: given(awayValues.awayPrefix),
  Style: given(siteValues.oneOf(["Path", "Host"])),
  AccessKeyId: given(awayValues.awayAccessKey),
  SecretAccessKey: secret,
  SessionToken: given(awayValues.awayToken),
  Authority: given(awayValues.awayAuthority),
  Proxy: given(awayValues.awayProxy),
  ProxyLogin: given(awayValues.awayProxyLogin),
  ProxyPassword: secret,
  ClearSecrets: given(flag),
  ...plan,
  Cameras: given(
    siteValues.list(members({ ChannelId: guidText, ...plan }), SITE_LIMITS.camerasMax, "cameras"),
  ),
  KilobitsPerSecondMax: rate,
  Hours: given(
    siteValues.list(
      members({
        Day: siteValues.oneOf(WEEK_DAYS),
        FromMinute: awayValues.awayMinute,
        ToMinute: awayValues.awayMinute,
        KilobitsPerSecondMax: rate,
      }),
      SITE_LIMITS.awayHoursMax,
      "hours",
    ),
  ),
  GigabytesPerMonthMax: v.optional(awayValues.awayVolume),
  AuditPercentPerDay: given(awayValues.awayAuditPercent),
  LockMode: given(siteValues.oneOf(["None", "Governance", "Compliance"])),
  LockDays: given(awayValues.awayLockDays),
  LegalHold: given(flag),
  KeepDays: v.optional(awayValues.awayKeepDays),
  AgeBy: given(siteValues.oneOf(["Recorder", "Bucket"])),
  Recipients: given(siteValues.list(awayValues.awayRecipient, SITE_LIMITS.awayRecipientsMax, "public keys")),
  Identity: given(awayValues.awayIdentity),
});

type PlanInput = v.InferOutput<v.ObjectSchema<typeof plan, undefined>>;
type AwayInput = v.InferOutput<typeof schema>;

const DESCRIPTION: CollectionDescription = {
  title: "AwayTarget",
  text: [
    "Away targets are buckets of S3-compatible object storage, an addition of nvrd. [Recordings off the box](../guide/away.md) says what a bucket needs.",
    "A target that is switched on is tested before it is stored: an object is written, compared, read back, listed and deleted, and the clocks are compared. If that fails nothing is stored, and the error says why. One with `IsEnabled: false` is stored without a test, and so is a change that leaves address and credentials as they were.",
  ],
  rulesOfNew: [
    givenMember("Endpoint", TEXT),
    givenMember("Bucket", TEXT),
    givenMember("AccessKeyId", TEXT),
    givenMember("SecretAccessKey", { ...TEXT, minLength: 1 }),
  ],
  members: {
    Id: "Leave it out of POST.",
    Name: "Required in POST. Names must be unique, ignoring case.",
    IsEnabled: { default: true },
    Endpoint: "Required in POST: `http` or `https`, a host and perhaps a port.",
    Region: { default: REGION_DEFAULT },
    Bucket: "Required in POST. It must be there.",
    Prefix: "Folders in the bucket, with a slash at the end. Two targets may not have the same place.",
    Style: {
      description: "`Path`: `https://host/bucket/…`; `Host`: `https://bucket.host/…`.",
      default: "Path",
    },
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
    ClearSecrets: {
      description:
        "True removes `SessionToken`, `ProxyPassword` and `Identity`. If null, absent or empty in PUT, secrets are unchanged.",
      writeOnly: true,
    },
    Content: {
      description:
        "What of the recordings of all cameras goes that `Cameras` does not name. `Events`: motion and other events of the camera, with seconds around. `KeyFrames`: one picture for each of the camera's key frames, at most one a second, without sound. Protected times go with each of them but `Nothing`, whole.",
      default: "Nothing",
    },
    Stream: { description: "`Recorded`: whatever streams are recorded.", default: "Recorded" },
    From: {
      description: "`Now`: what is recorded from now on, and what is protected. `Oldest`: all of it.",
      default: "Now",
    },
    SecondsBefore: { default: AWAY_PLAN_DEFAULT.secondsBefore },
    SecondsAfter: { default: AWAY_PLAN_DEFAULT.secondsAfter },
    Cameras: "Cameras with a plan of their own. Members left out are those of the target.",
    KilobitsPerSecondMax: "Null: no limit. 0: nothing is sent. Absent in PUT: unchanged.",
    Hours:
      "Times of the week (local) with a limit of their own, in minutes of the day. The first that fits counts.",
    GigabytesPerMonthMax: "Null: no limit. Absent in PUT: unchanged.",
    AuditPercentPerDay: {
      description: "Share of the days in the bucket that is read back each day. 0: none.",
      default: AUDIT_PERCENT_DEFAULT,
    },
    LockMode: {
      description:
        "How the recordings of protected times are locked in the bucket: `Governance` may be lifted, `Compliance` by nobody before its day. The bucket must have object lock. [Locks](#post-apiawaylocks) of single times need no setting.",
      default: "None",
    },
    LockDays: {
      description: "How many days such a lock lasts, from the day on at which it is set.",
      default: AWAY_TARGET_DEFAULT.lock.days,
    },
    LegalHold: { description: "Such recordings are also held without an end.", default: false },
    KeepDays:
      "Days after which recordings are removed from the bucket, those of protected times and locked ones excepted. Null: never. Absent in PUT: unchanged.",
    AgeBy: {
      description:
        "Who removes them: the recorder, or rules of the bucket, which [`PUT /api/away/buckets/{id}/lifecycle`](#put-apiawaybucketsidlifecycle) sets.",
      default: "Recorder",
    },
    Recipients:
      "Public keys of [age](https://age-encryption.org) for which recordings are encrypted before they go. Empty: they are not. [Encryption](../guide/away.md#encryption).",
    Identity:
      "The private key to one of them: with it the recorder can play what it sent. Without it only `nvrd restore` with a key can. Null in answers.",
  },
  examples: {
    getAll: ['curl -fu "$AUTH" "$NVRD/configure/away"'],
    getOne: [
      "# Where no target has this id: 404.",
      'curl -fu "$AUTH" "$NVRD/configure/away/88888888-0000-4000-8000-000000000007"',
    ],
    post: [
      "# Where the server does not answer: 503.",
      'curl -fu "$AUTH" -X POST "$NVRD/configure/away" --data \'[{',
      '  "Name": "Cellar", "Endpoint": "https://s3.example", "Bucket": "recordings", "Prefix": "gate/",',
      '  "AccessKeyId": "AKIDEXAMPLE", "SecretAccessKey": "secret", "Content": "Events" }]\'',
    ],
    put: [
      "# Where no target has this id: 404.",
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/away" --data \'[{',
      '  "Id": "88888888-0000-4000-8000-000000000007", "SecretAccessKey": "another" }]\'',
    ],
    remove: [
      "# Where no target has this id: 404.",
      'curl -fu "$AUTH" -X DELETE "$NVRD/configure/away/88888888-0000-4000-8000-000000000007"',
    ],
  },
};

/** Faults that pass by themselves, as far as can be known. */
const PASSING: ReadonlySet<S3Fault> = new Set<S3Fault>(["unreachable", "too-slow", "busy", "proxy"]);

/** /configure/away: where recordings go off the box. Secrets are write-only: null, absent and empty keep the present value. */
export const AWAY_TARGET_ROUTES: readonly Route<ConfigurationNeeds>[] = collectionRoutes(
  collection<AwayTarget, AwayInput, AwayInput, ConfigurationNeeds>({
    noun: "away target",
    path: "/configure/away",
    description: DESCRIPTION,
    countMax: SITE_LIMITS.awayTargetsMax,
    schema,
    itemsOf: (site) => site.awayTargets,
    withItems: (site, items) => ({ ...site, awayTargets: items }),
    describe: describeTarget,
    prepare: async (input) => input,
    make: makeTarget,
    prove: proveTarget,
  }),
);

function describeTarget(target: AwayTarget): unknown {
  return {
    Id: target.id,
    Name: target.name,
    IsEnabled: target.isEnabled,
    Endpoint: target.endpoint,
    Region: target.region,
    Bucket: target.bucket,
    Prefix: target.prefix,
    Style: target.style === "host" ? "Host" : "Path",
    AccessKeyId: target.accessKeyId,
    SecretAccessKey: null,
    SessionToken: null,
    Authority: target.authority,
    Proxy: target.proxy,
    ProxyLogin: target.proxyLogin,
    ProxyPassword: null,
    ...describePlan(target.plan),
    Cameras: target.cameras.map(({ channelId, ...camera }) => ({
      ChannelId: channelId,
      ...describePlan(camera),
    })),
    KilobitsPerSecondMax: target.kbpsMax,
    Hours: target.hours.map(({ day, fromMinute, toMinute, kbpsMax }) => ({
      Day: day,
      FromMinute: fromMinute,
      ToMinute: toMinute,
      KilobitsPerSecondMax: kbpsMax,
    })),
    GigabytesPerMonthMax: target.gbPerMonthMax,
    AuditPercentPerDay: target.auditPercent,
    LockMode: nameOf(LOCK_MODES, target.lock.mode),
    LockDays: target.lock.days,
    LegalHold: target.lock.isHeld,
    KeepDays: target.keepDays,
    AgeBy: nameOf(AGE_BY, target.ageBy),
    Recipients: target.recipients,
    Identity: null,
  };
}

function describePlan({ content, stream, from, secondsBefore, secondsAfter }: AwayPlan) {
  return {
    Content: nameOf(CONTENTS, content),
    Stream: nameOf(STREAMS, stream),
    From: nameOf(BEGINNINGS, from),
    SecondsBefore: secondsBefore,
    SecondsAfter: secondsAfter,
  };
}

function nameOf<T extends string>(names: Readonly<Record<string, T>>, value: T): string {
  return Object.entries(names).find(([, own]) => own === value)?.[0] ?? value;
}

function planOf(input: PlanInput, base: AwayPlan): AwayPlan {
  return {
    content: input.Content ? CONTENTS[input.Content] : base.content,
    stream: input.Stream ? STREAMS[input.Stream] : base.stream,
    from: input.From ? BEGINNINGS[input.From] : base.from,
    secondsBefore: input.SecondsBefore ?? base.secondsBefore,
    secondsAfter: input.SecondsAfter ?? base.secondsAfter,
  };
}

/** What goes, and how fast. */
function sendingOf(
  input: AwayInput,
  base: AwayTarget | undefined,
  place: InputPlace,
): Pick<AwayTarget, "plan" | "cameras" | "kbpsMax" | "hours" | "gbPerMonthMax" | "auditPercent"> {
  const own = planOf(input, base?.plan ?? AWAY_PLAN_DEFAULT);
  const channels = input.Cameras?.map(({ ChannelId }) => ChannelId);
  if (channels !== undefined) checkChannels(channels, "Cameras", place);
  for (const [index, { FromMinute, ToMinute }] of (input.Hours ?? []).entries())
    if (FromMinute >= ToMinute)
      place.faults.add(`${place.path}.Hours[${index}].ToMinute`, "is not after FromMinute");
  return {
    plan: own,
    cameras:
      input.Cameras?.map((camera) => ({ channelId: camera.ChannelId, ...planOf(camera, own) })) ??
      base?.cameras ??
      [],
    kbpsMax: input.KilobitsPerSecondMax === undefined ? (base?.kbpsMax ?? null) : input.KilobitsPerSecondMax,
    hours:
      input.Hours?.map(({ Day, FromMinute, ToMinute, KilobitsPerSecondMax = null }) => ({
        ...{ day: Day, fromMinute: FromMinute, toMinute: ToMinute, kbpsMax: KilobitsPerSecondMax },
      })) ??
      base?.hours ??
      [],
    gbPerMonthMax:
      input.GigabytesPerMonthMax === undefined ? (base?.gbPerMonthMax ?? null) : input.GigabytesPerMonthMax,
    auditPercent: input.AuditPercentPerDay ?? base?.auditPercent ?? AUDIT_PERCENT_DEFAULT,
  };
}

/** How it is kept there. */
function keepingOf(
  input: AwayInput,
  base: Pick<AwayTarget, "lock" | "keepDays" | "ageBy" | "recipients">,
): Pick<AwayTarget, "lock" | "keepDays" | "ageBy" | "recipients"> {
  return {
    lock: {
      mode: input.LockMode ? LOCK_MODES[input.LockMode] : base.lock.mode,
      days: input.LockDays ?? base.lock.days,
      isHeld: input.LegalHold ?? base.lock.isHeld,
    },
    keepDays: input.KeepDays === undefined ? base.keepDays : input.KeepDays,
    ageBy: input.AgeBy ? AGE_BY[input.AgeBy] : base.ageBy,
    recipients: input.Recipients ?? base.recipients,
  };
}

function makeTarget(
  input: AwayInput,
  base: AwayTarget | undefined,
  identity: Pick<AwayTarget, "id" | "name">,
  place: InputPlace,
): AwayTarget {
  const required = (member: "Endpoint" | "Bucket" | "AccessKeyId", before: string | undefined): string => {
    const value = input[member] ?? before;
    if (value === undefined) place.faults.add(`${place.path}.${member}`, "is required");
    return value ?? "";
  };
  const style = { Path: "path", Host: "host" } as const;
  const open: AwayTarget = {
    ...identity,
    isEnabled: input.IsEnabled ?? base?.isEnabled ?? true,
    endpoint: required("Endpoint", base?.endpoint),
    region: input.Region ?? base?.region ?? REGION_DEFAULT,
    bucket: required("Bucket", base?.bucket),
    prefix: input.Prefix ?? base?.prefix ?? "",
    style: input.Style ? style[input.Style] : (base?.style ?? "path"),
    accessKeyId: required("AccessKeyId", base?.accessKeyId),
    authority: input.Authority ?? base?.authority ?? "",
    proxy: input.Proxy ?? base?.proxy ?? "",
    proxyLogin: input.ProxyLogin ?? base?.proxyLogin ?? "",
    ...sendingOf(input, base, place),
    ...keepingOf(input, base ?? AWAY_TARGET_DEFAULT),
    ...{ secretAccessKey: "", sessionToken: "", proxyPassword: "", identity: "" },
  };
  return { ...open, ...secretsOf(input, base, { open, place }) };
}

/** The secrets of a target; the private key goes nowhere. */
function secretsOf(
  input: AwayInput,
  base: AwayTarget | undefined,
  { open, place }: { readonly open: AwayTarget; readonly place: InputPlace },
): Pick<AwayTarget, "secretAccessKey" | "sessionToken" | "proxyPassword" | "identity"> {
  const isCleared = input.ClearSecrets === true;
  const secret = (
    member: "SecretAccessKey" | "SessionToken" | "ProxyPassword",
    stored: string | undefined,
    places: "awayKeys" | "awayProxy",
  ): string =>
    secretAfter({
      ...{ given: input[member], stored },
      isCleared: isCleared && member !== "SecretAccessKey",
      from: base === undefined ? [] : SECRET_PLACES[places](base),
      to: SECRET_PLACES[places](open),
      refuse: () =>
        place.faults.add(`${place.path}.${member}`, ENTER_AGAIN[places === "awayProxy" ? "proxy" : "server"]),
    });
  const secretAccessKey = secret("SecretAccessKey", base?.secretAccessKey, "awayKeys");
  if (secretAccessKey === "") place.faults.add(`${place.path}.SecretAccessKey`, "is required");
  return {
    secretAccessKey,
    sessionToken: secret("SessionToken", base?.sessionToken, "awayKeys"),
    proxyPassword: secret("ProxyPassword", base?.proxyPassword, "awayProxy"),
    identity: input.Identity || (isCleared ? "" : (base?.identity ?? "")),
  };
}

/** Where a target is, and the login for it: with other values it is tested anew. */
const REACH = [
  ...(["endpoint", "region", "bucket", "prefix", "style", "accessKeyId", "secretAccessKey"] as const),
  ...(["sessionToken", "authority", "proxy", "proxyLogin", "proxyPassword"] as const),
];

/** What the bucket must have beside objects. */
function asksOf({ lock, keepDays, ageBy, recipients, identity }: AwayTarget): string {
  const needsLock = lock.mode !== "none" || lock.isHeld;
  return JSON.stringify([needsLock, keepDays !== null && ageBy === "bucket", recipients, identity]);
}

/** A target that is on has to work when it is saved: the owner is there now, and not when the first disk dies. */
async function proveTarget(target: AwayTarget, { needs }: RequestContext<ConfigurationNeeds>): Promise<void> {
  const before = needs.site.current.awayTargets.find(({ id }) => id === target.id);
  const isTested =
    before?.isEnabled === true &&
    REACH.every((member) => before[member] === target[member]) &&
    asksOf(before) === asksOf(target);
  if (!target.isEnabled || isTested) return;
  const problem = await needs.away.check(target);
  if (problem === undefined) return;
  throw new NvrdError(
    PASSING.has(problem.fault) ? "NOT_AVAILABLE" : "BAD_REQUEST",
    `the target ${target.name} does not work: ${problem.text}`,
    { hint: "correct it, or save it with IsEnabled: false, which is not tested" },
  );
}
