import {
  atMost,
  by,
  flag,
  group,
  type Line,
  line,
  NAME_LENGTH_MAX,
  needed,
  type Plain,
  plain,
  secret,
  storedAs,
  type TextRule,
  unsaid,
  usualIfEmpty,
  whole,
} from "../kinds/kinds.js";
import {
  hasLdapLogin,
  isLdapAccount,
  isLdapAttribute,
  isLdapUrl,
  LDAP_ATTRIBUTE_LENGTH_MAX,
} from "../kinds/ldap-forms.js";
import { certificates, orEmptyRule } from "../kinds/rules.js";
import type { TextsOf } from "../kinds/texts.js";
import { PASSWORD_LENGTH_MAX } from "./user.js";

/** The directory of users (LDAP): `/api/system/directory`, and the settings of the process. */

const URL_LENGTH_MAX = 280;
/** Of a distinguished name, or a filter. */
const DN_LENGTH_MAX = 1024;

const checked = (accepted: string, check: (text: string) => boolean, said: string): TextRule => ({
  ...{ accepted, check },
  said: `^${said}$`,
});
const named = (rule: TextRule): Line => line(DN_LENGTH_MAX, rule);
/** The library reads it when the API takes it; the fault of a file that somebody edited is reported at a login. */
const isFilter = (text: string): boolean => text.startsWith("(") && text.endsWith(")");

export const directory = {
  /** False: there are no directory users, whatever the settings file says. */
  IsEnabled: by(flag, true),
  Url: needed(
    line(
      URL_LENGTH_MAX,
      checked(
        "ldap://host or ldaps://host, with :port if it is not 389 or 636; a host name or an IPv4 address",
        isLdapUrl,
        "ldaps?://[a-z0-9]{1,63}(?::[1-9]\\d{0,3})?",
      ),
    ),
  ),
  StartTls: by(flag, true),
  Authority: unsaid(certificates, ""),
  /** The entry below which users and groups are searched. */
  BaseDn: needed(
    named(
      checked(
        "a distinguished name such as dc=example,dc=org",
        (text) => text.includes("="),
        "[a-z]{1,20}=[a-z0-9]{1,60}",
      ),
    ),
  ),
  /** The name to bind a user with, with `{login}`, `{user}`, `{domain}`; not used with a service account. */
  BindDn: storedAs(
    "bindDnTemplate",
    usualIfEmpty(
      named(
        checked(
          "a distinguished name or an address, with {login} or {user} in it",
          hasLdapLogin,
          "\\{(?:login|user)\\}(?:@[a-z]{1,20})?",
        ),
      ),
      "{login}",
    ),
  ),
  /** An account that may search for users; empty: none. */
  ServiceDn: by(
    named(
      orEmptyRule(checked("a distinguished name or an address", isLdapAccount, "[a-z]{1,20}=[a-z0-9]{1,60}")),
    ),
    "",
  ),
  ServicePassword: secret(by(line(PASSWORD_LENGTH_MAX), "")),
  UserFilter: usualIfEmpty(
    named(
      checked(
        "a filter (RFC 4515) in parentheses, with {login} or {user} in it",
        (text) => isFilter(text) && hasLdapLogin(text),
        "\\([a-z]{1,20}=\\{(?:login|user)\\}\\)",
      ),
    ),
    "(|(userPrincipalName={login})(uid={user}))",
  ),
  /** The attribute of a user's entry that names its groups. */
  GroupAttribute: usualIfEmpty(
    named(
      checked(
        "a name of an attribute",
        (text) => isLdapAttribute(text) && text.length <= LDAP_ATTRIBUTE_LENGTH_MAX,
        "[A-Za-z][A-Za-z0-9-]{0,30}",
      ),
    ),
    "memberOf",
  ),
  /** Finds the groups of a user that no attribute names; empty: none. */
  GroupFilter: by(
    named(
      orEmptyRule(
        checked(
          "a filter (RFC 4515) in parentheses, with {dn}, {login} or {user} in it",
          (text) => isFilter(text) && (hasLdapLogin(text) || text.includes("{dn}")),
          "\\([a-z]{1,20}=\\{(?:dn|login|user)\\}\\)",
        ),
      ),
    ),
    "",
  ),
  /** Of one login. */
  TimeoutMs: by(whole(100, 10_000), 3000),
} as const;

export const directoryTexts: TextsOf<typeof directory> = {
  IsEnabled: "False: there are no directory users, whatever the settings file says.",
  Url: "Required where there is none yet: `ldap://host` or `ldaps://host`, with a port if it is not 389 or 636; a host name or an IPv4 address.",
  StartTls: "For `ldap://`: encrypted by StartTLS. False: passwords go unencrypted.",
  Authority: "Certificates (PEM) of the only authorities that are trusted. Empty: the usual ones.",
  BaseDn: "Required where there is none yet: the entry below which users and groups are searched.",
  BindDn: `The name to bind a user with, without \`ServiceDn\`: with \`{login}\` or \`{user}\`, also \`{domain}\`. Empty: \`${directory.BindDn.default}\`.`,
  ServiceDn:
    "An account that may search for users: each is searched, and the entry found is bound. Empty: none.",
  ServicePassword:
    "Its password. Null in answers. Null, absent or empty: unchanged, which is refused with 409 where `Url`, `StartTls`, `Authority` or `ServiceDn` becomes another one.",
  UserFilter: `Finds the entry of a user. Empty: \`${directory.UserFilter.default}\`.`,
  GroupAttribute: `The attribute of a user's entry that names its groups. Empty: \`${directory.GroupAttribute.default}\`.`,
  GroupFilter:
    "Finds the groups of a user in addition: `(&(objectClass=groupOfNames)(member={dn}))`. Empty: none.",
  TimeoutMs: "Milliseconds that a login waits for it.",
};

const filled = (lengthMax: number): Plain =>
  plain("a text", { lengthMin: 1, accepted: "a text" }, atMost(lengthMax));

/** The body that tries a login; `Settings`: at a directory that is not set yet. */
export const directoryTrialBody = group(
  {
    Login: filled(NAME_LENGTH_MAX),
    Password: filled(PASSWORD_LENGTH_MAX),
    Settings: group(directory),
  },
  "Login",
  "Password",
);
