import { define } from "./definition.js";
import { filePath, textWhere } from "./values.js";

/** The settings of the login at another place: OpenID Connect. */

const ADDRESS_LENGTH_MAX = 512;
const TEXT_LENGTH_MAX = 256;
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** Without HTTPS who listens on the way could log in as anybody. */
function isPlace(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isSafe = protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
  return isSafe && username === "" && password === "" && search === "" && hash === "";
}

const claim = textWhere("the name of a claim", {
  lengthMax: TEXT_LENGTH_MAX,
  accept: (text) => /^[\x21-\x7e]+$/.test(text),
});

export const OIDC_SETTING_DEFINITIONS = {
  oidcIssuer: define<string | undefined>({
    kind: textWhere("https://host or https://host/path, as the provider names itself; no login", {
      lengthMax: ADDRESS_LENGTH_MAX,
      accept: isPlace,
    }),
    fallback: undefined,
    fallbackText: "none: users log in with a name and a password",
    description:
      "The provider (OpenID Connect) at which users may log in, besides the form. Needs `oidcClientId` and `oidcAddress`. See the [guide](../guide/single-sign-on.md).",
  }),
  oidcClientId: define<string | undefined>({
    kind: textWhere("the name of a client", {
      lengthMax: TEXT_LENGTH_MAX,
      accept: (text) => /^[\x20-\x7e]+$/.test(text),
    }),
    fallback: undefined,
    fallbackText: "none; required with `oidcIssuer`",
    description: "What this server is called at the provider.",
  }),
  oidcClientSecretFile: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText:
      "none; under systemd the credential `nvrd.oidc-client-secret`: a client without a secret (PKCE alone)",
    description: "File with the secret of `oidcClientId`, one line. Read at the start.",
  }),
  oidcAddress: define<string | undefined>({
    kind: textWhere("https://host, with :port and path if there are any; no login", {
      lengthMax: ADDRESS_LENGTH_MAX,
      accept: isPlace,
    }),
    fallback: undefined,
    fallbackText: "none; required with `oidcIssuer`",
    description:
      "The address of this server's page, as browsers have it. The provider has to allow `/api/session/oidc/return` below it as the address to return to.",
  }),
  oidcScopes: define({
    kind: textWhere("scopes with blanks between them, openid among them", {
      lengthMax: TEXT_LENGTH_MAX,
      accept: (text) =>
        /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text) &&
        text.split(" ").includes("openid"),
    }),
    fallback: "openid profile",
    description:
      "What is asked of the provider. Some tell the groups of a user only where a scope `groups` is asked for.",
  }),
  oidcNameClaim: define({
    kind: claim,
    fallback: "preferred_username",
    description: "What the provider tells of a user that is shown as the user's name.",
  }),
  oidcGroupClaim: define({
    kind: claim,
    fallback: "groups",
    description:
      "What the provider tells of a user that has the user's groups: a list of names, or one. A user gets the rights of the first group here that names one of them among its directory groups; whose groups are named by none is refused.",
  }),
  oidcLabel: define<string | undefined>({
    kind: textWhere("a line of text", {
      lengthMax: 64,
      accept: (text) => text.trim() !== "" && !/\p{Cc}/u.test(text),
    }),
    fallback: undefined,
    fallbackText: "the host of `oidcIssuer`",
    description: "What the button of the login says behind *Log in with*.",
  }),
  oidcCaFile: define<string | undefined>({
    kind: filePath,
    fallback: undefined,
    fallbackText: "the certificate authorities of Node.js",
    description:
      "Certificates that are accepted as issuers of the provider's certificate, PEM. Read at the start.",
  }),
} as const;

export const OIDC_PATH_SETTINGS = ["oidcClientSecretFile", "oidcCaFile"] as const;

type OidcSettingName = keyof typeof OIDC_SETTING_DEFINITIONS;

type OidcValues = { readonly [N in OidcSettingName]: (typeof OIDC_SETTING_DEFINITIONS)[N]["fallback"] };

/** The provider's settings but what is in files; undefined when there is none. */
export function oidcSettings(values: OidcValues) {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcAddress: address } = values;
  if (issuer === undefined || clientId === undefined || address === undefined) return undefined;
  return {
    ...{ issuer, clientId, address, scopes: values.oidcScopes },
    ...{ nameClaim: values.oidcNameClaim, groupClaim: values.oidcGroupClaim },
    label: values.oidcLabel ?? new URL(issuer).host,
  };
}

/** Contradictions between the settings, as sentences; `given` returns what was given. */
export function oidcProblems(given: (name: OidcSettingName) => unknown): string[] {
  const has = (name: OidcSettingName): boolean => given(name) !== undefined;
  const names = Object.keys(OIDC_SETTING_DEFINITIONS) as OidcSettingName[];
  const first = names.find((name) => name !== "oidcIssuer" && has(name));
  if (!has("oidcIssuer"))
    return first === undefined ? [] : [`${first}: requires oidcIssuer, which is missing`];
  const problems = (["oidcClientId", "oidcAddress"] as const)
    .filter((name) => !has(name))
    .map((name) => `${name}: required with oidcIssuer`);
  if (has("oidcCaFile") && !String(given("oidcIssuer")).toLowerCase().startsWith("https:"))
    problems.push("oidcCaFile: needs oidcIssuer with https://");
  return problems;
}
