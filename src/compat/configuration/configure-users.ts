import * as v from "valibot";
import { hashNewPassword, hashPassword } from "../../access/index.js";
import type { Guid } from "../../base/index.js";
import { type ObjectOf, USERS_MAX, user, userTexts } from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import {
  type CollectionDescription,
  collection,
  collectionRoutes,
  givenMember,
  guidOrNone,
  type InputPlace,
  type Route,
  when,
} from "../../route/index.js";
import { LOCKED_SECRET, type User } from "../../site/index.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";

const schema = v.pipe(
  readerOf(user, { Id: guidOrNone }),
  v.check(
    ({ Password, PasswordMd5, NoPassword }) =>
      [(Password ?? "") !== "", (PasswordMd5 ?? "") !== "", NoPassword === true].filter(Boolean).length <= 1,
    "accepted: one of Password, PasswordMd5 and NoPassword",
  ),
);

type UserInput = v.InferOutput<typeof schema>;

/** A user's input with the password already hashed, so that the change itself is fast. */
interface PreparedUser {
  readonly groupId: Guid | undefined;
  /** Undefined: unchanged. */
  readonly secret: string | null | undefined;
  readonly isLocked: boolean | undefined;
}

const LOCKED = givenMember("IsLocked", { const: true });
const SECRETS = [
  givenMember("Password"),
  givenMember("PasswordMd5"),
  givenMember("NoPassword", { const: true }),
];
const TWO_SECRETS = SECRETS.flatMap((one, at) =>
  SECRETS.slice(at + 1).map((other) => ({ allOf: [one, other] })),
);
const NEEDS_GROUP = givenMember("GroupId", { type: "string" });

const DESCRIPTION: CollectionDescription = {
  title: "User",
  text: ["The recorder's own users. Passwords are never shown, only `HasPassword` and `IsLocked`."],
  members: { Id: "Leave it out of POST.", ...notesOf(user, userTexts) },
  rules: [when(LOCKED, { not: { anyOf: SECRETS } }, { not: { anyOf: TWO_SECRETS } })],
  rulesOfNew: [NEEDS_GROUP, when(LOCKED, { not: { anyOf: SECRETS } }, { oneOf: SECRETS })],
  answered: { HasPassword: { type: "boolean", description: "Only in answers." } },
  examples: {
    id: "$EVA",
    post: [
      'GUARDS=$(curl -fsSu "$AUTH" "$NVRD/configure/groups" --data \'[{ "Name": "Guards" }]\' | member CreatedObjectsIds)',
      'EVA=$(curl -fsSu "$AUTH" -X POST "$NVRD/configure/users" --data \'[{',
      '  "Name": "eva", "GroupId": "\'$GUARDS\'", "Password": "a long sentence" }]\' | member CreatedObjectsIds)',
    ],
    put: [
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/users" --data \'[{',
      '  "Id": "\'$EVA\'", "IsLocked": true }]\'',
    ],
    afterwards: ['curl -fu "$AUTH" -X DELETE "$NVRD/configure/groups/$GUARDS"'],
  },
};

/** /configure/users: the recorder's own users. Passwords are write-only. */
export const USER_ROUTES: readonly Route<ConfigurationNeeds>[] = collectionRoutes(
  collection<User, UserInput, PreparedUser>({
    noun: "user",
    path: "/configure/users",
    description: DESCRIPTION,
    countMax: USERS_MAX,
    schema,
    itemsOf: (site) => site.users,
    withItems: (site, items) => ({ ...site, users: items }),
    describe: ({ id, name, groupId, secret }): ObjectOf<typeof user> & { readonly Id: Guid } => ({
      Id: id,
      Name: name,
      GroupId: groupId,
      Password: null,
      HasPassword: secret !== null && secret !== LOCKED_SECRET,
      IsLocked: secret === LOCKED_SECRET,
    }),
    prepare: async (input) => ({
      groupId: input.GroupId ?? undefined,
      secret: await secretOf(input),
      isLocked: input.IsLocked ?? undefined,
    }),
    make: (input, base, identity, place) => ({
      ...identity,
      groupId: groupOf(input, base, place),
      secret: newSecret(input, base, place),
    }),
  }),
);

async function secretOf({
  Password,
  PasswordMd5,
  NoPassword,
}: UserInput): Promise<string | null | undefined> {
  if (NoPassword === true) return null;
  if (PasswordMd5) return await hashPassword(PasswordMd5);
  return Password ? await hashNewPassword(Password) : undefined;
}

function groupOf(input: PreparedUser, base: User | undefined, place: InputPlace): Guid {
  const id = input.groupId ?? base?.groupId;
  const at = `${place.path}.GroupId`;
  if (id === undefined) place.faults.add(at, "is required");
  else if (!place.site.groups.some((group) => group.id === id))
    place.faults.add(at, "no group has this id", "NOT_FOUND");
  return id ?? "";
}

/** A locked user has no secret; unlocking needs a new one. */
function newSecret(input: PreparedUser, base: User | undefined, place: InputPlace): string | null {
  const given = input.secret !== undefined;
  if (input.isLocked === true) {
    if (given) place.faults.add(`${place.path}.IsLocked`, "contradicts the new password: send one of them");
    return LOCKED_SECRET;
  }
  if (input.secret !== undefined) return input.secret;
  if (base === undefined) {
    place.faults.add(`${place.path}.Password`, "is required: or PasswordMd5, or NoPassword: true");
    return LOCKED_SECRET;
  }
  if (input.isLocked === false && base.secret === LOCKED_SECRET)
    place.faults.add(`${place.path}.IsLocked`, "send a new Password to unlock the user");
  return base.secret;
}
