import { HOST_NAME, IPV4 } from "../kinds/host-patterns.js";
import { atMost, type Flag, flag, group, list, plain, unsaid, writeOnly } from "../kinds/kinds.js";
import { certificates } from "../kinds/rules.js";
import type { TextsOf } from "../kinds/texts.js";

/** A certificate of HTTPS that is put in, and the authority that is asked for one (ACME): `/api/system/certificate`. */

const pem = plain("a text in PEM", { lengthMin: 1, accepted: "a text in PEM" }, atMost(100_000));

export const certificateInput = group({ Certificate: pem, Key: writeOnly(pem) }, "Certificate", "Key");

export const certificateInputTexts: TextsOf<typeof certificateInput.members> = {
  Certificate: "PEM: the certificate of this recorder, then those that sign it.",
  Key: "PEM, without a password. It is not shown again.",
};

/** The directory of Let's Encrypt. */
export const LETS_ENCRYPT_URL = "https://acme-v02.api.letsencrypt.org/directory";

/** The labels of a name (RFC 1123, 2.1); the last is no number, or it would be an address. */
const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const LAST_LABEL = "[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
/** 1 to 65535. */
const PORT = "(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])";

const text = (lengthMax: number, pattern: RegExp, accepted: string) =>
  plain(accepted, atMost(lengthMax), { pattern, accepted });

/** Where certificates are asked for, and for which names. */
export const acme = {
  Names: {
    ...list(
      text(
        253,
        new RegExp(`^(?:${LABEL}\\.)*${LAST_LABEL}$`),
        "a host name, such as nvr.example.org, without * and addresses",
      ),
      16,
      "host names",
    ),
    accepted: "a list of host names",
    min: { count: 1, accepted: "at least one host name" },
  },
  /** Of the authority's directory (RFC 8555, 7.1.1). */
  DirectoryUrl: unsaid(
    text(
      300,
      new RegExp(`^https://(?:${HOST_NAME}|${IPV4})(?::${PORT})?(?:/[!"$->@-~]*)?$`),
      "an https:// address without a query",
    ),
    LETS_ENCRYPT_URL,
  ),
  Email: text(
    254,
    /^[^\s@<>,;:"()[\]\\?&%#]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,180}[A-Za-z0-9])?$/,
    "an e-mail address",
  ),
  Authority: certificates,
  /** Of an account that its owner has with the authority already (RFC 8555, 7.3.4). */
  KeyId: text(256, /^[\x21-\x7e]*$/, "letters, digits and signs of ASCII"),
  HmacKey: writeOnly(text(1024, /^[\w-]*$/, "a key in base64url")),
} as const;

export const acmeTexts: TextsOf<typeof acme> = {
  Names: "Names of hosts that lead to this recorder.",
  DirectoryUrl: `Where the authority's directory is; when left out: \`${LETS_ENCRYPT_URL}\`.`,
  Email: "Where the authority writes to; none when left out.",
  Authority:
    "PEM: certificates of the only authorities that are trusted for the connection to its server; the usual ones when left out or empty.",
  KeyId: "Of an account that you have with the authority already (external account binding).",
  HmacKey:
    "The secret that belongs to `KeyId`. It is not shown again; left out, it stays as long as `DirectoryUrl` and `KeyId` do.",
};

const agreed: Flag = {
  ...flag,
  only: { value: true, accepted: "true, once you have read the authority's terms" },
};

/** The body that has certificates asked for. */
export const acmeInput = group({ ...acme, TermsAgreed: agreed }, "Names", "TermsAgreed");

export const acmeInputTexts: TextsOf<typeof acmeInput.members> = {
  ...acmeTexts,
  TermsAgreed: "You have read the authority's terms of use (`TermsUrl` of `TryAcme`) and agree to them.",
};
