import type * as v from "valibot";
import { isLdapFilter, LDAP_DEFAULTS } from "../../access/index.js";
import {
  ENTER_AGAIN,
  Faults,
  given,
  type JsonSchema,
  members,
  type Note,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import {
  type DirectorySettings,
  directoryValues,
  goesElsewhere,
  SECRET_PLACES,
  siteValues,
} from "../../site/index.js";

/* The directory of users in the configuration, in bodies and answers. */

const { flag } = siteValues;

export const directoryBody = members({
  IsEnabled: given(flag),
  Url: given(directoryValues.directoryUrl),
  StartTls: given(flag),
  Authority: given(directoryValues.directoryAuthority),
  BaseDn: given(directoryValues.directoryBase),
  BindDn: given(directoryValues.directoryBindName),
  ServiceDn: given(directoryValues.directoryService),
  ServicePassword: given(directoryValues.directoryPassword),
  UserFilter: given(directoryValues.directoryUserFilter),
  GroupAttribute: given(directoryValues.directoryAttribute),
  GroupFilter: given(directoryValues.directoryGroupFilter),
  TimeoutMs: given(directoryValues.directoryTimeoutMs),
});
type DirectoryInput = v.InferOutput<typeof directoryBody>;

const NOTES: Readonly<Record<string, Note>> = {
  IsEnabled: {
    description: "False: there are no directory users, whatever the settings file says.",
    default: true,
  },
  Url: "Required where there is none yet: `ldap://host` or `ldaps://host`, with a port if it is not 389 or 636; a host name or an IPv4 address.",
  StartTls: {
    description: "For `ldap://`: encrypted by StartTLS. False: passwords go unencrypted.",
    default: true,
  },
  Authority: "Certificates (PEM) of the only authorities that are trusted. Empty: the usual ones.",
  BaseDn: "Required where there is none yet: the entry below which users and groups are searched.",
  BindDn: `The name to bind a user with, without \`ServiceDn\`: with \`{login}\` or \`{user}\`, also \`{domain}\`. Empty: \`${LDAP_DEFAULTS.bindDnTemplate}\`.`,
  ServiceDn:
    "An account that may search for users: each is searched, and the entry found is bound. Empty: none.",
  ServicePassword:
    "Its password. Null in answers. Null, absent or empty: unchanged, which is refused with 409 where `Url`, `StartTls`, `Authority` or `ServiceDn` becomes another one.",
  UserFilter: `Finds the entry of a user. Empty: \`${LDAP_DEFAULTS.userFilter}\`.`,
  GroupAttribute: `The attribute of a user's entry that names its groups. Empty: \`${LDAP_DEFAULTS.groupAttribute}\`.`,
  GroupFilter:
    "Finds the groups of a user in addition: `(&(objectClass=groupOfNames)(member={dn}))`. Empty: none.",
  TimeoutMs: { description: "Milliseconds that a login waits for it.", default: LDAP_DEFAULTS.timeoutMs },
};

/** The description of the body, which is that of the answer too. */
export function directorySchema(): JsonSchema {
  return withNotes(schemaOfBody(directoryBody), NOTES);
}

const FIRST: DirectorySettings = {
  ...{ isEnabled: true, url: "", startTls: true, authority: "", baseDn: "" },
  ...{ serviceDn: "", servicePassword: "", groupFilter: "", ...LDAP_DEFAULTS },
};

/** The directory with the members that are given. Throws NvrdError with all faults. */
export function directoryOf(
  input: DirectoryInput,
  before: DirectorySettings | undefined,
  at = "",
): DirectorySettings {
  const base = before ?? FIRST;
  const serviceDn = input.ServiceDn ?? base.serviceDn;
  const next: DirectorySettings = {
    isEnabled: input.IsEnabled ?? base.isEnabled,
    url: input.Url ?? base.url,
    startTls: input.StartTls ?? base.startTls,
    authority: input.Authority ?? base.authority,
    baseDn: input.BaseDn ?? base.baseDn,
    bindDnTemplate: (input.BindDn ?? base.bindDnTemplate) || FIRST.bindDnTemplate,
    serviceDn,
    servicePassword: serviceDn === "" ? "" : input.ServicePassword || base.servicePassword,
    userFilter: (input.UserFilter ?? base.userFilter) || FIRST.userFilter,
    groupAttribute: (input.GroupAttribute ?? base.groupAttribute) || FIRST.groupAttribute,
    groupFilter: input.GroupFilter ?? base.groupFilter,
    timeoutMs: input.TimeoutMs ?? base.timeoutMs,
  };
  check(next, { base, isPasswordGiven: Boolean(input.ServicePassword), at });
  return next;
}

function check(
  next: DirectorySettings,
  { base, isPasswordGiven, at }: { base: DirectorySettings; isPasswordGiven: boolean; at: string },
): void {
  const faults = new Faults();
  for (const [name, filter] of [
    ["UserFilter", next.userFilter],
    ["GroupFilter", next.groupFilter],
  ] as const)
    if (filter !== "" && !isLdapFilter(filter)) faults.add(`${at}${name}`, "accepted: a filter (RFC 4515)");
  if (next.url === "") faults.add(`${at}Url`, "is required where there is none yet", "CONFLICT");
  if (next.baseDn === "") faults.add(`${at}BaseDn`, "is required where there is none yet", "CONFLICT");
  const isForAnother = goesElsewhere(SECRET_PLACES.directory(base), SECRET_PLACES.directory(next));
  if (next.serviceDn !== "" && next.servicePassword === "")
    faults.add(`${at}ServicePassword`, "is required with ServiceDn", "CONFLICT");
  else if (next.serviceDn !== "" && !isPasswordGiven && isForAnother)
    faults.add(`${at}ServicePassword`, ENTER_AGAIN.directory, "CONFLICT");
  faults.throwIfAny();
}

export function describeDirectory(directory: DirectorySettings): object {
  return {
    IsEnabled: directory.isEnabled,
    Url: directory.url,
    StartTls: directory.startTls,
    Authority: directory.authority,
    BaseDn: directory.baseDn,
    BindDn: directory.bindDnTemplate,
    ServiceDn: directory.serviceDn,
    ServicePassword: null,
    UserFilter: directory.userFilter,
    GroupAttribute: directory.groupAttribute,
    GroupFilter: directory.groupFilter,
    TimeoutMs: directory.timeoutMs,
  };
}
