import type { S3Fault } from "../../away/index.js";
import { NvrdError } from "../../base/index.js";
import {
  AWAY_TARGETS_MAX,
  awayCamera,
  awayKeeping,
  awayLock,
  awayPace,
  awayPlan,
  awayReach,
  awayTarget,
  awayTargetTexts,
  changed,
  type InputOf,
  part,
  shown,
  storedWord,
  without,
} from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import {
  type CollectionDescription,
  checkChannels,
  collection,
  collectionRoutes,
  ENTER_AGAIN,
  givenMember,
  guidOrNone,
  type InputPlace,
  type RequestContext,
  type Route,
  secretAfter,
  TEXT,
} from "../../route/index.js";
import { type AwayTarget, SECRET_PLACES } from "../../site/index.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";

const schema = readerOf(awayTarget, { Id: guidOrNone });

type AwayInput = InputOf<typeof awayTarget>;

/** What is kept as it is given, beside the name. */
const PLAIN = {
  ...part(awayTarget, "IsEnabled"),
  ...without(awayReach, "SecretAccessKey", "SessionToken", "ProxyPassword"),
  ...awayPace,
  ...awayKeeping,
};

/** Examples of what needs a target begin with it. */
export const ADD_AWAY_TARGET: readonly string[] = [
  'CELLAR=$(curl -fsSu "$AUTH" "$NVRD/configure/away" --data \'[{',
  '  "Name": "Cellar", "Endpoint": "https://s3.example", "Bucket": "recordings", "Prefix": "gate/",',
  '  "AccessKeyId": "AKIDEXAMPLE", "SecretAccessKey": "secret", "Content": "Events" }]\' | member CreatedObjectsIds)',
];

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
  members: { Id: "Leave it out of POST.", ...notesOf(awayTarget, awayTargetTexts) },
  examples: {
    id: "$CELLAR",
    post: ADD_AWAY_TARGET,
    put: [
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/away" --data \'[{',
      '  "Id": "\'$CELLAR\'", "SecretAccessKey": "another" }]\'',
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
    countMax: AWAY_TARGETS_MAX,
    schema,
    itemsOf: (site) => site.awayTargets,
    withItems: (site, items) => ({ ...site, awayTargets: items }),
    describe: (target) => ({
      Id: target.id,
      ...shown(awayTarget, { ...target, ...target.plan, ...target.lock }),
    }),
    prepare: async (input) => input,
    make: makeTarget,
    prove: proveTarget,
  }),
);

function makeTarget(
  input: AwayInput,
  base: AwayTarget | undefined,
  identity: Pick<AwayTarget, "id" | "name">,
  place: InputPlace,
): AwayTarget {
  for (const member of ["Endpoint", "Bucket", "AccessKeyId"] as const)
    if ((input[member] ?? base?.[storedWord(member)]) === undefined)
      place.faults.add(`${place.path}.${member}`, "is required");
  const plan = changed(awayPlan, input, base?.plan);
  checkLists(input, place);
  const open: AwayTarget = {
    ...identity,
    ...changed(PLAIN, input, { endpoint: "", bucket: "", accessKeyId: "", ...base }),
    plan,
    cameras: input.Cameras?.map((camera) => changed(awayCamera, camera, plan)) ?? base?.cameras ?? [],
    lock: changed(awayLock, input, base?.lock),
    ...{ secretAccessKey: "", sessionToken: "", proxyPassword: "", identity: "" },
  };
  return { ...open, ...secretsOf(input, base, { open, place }) };
}

function checkLists({ Cameras, Hours }: AwayInput, place: InputPlace): void {
  if (Cameras)
    checkChannels(
      Cameras.map(({ ChannelId }) => ChannelId),
      "Cameras",
      place,
    );
  for (const [index, { FromMinute, ToMinute }] of (Hours ?? []).entries())
    if (FromMinute >= ToMinute)
      place.faults.add(`${place.path}.Hours[${index}].ToMinute`, "is not after FromMinute");
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
const REACH = Object.keys(awayReach).map((member) => storedWord(member as keyof typeof awayReach));

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
