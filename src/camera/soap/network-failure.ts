import { CameraFailure } from "../description/camera-failure.js";

const NO_ROUTE = new Set([
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "ETIMEDOUT",
  "EADDRNOTAVAIL",
]);
const CONNECTION_CLOSED = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED"]);

/** Error code of the operating system, Node or OpenSSL; empty if none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Nothing listens on the port: another one may be tried. */
export function isPortClosed(error: unknown): boolean {
  return error instanceof CameraFailure && errorCode(error.cause) === "ECONNREFUSED";
}

/** The CameraFailure for a connection error; `place` is `host:port`. */
export function networkFailure(error: Error, place: string): CameraFailure {
  if (error instanceof CameraFailure) return error;
  const code = errorCode(error);
  const cause = { cause: error };
  if (code === "ECONNREFUSED") {
    const message = `${place} refuses the connection: check the port; the camera may still be starting`;
    return new CameraFailure("unreachable", message, cause);
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    const message = `the name of ${place} is unknown: check the address and the DNS server`;
    return new CameraFailure("unreachable", message, cause);
  }
  if (NO_ROUTE.has(code)) {
    return new CameraFailure(
      "unreachable",
      `${place} cannot be reached: check power, cable and address`,
      cause,
    );
  }
  if (CONNECTION_CLOSED.has(code))
    return new CameraFailure("interrupted", `${place} reset the connection`, cause);
  if (code.startsWith("HPE_")) {
    return new CameraFailure("not-onvif", `${place} does not speak HTTP: check the port`, cause);
  }
  if (/^(ERR_SSL|ERR_TLS|EPROTO|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO)/.test(code)) {
    const message = `the secure connection to ${place} failed (${code}): check the camera's HTTPS and certificate`;
    return new CameraFailure("insecure", message, cause);
  }
  const shown = code === "" ? "" : ` (${code})`;
  return new CameraFailure("unreachable", `the connection to ${place} failed${shown}`, cause);
}
