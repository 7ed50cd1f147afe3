import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

/** Where cameras have their device service when nobody says: the usual one first. */
export const LOOK_PORTS: readonly number[] = [80, 8080, 8000, 8899, 443];
const HTTPS_PORTS = new Set([443, 8443]);
export const LOOK_TIMEOUT_MS = 2_500;
const ANSWER_BYTES_MAX = 64 * 1024;
const PATH = "/onvif/device_service";
const QUESTION =
  '<?xml version="1.0" encoding="UTF-8"?>' +
  '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body>' +
  '<GetSystemDateAndTime xmlns="http://www.onvif.org/ver10/device/wsdl"/>' +
  "</s:Body></s:Envelope>";

/** A device service found by asking for it. */
export interface ServiceLook {
  readonly port: number;
  readonly isSecure: boolean;
  readonly path: string;
}

/**
 * Whether an ONVIF device answers at a port: the device's time is what every one tells without a login (ONVIF Core
 * Specification, 8.3.8, access class PRE_AUTH). A SOAP fault shows one, too. Resolves within `LOOK_TIMEOUT_MS`.
 */
export function lookForService(
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<ServiceLook | undefined> {
  const isSecure = HTTPS_PORTS.has(port);
  return new Promise((resolve) => {
    let text = "";
    const question = (isSecure ? httpsRequest : httpRequest)({
      host,
      port,
      path: PATH,
      method: "POST",
      agent: false,
      // A camera's certificate is its own; nothing secret is said here.
      ...(isSecure ? { rejectUnauthorized: false } : {}),
      headers: {
        "Content-Type": "application/soap+xml; charset=utf-8",
        "Content-Length": Buffer.byteLength(QUESTION),
        Connection: "close",
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]),
    });
    const end = (): void => {
      resolve(isDeviceAnswer(text) ? { port, isSecure, path: PATH } : undefined);
      question.destroy();
    };
    // Refused, silent, not HTTP: nothing of ours is there.
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

/** Only the words are looked for, so a document of any kind may come: it is not parsed. */
function isDeviceAnswer(text: string): boolean {
  if (/GetSystemDateAndTimeResponse/.test(text)) return true;
  return /<(?:[\w-]+:)?Fault[\s>]/.test(text) && /http:\/\/www\.w3\.org\/2003\/05\/soap-envelope/.test(text);
}
