import { NotAFile, NvrdError } from "../../base/index.js";
import type { DirectoryProblem } from "../../contract/answer/index.js";
import { ldapLibrary } from "./ldap-library.js";

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
    if (cause instanceof NotAFile) return "FileUnreadable";
    // A server that speaks no TLS at this port closes the connection, as one that is down does.
    if (cause.message.includes("before secure TLS connection")) return "NoEncryption";
    const known = BY_CODE["code" in cause ? String(cause.code) : ""];
    if (known !== undefined) return known;
    const result = cause instanceof ldapLibrary().ResultCodeError ? cause.code : -1;
    const byResult = BY_RESULT[result];
    if (byResult !== undefined) return byResult;
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
