import {
  choice,
  decimal,
  flag,
  group,
  integer,
  listOf,
  meaning,
  named,
  nullable,
  text,
  time,
  type ValueOf,
} from "../../kinds/kinds.js";

/** The certificate of HTTPS, and the authority that is asked for it: `/api/system/certificate`. */

export const certificateFacts = group({
  Subject: text,
  Issuer: text,
  Names: meaning("Names and addresses that it is for.", listOf(text)),
  ValidFrom: time,
  ValidTo: time,
  Fingerprint: meaning("SHA-256, as browsers show it.", text),
  IsSelfSigned: meaning("It is signed by itself, so that browsers do not trust it.", flag),
});
export type CertificateObject = ValueOf<typeof certificateFacts>;

export const certificateState = group({
  HttpsPort: meaning("0: HTTPS is off.", integer),
  Certificate: nullable(certificateFacts),
  Authority: meaning(
    "The recorder's own authority, while it signs the certificate: browsers trust it on devices where the authority is installed.",
    nullable(certificateFacts),
  ),
  CanChange: flag,
  Reason: meaning("Why it cannot be replaced here.", nullable(text)),
});
export type CertificateState = ValueOf<typeof certificateState>;

/** What keeps the recorder from getting a certificate, for who sets it up. */
export const ACME_PROBLEMS = [
  /** The recorder's own clock is not known to be right. */
  "ClockUnknown",
  /** The recorder has no port for plain HTTP (setting `httpPort`). */
  "HttpOff",
  /** The name of the authority's server has no address. */
  "ServerUnknown",
  /** Nothing answers at the authority's address, or it breaks off. */
  "ServerUnreachable",
  "ServerTooSlow",
  /** Nobody whom the recorder trusts has signed the certificate of the authority's server, or it is for another name. */
  "ServerUntrusted",
  /** It answers what ACME does not know: no directory, too much, an address elsewhere. */
  "ServerFaulty",
  /** It says that it cannot at present. */
  "ServerBusy",
  /** It has given enough for now; `untilUs` says until when. */
  "RateLimited",
  /** Its terms have changed, or were not agreed to. */
  "TermsChanged",
  /** It wants an account that its owner has with it already. */
  "AccountNeeded",
  /** It refuses the account, or the key that belongs to it. */
  "AccountRefused",
  "EmailRefused",
  /** It gives no certificates for such a name. */
  "NameRefused",
  /** A CAA record in DNS gives the name to other authorities. */
  "CaaForbids",
  /** The name has no address in DNS. */
  "NameUnknown",
  /** Nothing answers at port 80 of the name's address. */
  "NotReached",
  /** Something else answers there. */
  "OtherAnswers",
  /** It cannot look by http-01. */
  "NoChallenge",
  /** What it gave is no certificate for these names and this key, or its chain does not fit. */
  "CertificateUnfit",
  /** The recorder's own disk. */
  "CannotKeep",
  /** Anything else; the text says what. */
  "Other",
] as const;
export type AcmeProblem = (typeof ACME_PROBLEMS)[number];

export const acmeState = group({
  CanChange: flag,
  Settings: meaning(
    "Null: no authority is asked.",
    nullable(
      group({
        Names: listOf(text),
        DirectoryUrl: text,
        Email: nullable(text),
        Authority: nullable(text),
        KeyId: nullable(text),
        HasHmacKey: flag,
      }),
    ),
  ),
  IsWorking: meaning("A certificate is being asked for, as the task `ObtainCertificate`.", flag),
  Progress: meaning("Null while nothing is being asked for.", nullable(decimal(0, 1))),
  Certificate: meaning("The certificate of HTTPS, while it is the authority's.", nullable(certificateFacts)),
  ObtainedTime: nullable(time),
  NextTime: meaning(
    "When it is renewed, or tried again; null while the recorder does not know the time, or asks none.",
    nullable(time),
  ),
  Failure: meaning(
    "Why the last try failed; null after one that did not.",
    nullable(
      group({
        Problem: choice(...ACME_PROBLEMS),
        Title: meaning("What is wrong, in an installer's words.", text),
        Remedy: meaning("What to do.", text),
        Reason: meaning("The same for programmers, as the authority says it.", text),
        Time: meaning("When it was tried.", time),
        Until: meaning("Before this the authority gives none (`RateLimited`).", nullable(time)),
      }),
    ),
  ),
  HttpPort: meaning(
    "Port 80 of the names has to lead to this port of the recorder; 0: it has none.",
    integer,
  ),
});
export type AcmeAnswer = ValueOf<typeof acmeState>;

/** What the task `TryAcme` found. */
export const acmeFindings = named(
  "TryAcmeResult",
  group({
    TermsUrl: meaning(
      "The authority's terms of use; null where it has none, or does not answer.",
      nullable(text),
    ),
    Checks: meaning(
      "What was looked at so far: `Clock`: whether the recorder knows the time. `Http`: whether it answers plain HTTP. `Authority`: whether its server answers. `Name`: whether `Name` leads to this recorder at port 80, as far as can be seen from here.",
      listOf(
        group({
          What: choice("Clock", "Http", "Authority", "Name"),
          Name: text,
          Problem: meaning("Null: it is well.", nullable(choice(...ACME_PROBLEMS))),
          Title: nullable(text),
          Remedy: meaning("What to do.", nullable(text)),
          Reason: meaning("The same for programmers.", nullable(text)),
        }),
      ),
    ),
  }),
);
export type AcmeFindingsObject = ValueOf<typeof acmeFindings>;
