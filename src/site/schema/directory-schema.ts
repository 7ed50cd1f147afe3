import * as v from "valibot";
import { hasLdapLogin, isLdapAccount, isLdapAttribute, isLdapUrl } from "../../base/index.js";
import { certificates } from "../../contract/index.js";
import { flag, line, storedValue, whole } from "../../contract/reading/index.js";
import { SITE_LIMITS } from "../model/site-limits.js";

/** The schema of the directory of users, and of its values in the API. */

const NAME_LENGTH_MAX = SITE_LIMITS.directoryNameLengthMax;
const checked = (accepted: string, accept: (text: string) => boolean, pattern: string) =>
  v.pipe(
    line(NAME_LENGTH_MAX),
    v.check(accept, accepted),
    v.metadata({ jsonSchema: { pattern: `^${pattern}$` } }),
  );
/** The same, or empty. */
const checkedOrEmpty = (accepted: string, accept: (text: string) => boolean, pattern: string) =>
  checked(`${accepted}, or empty`, (text) => text === "" || accept(text), `(?:|${pattern})`);
/** The library reads it when the API takes it; a file that somebody edited is told of at a login. */
const isFilter = (text: string) => text.startsWith("(") && text.endsWith(")");

export const directoryUrl = v.pipe(
  line(SITE_LIMITS.directoryUrlLengthMax),
  v.check(
    isLdapUrl,
    "accepted: ldap://host or ldaps://host, with :port if it is not 389 or 636; a host name or an IPv4 address",
  ),
  v.metadata({ jsonSchema: { pattern: "^ldaps?://[a-z0-9]{1,63}(?::[1-9]\\d{0,3})?$" } }),
);
export const directoryBase = checked(
  "accepted: a distinguished name such as dc=example,dc=org",
  (text) => text.includes("="),
  "[a-z]{1,20}=[a-z0-9]{1,60}",
);
const BIND_NAME = [
  "accepted: a distinguished name or an address, with {login} or {user} in it",
  hasLdapLogin,
  "\\{(?:login|user)\\}(?:@[a-z]{1,20})?",
] as const;
const USER_FILTER = [
  "accepted: a filter (RFC 4515) in parentheses, with {login} or {user} in it",
  (text: string) => isFilter(text) && hasLdapLogin(text),
  "\\([a-z]{1,20}=\\{(?:login|user)\\}\\)",
] as const;
const ATTRIBUTE = [
  "accepted: a name of an attribute",
  (text: string) => isLdapAttribute(text) && text.length <= SITE_LIMITS.directoryAttributeLengthMax,
  "[A-Za-z][A-Za-z0-9-]{0,30}",
] as const;
/** What is usual where they are empty, the API knows. */
export const directoryBindName = checkedOrEmpty(...BIND_NAME);
export const directoryUserFilter = checkedOrEmpty(...USER_FILTER);
export const directoryAttribute = checkedOrEmpty(...ATTRIBUTE);
export const directoryAuthority = storedValue(certificates);
/** Empty: none. */
export const directoryService = checkedOrEmpty(
  "accepted: a distinguished name or an address",
  isLdapAccount,
  "[a-z]{1,20}=[a-z0-9]{1,60}",
);
export const directoryPassword = line(SITE_LIMITS.directoryPasswordLengthMax);
/** Empty: none. */
export const directoryGroupFilter = checkedOrEmpty(
  "accepted: a filter (RFC 4515) in parentheses, with {dn}, {login} or {user} in it",
  (text) => isFilter(text) && (hasLdapLogin(text) || text.includes("{dn}")),
  "\\([a-z]{1,20}=\\{(?:dn|login|user)\\}\\)",
);
export const directoryTimeoutMs = whole(SITE_LIMITS.directoryTimeoutMsMin, SITE_LIMITS.directoryTimeoutMsMax);

export const directory = v.strictObject({
  isEnabled: flag,
  url: directoryUrl,
  startTls: flag,
  authority: directoryAuthority,
  baseDn: directoryBase,
  bindDnTemplate: checked(...BIND_NAME),
  serviceDn: directoryService,
  servicePassword: directoryPassword,
  userFilter: checked(...USER_FILTER),
  groupAttribute: checked(...ATTRIBUTE),
  groupFilter: directoryGroupFilter,
  timeoutMs: directoryTimeoutMs,
});
