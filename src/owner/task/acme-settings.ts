import * as v from "valibot";
import { ACME_LIMITS, type AcmeSettings, type ExternalAccount, LETS_ENCRYPT_URL } from "../../acme/index.js";
import { NvrdError } from "../../base/index.js";
import { certificates, HOST_NAME, IPV4 } from "../../contract/index.js";
import { readerOfValue } from "../../contract/reading/index.js";
import { given, type JsonSchema, members, schemaOfBody, withNotes } from "../../route/index.js";

/** The labels of a name (RFC 1123, 2.1); the last is no number, or it would be an address. */
const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const LAST_LABEL = "[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const NAME = new RegExp(`^(?:${LABEL}\\.)*${LAST_LABEL}$`);
/** 1 to 65535. */
const PORT = "(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])";
const DIRECTORY_URL = new RegExp(`^https://(?:${HOST_NAME}|${IPV4})(?::${PORT})?(?:/[!"$->@-~]*)?$`);
const EMAIL = /^[^\s@<>,;:"()[\]\\?&%#]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,180}[A-Za-z0-9])?$/;
const KEY_ID = /^[\x21-\x7e]*$/;
const HMAC_KEY = /^[\w-]*$/;

const text = (lengthMax: number, pattern: RegExp, accepted: string) =>
  v.pipe(
    v.string(`accepted: ${accepted}`),
    v.maxLength(lengthMax, `accepted: at most ${lengthMax} characters`),
    v.regex(pattern, `accepted: ${accepted}`),
  );

const ENTRIES = {
  Names: v.pipe(
    v.array(
      text(ACME_LIMITS.nameLengthMax, NAME, "a host name, such as nvr.example.org, without * and addresses"),
      "accepted: a list of host names",
    ),
    v.minLength(1, "accepted: at least one host name"),
    v.maxLength(ACME_LIMITS.namesMax, `accepted: at most ${ACME_LIMITS.namesMax} host names`),
  ),
  DirectoryUrl: given(text(ACME_LIMITS.urlLengthMax, DIRECTORY_URL, "an https:// address without a query")),
  Email: given(text(ACME_LIMITS.emailLengthMax, EMAIL, "an e-mail address")),
  Authority: given(readerOfValue(certificates)),
  KeyId: given(text(ACME_LIMITS.keyIdLengthMax, KEY_ID, "letters, digits and signs of ASCII")),
  HmacKey: given(text(ACME_LIMITS.hmacKeyLengthMax, HMAC_KEY, "a key in base64url")),
};
const NOTES = {
  Names: "Names of hosts that lead to this recorder.",
  DirectoryUrl: `Where the authority's directory is; when left out: \`${LETS_ENCRYPT_URL}\`.`,
  Email: "Where the authority writes to; none when left out.",
  Authority:
    "PEM: certificates of the only authorities that are trusted for the connection to its server; the usual ones when left out or empty.",
  KeyId: "Of an account that you have with the authority already (external account binding).",
  HmacKey: {
    description:
      "The secret that belongs to `KeyId`. It is not shown again; left out, it stays as long as `DirectoryUrl` and `KeyId` do.",
    writeOnly: true,
  },
};

const settingsBody = members(ENTRIES);
export type AcmeSettingsInput = v.InferOutput<typeof settingsBody>;

/** The members of a body with settings of ACME, and more of its own. */
export function acmeBody<const T extends v.ObjectEntries>(more: T) {
  return members({ ...ENTRIES, ...more });
}

export function acmeBodySchema(
  body: v.GenericSchema,
  notes: Readonly<Record<string, string | object>>,
): JsonSchema {
  return withNotes(schemaOfBody(body), { ...NOTES, ...notes });
}

/** Throws NvrdError CONFLICT for half of an account. `before`: what is set, whose secret may be meant. */
export function acmeSettingsOf(input: AcmeSettingsInput, before: AcmeSettings | undefined): AcmeSettings {
  const { Names, DirectoryUrl, Email, Authority, KeyId, HmacKey } = input;
  const directoryUrl = DirectoryUrl ?? LETS_ENCRYPT_URL;
  return {
    directoryUrl,
    names: [...new Set(Names.map((name) => name.toLowerCase()))],
    email: Email ?? undefined,
    trust: filled(Authority),
    account: accountOf(
      filled(KeyId),
      filled(HmacKey),
      before?.directoryUrl === directoryUrl ? before : undefined,
    ),
  };
}

function accountOf(
  keyId: string | undefined,
  hmacKey: string | undefined,
  before: AcmeSettings | undefined,
): ExternalAccount | undefined {
  if (keyId === undefined && hmacKey === undefined) return undefined;
  const same = before?.account?.keyId === keyId ? before?.account : undefined;
  if (keyId !== undefined && hmacKey !== undefined) return { keyId, hmacKey };
  if (keyId !== undefined && same !== undefined) return same;
  throw new NvrdError("CONFLICT", "KeyId and HmacKey belong together, and one is missing", { hint: "" });
}

function filled(value: string | null | undefined): string | undefined {
  return value === null || value === undefined || value.trim() === "" ? undefined : value;
}
