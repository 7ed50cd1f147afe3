import { errorText } from "../base/index.js";

const TEXT_LENGTH_MAX = 200;

/** What goes wrong with brokers, by the code of the error, in words for the owner. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "it refuses the connection: no broker listens there",
  ECONNRESET: "it closed the connection",
  EPIPE: "it closed the connection",
  ETIMEDOUT: "it did not answer",
  EHOSTUNREACH: "its address cannot be reached",
  ENETUNREACH: "its address cannot be reached",
  ENOTFOUND: "its name is not known to the name server",
  EAI_AGAIN: "the name server does not answer",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not trusted: give the authority that signed it",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not trusted: give the authority that signed it",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not trusted: give the authority that signed it",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is not trusted: give the authority that signed it",
  CERT_SIGNATURE_FAILURE: "its certificate is not trusted: it is not of the authority that is set",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name than the one in its address",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet: see the recorder's clock",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS on this port",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    "it asks for a client certificate: see mqttCertificateFile of the settings file",
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA:
    "it does not trust the client certificate (mqttCertificateFile of the settings file)",
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE:
    "it refuses the TLS handshake: it may want a client certificate (mqttCertificateFile of the settings file)",
};

/** Answers to CONNECT (MQTT 3.1.1, 3.2.2.3). */
const REFUSALS: Readonly<Record<number, string>> = {
  1: "it does not speak MQTT 3.1.1",
  2: "it refuses the client's name",
  3: "it is not available",
  4: "it refuses the login or its password",
  5: "it does not allow the connection with this login",
};

/** Why a broker cannot be used, in one sentence without an end; it never holds a password. */
export function brokerProblem(error: unknown): string {
  if (error === undefined) return "it closed the connection";
  const code = codeOf(error);
  const known = typeof code === "number" ? REFUSALS[code] : PROBLEMS[code ?? ""];
  if (known !== undefined) return known;
  return errorText(error)
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, TEXT_LENGTH_MAX);
}

function codeOf(error: unknown): string | number | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" || typeof error.code === "number" ? error.code : undefined;
}
