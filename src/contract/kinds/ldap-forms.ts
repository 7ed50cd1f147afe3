/** What texts of a directory's settings look like, in the settings file and in the configuration. */

/** A name or an IPv4 address: the library misreads IPv6 literals. */
const URL_PATTERN = /^ldaps?:\/\/[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::\d{1,5})?$/;
const PORT_MAX = 65_535;
export const LDAP_ATTRIBUTE_LENGTH_MAX = 64;

/** `ldap://host`, `ldaps://host`, with a port or without. */
export function isLdapUrl(text: string): boolean {
  return URL_PATTERN.test(text) && Number(/:(\d+)$/.exec(text)?.[1] ?? 0) <= PORT_MAX;
}

/** Whether a template names who logs in. */
export function hasLdapLogin(text: string): boolean {
  return /\{(?:login|user)\}/.test(text);
}

/** A distinguished name (RFC 4514), or the address of an account, as Active Directory takes it. */
export function isLdapAccount(text: string): boolean {
  return /[=@\\]/.test(text);
}

/** The name of an attribute (RFC 4512, 1.4). */
export function isLdapAttribute(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9-]*$/.test(text);
}
