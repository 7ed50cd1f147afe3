import { isLdapFilter, type LdapSettings } from "../access/index.js";
import {
  directory,
  hasLdapLogin,
  isLdapAccount,
  isLdapAttribute,
  isLdapUrl,
  LDAP_ATTRIBUTE_LENGTH_MAX,
} from "../contract/index.js";
import { define } from "./definition.js";
import { filePath, oneOf, textWhere, wholeNumber } from "./values.js";

/** The settings of the LDAP directory for directory users. */

const { BaseDn, BindDn, GroupAttribute, TimeoutMs, Url, UserFilter } = directory;
const NAME_LENGTH_MAX = BaseDn.max;

const ldapUrl = textWhere(
  "ldap://host, ldaps://host, with :port if it is not 389 or 636; a host name or an IPv4 address",
  { lengthMax: Url.max, accept: isLdapUrl },
);
const baseDn = textWhere(`a distinguished name (RFC 4514), at most ${NAME_LENGTH_MAX} characters`, {
  lengthMax: NAME_LENGTH_MAX,
  accept: (text) => text.includes("="),
});
const serviceName = textWhere("a distinguished name, or an address for Active Directory", {
  lengthMax: NAME_LENGTH_MAX,
  accept: isLdapAccount,
});
const bindName = textWhere(
  "a distinguished name or an address, with {login} or {user} in it, also {domain}",
  { lengthMax: NAME_LENGTH_MAX, accept: hasLdapLogin },
);
const userFilter = textWhere(
  "a filter (RFC 4515) in parentheses, with {login} or {user} in it, also {domain}",
  { lengthMax: NAME_LENGTH_MAX, accept: (text) => hasLdapLogin(text) && isLdapFilter(text) },
);
const groupFilter = textWhere("a filter (RFC 4515) in parentheses, with {dn}, {login} or {user} in it", {
  lengthMax: NAME_LENGTH_MAX,
  accept: (text) => (hasLdapLogin(text) || text.includes("{dn}")) && isLdapFilter(text),
});
const attribute = textWhere("a name of an attribute", {
  lengthMax: LDAP_ATTRIBUTE_LENGTH_MAX,
  accept: isLdapAttribute,
});

export const LDAP_SETTING_DEFINITIONS = {
  ldapUrl: define<string | undefined>({
    kind: ldapUrl,
    fallback: undefined,
    fallbackText: "no directory users",
    description:
      "The LDAP directory for directory users. Needs `ldapBaseDn`. See the [guide](../guide/directory-users.md).",
  }),
  ldapTls: define({
    kind: oneOf(["starttls", "none"]),
    fallback: "starttls",
    description:
      "Encryption of `ldap://` connections: StartTLS, or unencrypted passwords. `ldaps://` always uses TLS.",
  }),
  ldapCaFile: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "the certificate authorities of Node.js",
    description:
      "Certificates that are accepted as issuers of the directory's certificate, PEM. Read again for each login.",
  }),
  ldapBaseDn: define<string | undefined>({
    kind: baseDn,
    fallback: undefined,
    fallbackText: "none; `ldapUrl` needs it",
    description: "The entry below which users and groups are searched.",
  }),
  ldapBindDn: define({
    kind: bindName,
    fallback: BindDn.default as string,
    description:
      "The name for binding a user if there is no service account: the login unchanged (Active Directory accepts " +
      "addresses), or a distinguished name such as `uid={user},ou=people,dc=example,dc=org`.",
  }),
  ldapServiceDn: define<string | undefined>({
    kind: serviceName,
    fallback: undefined,
    fallbackText: "none; users are bound by `ldapBindDn`",
    description:
      "An account that may search for users: each is searched with `ldapUserFilter`, and the entry found is bound.",
  }),
  ldapServicePasswordFile: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "none; required with `ldapServiceDn`",
    description: "File with the password of `ldapServiceDn`, one line. Read again for each login.",
  }),
  ldapUserFilter: define({
    kind: userFilter,
    fallback: UserFilter.default as string,
    description: "Filter that finds the entry of a user; it must match exactly one entry.",
  }),
  ldapGroupAttribute: define({
    kind: attribute,
    fallback: GroupAttribute.default as string,
    description: "The attribute of a user's entry that names its groups.",
  }),
  ldapGroupFilter: define<string | undefined>({
    kind: groupFilter,
    fallback: undefined,
    fallbackText: "none; only the groups in `ldapGroupAttribute`",
    description:
      "Filter that finds the groups of a user, in addition to those of `ldapGroupAttribute`: " +
      "`(&(objectClass=groupOfNames)(member={dn}))`, or with nested groups of Active Directory " +
      "`(member:1.2.840.113556.1.4.1941:={dn})`.",
  }),
  ldapTimeoutMs: define({
    kind: wholeNumber(TimeoutMs.min, TimeoutMs.max),
    fallback: TimeoutMs.default as number,
    unit: "ms",
    description: "Timeout of the directory for one login.",
  }),
} as const;

type LdapSettingName = keyof typeof LDAP_SETTING_DEFINITIONS;
type LdapValues = {
  readonly [N in LdapSettingName]: (typeof LDAP_SETTING_DEFINITIONS)[N]["fallback"];
};

/** Contradictions between the settings, as sentences; `has` returns whether a value was given. */
export function ldapProblems(has: (name: LdapSettingName) => boolean): string[] {
  const problems: string[] = [];
  const names = Object.keys(LDAP_SETTING_DEFINITIONS) as LdapSettingName[];
  const first = names.find((name) => name !== "ldapUrl" && has(name));
  if (!has("ldapUrl") && first !== undefined) problems.push(`${first}: requires ldapUrl, which is missing`);
  if (has("ldapUrl") && !has("ldapBaseDn")) problems.push("ldapUrl: needs ldapBaseDn");
  if (has("ldapServiceDn") !== has("ldapServicePasswordFile"))
    problems.push("ldapServiceDn, ldapServicePasswordFile: give both, or neither");
  return problems;
}

/** The directory's settings; undefined when there is none. */
export function ldapSettings(values: LdapValues): LdapSettings | undefined {
  const { ldapUrl: url, ldapBaseDn: base, ldapCaFile: caFile, ldapGroupFilter: filter } = values;
  if (url === undefined || base === undefined) return undefined;
  const { ldapServiceDn: serviceDn, ldapServicePasswordFile: passwordFile } = values;
  return {
    url,
    baseDn: base,
    startTls: values.ldapTls === "starttls",
    bindDnTemplate: values.ldapBindDn,
    userFilter: values.ldapUserFilter,
    groupAttribute: values.ldapGroupAttribute,
    timeoutMs: values.ldapTimeoutMs,
    ...(caFile === undefined ? {} : { caFile }),
    ...(filter === undefined ? {} : { groupFilter: filter }),
    ...(serviceDn === undefined || passwordFile === undefined
      ? {}
      : { service: { dn: serviceDn, passwordFile } }),
  };
}
