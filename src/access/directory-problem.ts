import { NvrdError } from "../base/index.js";
import { ldapLibrary } from "./ldap-library.js";

/** What keeps the recorder from asking a directory, for who sets it up. */
export const DIRECTORY_PROBLEMS = [
  /** Nothing answers at its address. */
  "Unreachable",
  /** Its name has no address. */
  "UnknownHost",
  "TooSlow",
  /** Nobody whom the recorder trusts has signed its certificate. */
  "CertificateUntrusted",
  "CertificateExpired",
  /** Its certificate is for another name. */
  "CertificateName",
  /** It cannot encrypt the connection (StartTLS), or not as the recorder wants. */
  "NoEncryption",
  /** It takes no password over a connection that is not encrypted. */
  "EncryptionRequired",
  /** It refuses the account that searches for users, or that account's password. */
  "ServiceRefused",
  /** The user or the account may not search. */
  "SearchRefused",
  /** There is no entry of the name below which users are searched. */
  "NoBase",
  /** A file of the settings, with certificates or a password, cannot be read. */
  "FileUnreadable",
  /** Anything else; the reason says what. */
  "Other",
] as const;
export type DirectoryProblem = (typeof DIRECTORY_PROBLEMS)[number];

/** A failure whose problem is known where it happens. */
export class DirectoryFailure extends NvrdError {
  readonly problem: DirectoryProblem;

  constructor(problem: DirectoryProblem, message: string) {
    super("NOT_AVAILABLE", message);
    this.problem = problem;
  }
}

const BY_CODE: Readonly<Record<string, DirectoryProblem>> = {
  ECONNREFUSED: "Unreachable",
  ECONNRESET: "Unreachable",
  EHOSTUNREACH: "Unreachable",
  ENETUNREACH: "Unreachable",
  EHOSTDOWN: "Unreachable",
  ENOTFOUND: "UnknownHost",
  EAI_AGAIN: "UnknownHost",
  ETIMEDOUT: "TooSlow",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "CertificateUntrusted",
  UNABLE_TO_GET_ISSUER_CERT: "CertificateUntrusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "CertificateUntrusted",
  SELF_SIGNED_CERT_IN_CHAIN: "CertificateUntrusted",
  DEPTH_ZERO_SELF_SIGNED_CERT: "CertificateUntrusted",
  CERT_SIGNATURE_FAILURE: "CertificateUntrusted",
  CERT_UNTRUSTED: "CertificateUntrusted",
  CERT_HAS_EXPIRED: "CertificateExpired",
  CERT_NOT_YET_VALID: "CertificateExpired",
  ERR_TLS_CERT_ALTNAME_INVALID: "CertificateName",
  ERR_SSL_WRONG_VERSION_NUMBER: "NoEncryption",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "NoEncryption",
  EPROTO: "NoEncryption",
  ENOENT: "FileUnreadable",
  EACCES: "FileUnreadable",
  EISDIR: "FileUnreadable",
};

/** Result codes of LDAP (RFC 4511, appendix A.2): strongerAuthRequired, confidentialityRequired, insufficientAccessRights. */
const BY_RESULT: Readonly<Record<number, DirectoryProblem>> = {
  8: "EncryptionRequired",
  13: "EncryptionRequired",
  50: "SearchRefused",
};

/** The problem behind a failure of the directory; causes count from the innermost one that is known. */
export function directoryProblem(error: unknown): DirectoryProblem {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth += 1) {
    if (cause instanceof DirectoryFailure) return cause.problem;
    // A server that speaks no TLS at this port closes the connection, as one that is down does.
    if (cause.message.includes("before secure TLS connection")) return "NoEncryption";
    const known = BY_CODE["code" in cause ? String(cause.code) : ""];
    if (known !== undefined) return known;
    const result = cause instanceof ldapLibrary().ResultCodeError ? cause.code : -1;
    const told = BY_RESULT[result];
    if (told !== undefined) return told;
    if (cause.message.includes("(StartTLS:") && innermost(cause) instanceof ldapLibrary().ResultCodeError)
      return "NoEncryption";
  }
  return "Other";
}

function innermost(error: Error): unknown {
  let inner: unknown = error;
  for (let depth = 0; inner instanceof Error && inner.cause !== undefined && depth < 8; depth += 1)
    inner = inner.cause;
  return inner;
}
