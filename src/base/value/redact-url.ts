/** What stands in place of a secret. */
export const MASK = "***";

/** Names whose values let somebody in, as cameras spell them: `user=admin_password=…`, `?loginuse=…&loginpas=…`. */
const LOGIN_NAME = "(?:log(?:in)?_?(?:use|user|name)?|user(?:_?name|_?id)?|usr|uid|u|account|acc)";
const PASSWORD_NAME =
  "(?:(?:log(?:in)?|usr|user)?_?(?:pas|pass|password|passwd|passwort|passphrase|passcode|pwd|psw|pswd|psd|pword|pw)" +
  "|p|auth|authbasic|authkey|auth_?token|access_?token|token|secret|(?:api)?_?key|sign(?:ature)?|sid|session(?:_?id)?)";
const EQUALS = "(?:=|%3d)";
const NAME_BEGINS = "(?<![a-z0-9])";

/** A pair in a path. Its value ends at the next pair behind a `_`, or with its segment. */
const PATH_PAIR = new RegExp(
  `${NAME_BEGINS}((?:${LOGIN_NAME}|${PASSWORD_NAME})${EQUALS})(?:[^&;]*?(?=_[a-z]+${EQUALS})|[^&;/]*)`,
  "gi",
);
/** A pair in a query. */
const QUERY_PAIR = new RegExp(
  `${NAME_BEGINS}((?:${LOGIN_NAME}|${PASSWORD_NAME})${EQUALS})(?:[^&]*?(?=_[a-z]+${EQUALS})|[^&]*)`,
  "gi",
);
/** `/admin:12345/`: a segment of a path that is login and password. */
const PATH_LOGIN = /(?<=\/)[^/:]+(?::|%3a)[^/]+/gi;
/** `?admin:12345&`: the same as a parameter. */
const QUERY_LOGIN = /(?<=[?&])[^=&:]+:[^=&]*(?=&|$)/g;
/** A login in front of a host, in an address within an address as well. */
const USER_INFO = /(:\/\/)[^/?#\s]*@/g;

/**
 * An address as it may be shown: without user and password, and with the values of credentials in path and query
 * masked. Cameras have many schemes for these; where in doubt, more is masked.
 */
export function redactUrl(url: string): string {
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(url) ?? [];
  const withoutUser = scheme === "" ? rest : withoutUserInfo(rest);
  const [, authority = "", path = "", query = "", fragment = ""] =
    /^([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(withoutUser) ?? [];
  // Without a scheme it may be any text: only what names a credential is one.
  const bare = scheme === "" ? path : path.replace(/^.*@/s, `/${MASK}@`).replace(PATH_LOGIN, MASK);
  const shownPath = (scheme === "" ? authority + bare : bare).replace(PATH_PAIR, `$1${MASK}`);
  const shownQuery = query.replace(QUERY_LOGIN, MASK).replace(QUERY_PAIR, `$1${MASK}`);
  const shown = (scheme === "" ? "" : authority) + shownPath + shownQuery.replace(USER_INFO, "$1");
  return scheme + shown + (fragment.length > 1 ? `#${MASK}` : fragment);
}

/** A password with a raw `/`, `?` or `#` ends the authority early: then what stands before the `@` names no host. */
function withoutUserInfo(rest: string): string {
  const plain = rest.replace(/^[^/?#]*@/, "");
  const at = plain.lastIndexOf("@");
  if (plain !== rest || at < 0) return plain;
  const authority = /^[^/?#]*/.exec(plain)?.[0] ?? "";
  return /^(?:\[[^\]]*\]|[^:]*\.[^:]*)(?::\d+)?$|^[^:]+$/.test(authority) ? plain : plain.slice(at + 1);
}

const URL_IN_TEXT = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>\\]+/gi;
const PASSWORD_IN_TEXT = new RegExp(
  `${NAME_BEGINS}(${PASSWORD_NAME}${EQUALS})(?!${EQUALS})[^\\s"'<>\\\\&;,/)]+`,
  "gi",
);

/** A text as it may be shown: each address in it as `redactUrl` shows it, and values of passwords masked. */
export function redactText(text: string): string {
  const hasPair = text.includes("=") || /%3d/i.test(text);
  if (!hasPair && !text.includes("://")) return text;
  const shown = text.includes("://") ? text.replace(URL_IN_TEXT, redactUrl) : text;
  return hasPair ? shown.replace(PASSWORD_IN_TEXT, `$1${MASK}`) : shown;
}
