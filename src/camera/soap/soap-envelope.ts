import { createHash, randomBytes } from "node:crypto";

/** Namespaces of the services; defined by the ONVIF and OASIS specifications. */
export const NAMESPACES = {
  device: "http://www.onvif.org/ver10/device/wsdl",
  media: "http://www.onvif.org/ver10/media/wsdl",
  media2: "http://www.onvif.org/ver20/media/wsdl",
  ptz: "http://www.onvif.org/ver20/ptz/wsdl",
  events: "http://www.onvif.org/ver10/events/wsdl",
  imaging: "http://www.onvif.org/ver20/imaging/wsdl",
  deviceIo: "http://www.onvif.org/ver10/deviceIO/wsdl",
  analytics: "http://www.onvif.org/ver20/analytics/wsdl",
  search: "http://www.onvif.org/ver10/search/wsdl",
  replay: "http://www.onvif.org/ver10/replay/wsdl",
  notification: "http://docs.oasis-open.org/wsn/b-2",
} as const;

const ENVELOPE = "http://www.w3.org/2003/05/soap-envelope";
const SCHEMA = "http://www.onvif.org/ver10/schema";
const SECURITY = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
const UTILITY = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
const TOKEN_PROFILE = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0";
const BASE64 =
  "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary";

const NONCE_BYTES = 16;

export interface UsernameToken {
  readonly login: string;
  readonly password: string;
  /** The device's time, Unix milliseconds. */
  readonly createdMs: number;
}

export interface EnvelopeOptions {
  readonly namespace: string;
  /** Name of the operation: the root element of the body. */
  readonly operation: string;
  /** Content of that element; prefix `m` is the service's namespace, `tt` the ONVIF schema's. */
  readonly content: string;
  /** Further header elements, complete. */
  readonly headers: string;
  readonly token: UsernameToken | undefined;
}

/** A SOAP 1.2 request. */
export function soapEnvelope(options: EnvelopeOptions): string {
  const { namespace, operation, content } = options;
  const header = (options.token === undefined ? "" : securityHeader(options.token)) + options.headers;
  return (
    `<?xml version="1.0" encoding="UTF-8"?>` +
    `<s:Envelope xmlns:s="${ENVELOPE}" xmlns:m="${namespace}" xmlns:tt="${SCHEMA}">` +
    (header === "" ? "" : `<s:Header>${header}</s:Header>`) +
    `<s:Body><m:${operation}>${content}</m:${operation}></s:Body></s:Envelope>`
  );
}

/** Username token with digest (WS-Security UsernameToken Profile 1.0, 3.1): Base64(SHA-1(nonce + created + password)). */
function securityHeader(token: UsernameToken): string {
  const nonce = randomBytes(NONCE_BYTES);
  const created = new Date(token.createdMs).toISOString();
  const digest = createHash("sha1")
    .update(nonce)
    .update(created, "utf8")
    .update(token.password, "utf8")
    .digest("base64");
  return (
    `<wsse:Security s:mustUnderstand="1" xmlns:wsse="${SECURITY}" xmlns:wsu="${UTILITY}"><wsse:UsernameToken>` +
    `<wsse:Username>${escapeXml(token.login)}</wsse:Username>` +
    `<wsse:Password Type="${TOKEN_PROFILE}#PasswordDigest">${digest}</wsse:Password>` +
    `<wsse:Nonce EncodingType="${BASE64}">${nonce.toString("base64")}</wsse:Nonce>` +
    `<wsu:Created>${created}</wsu:Created></wsse:UsernameToken></wsse:Security>`
  );
}

/** Escapes text for an element or attribute; drops control characters, which XML 1.0 does not allow. */
export function escapeXml(text: string): string {
  const kept = text.replace(/[^\P{Cc}\t\n\r]/gu, "");
  return kept.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
