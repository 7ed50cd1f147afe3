import { CameraFailure } from "../description/camera-failure.js";

const NO_ROUTE = new Set([
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "ETIMEDOUT",
  "EADDRNOTAVAIL",
]);
const BROKEN_OFF = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED"]);

/** Code of the operating system, Node or OpenSSL; empty when there is none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Nothing listens on the port: worth trying another one. */
export function isPortClosed(error: unknown): boolean {
  return error instanceof CameraFailure && errorCode(error.cause) === "ECONNREFUSED";
}

/** An error of a connection to `place`, in words. */
export function networkFailure(error: Error, place: string): CameraFailure {
  const code = errorCode(error);
  const cause = { cause: error };
  if (code === "ECONNREFUSED") {
    const message = `${place} refuses the connection: check the port, or the camera is starting`;
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
  if (BROKEN_OFF.has(code)) return new CameraFailure("interrupted", `${place} reset the connection`, cause);
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
