import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

/** Ports on which cameras usually have their device service, most frequent first. */
export const SERVICE_PORTS: readonly number[] = [80, 8080, 8000, 8899, 443];
const HTTPS_PORTS = new Set([443, 8443]);
export const SERVICE_PROBE_MS = 2_500;
const ANSWER_BYTES_MAX = 64 * 1024;
const PATH = "/onvif/device_service";
const QUESTION =
  '<?xml version="1.0" encoding="UTF-8"?>' +
  '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body>' +
  '<GetSystemDateAndTime xmlns="http://www.onvif.org/ver10/device/wsdl"/>' +
  "</s:Body></s:Envelope>";

/** A device service found by a request to its port. */
export interface FoundService {
  readonly port: number;
  readonly isSecure: boolean;
  readonly path: string;
}

/**
 * Asks for the device's time, which every ONVIF device answers without a login (ONVIF Core Specification, 8.3.8, access class
 * PRE_AUTH). A SOAP fault also shows that there is an ONVIF device. Resolves within `SERVICE_PROBE_MS`.
 */
export function probeService(
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<FoundService | undefined> {
  const isSecure = HTTPS_PORTS.has(port);
  return new Promise((resolve) => {
    let text = "";
    const question = (isSecure ? httpsRequest : httpRequest)({
      host,
      port,
      path: PATH,
      method: "POST",
      agent: false,
      // Cameras have self-signed certificates, and nothing secret is sent here.
      ...(isSecure ? { rejectUnauthorized: false } : {}),
      headers: {
        "Content-Type": "application/soap+xml; charset=utf-8",
        "Content-Length": Buffer.byteLength(QUESTION),
        Connection: "close",
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(SERVICE_PROBE_MS)]),
    });
    const end = (): void => {
      resolve(isDeviceAnswer(text) ? { port, isSecure, path: PATH } : undefined);
      question.destroy();
    };
    // Refused, timed out or not HTTP: there is no device service.
    question.on("error", end);
    question.on("response", (answer) => {
      answer.setEncoding("utf8");
      answer.on("data", (piece: string) => {
        text += piece;
        if (text.length > ANSWER_BYTES_MAX) end();
      });
      answer.on("error", end);
      answer.on("close", end);
    });
    question.end(QUESTION);
  });
}

/** A text search, so that no unexpected document has to be parsed. */
function isDeviceAnswer(text: string): boolean {
  if (/GetSystemDateAndTimeResponse/.test(text)) return true;
  return /<(?:[\w-]+:)?Fault[\s>]/.test(text) && /http:\/\/www\.w3\.org\/2003\/05\/soap-envelope/.test(text);
}
