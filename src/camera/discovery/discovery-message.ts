import { normalIdentity } from "../onvif/device-identity.js";
import { decodeText } from "../xml/text-encoding.js";
import { SMALLEST_TOKEN_BYTES } from "../xml/xml-cost.js";
import { readDocument } from "../xml/xml-document.js";
import { XmlElement } from "../xml/xml-element.js";
import { tokensIn, type XmlBounds, XmlError, type XmlTokens } from "../xml/xml-tokens.js";

/**
 * The messages of WS-Discovery as ONVIF uses it (WS-Discovery April 2005; ONVIF Core Specification, 7): the requests, and what
 * is read from the answers.
 */

/** Larger envelopes are ignored (SOAP-over-UDP 1.1, MAX_ENVELOPE_SIZE is 32767 bytes). */
export const DATAGRAM_BYTES_MAX = 32_767;
/** What a datagram may hold: sixteen devices take some 300 elements, and their namespaces as many attributes. */
const DATAGRAM_BOUNDS: XmlBounds = { elements: 1000, attributes: 1000 };
/** Devices in one ProbeMatches. */
const MATCHES_MAX = 16;
const XADDRS_MAX = 8;
const SCOPES_MAX = 64;
const TYPES_MAX = 16;
const WORD_LENGTH_MAX = 512;
const WORDS_MAX = 256;
/** Characters of a name, manufacturer, model or location in a device's scopes. */
const DEVICE_TEXT_LENGTH_MAX = 128;

/** What a device announces about itself. */
export interface DeviceAnnouncement {
  /** Endpoint reference, normalized; empty if there is no usable one. */
  readonly identity: string;
  /** Local names. */
  readonly types: readonly string[];
  readonly scopes: readonly string[];
  /** Addresses of its device service, http and https, as announced. */
  readonly xaddrs: readonly string[];
}

export interface DiscoveryMessage {
  readonly kind: "hello" | "bye" | "match";
  readonly devices: readonly DeviceAnnouncement[];
}

/** The type in a probe; undefined asks for everything. */
export type ProbeType = "dn:NetworkVideoTransmitter" | "tds:Device" | undefined;
/** ONVIF specifies the first; some devices answer only one of the others. */
export const PROBE_TYPES: readonly ProbeType[] = ["dn:NetworkVideoTransmitter", "tds:Device", undefined];

/** A Probe. `messageId`: a new GUID for each probe; a device ignores repeated ones. */
export function probeMessage(type: ProbeType, messageId: string): Buffer {
  const types = type === undefined ? "" : `<d:Types>${type}</d:Types>`;
  return Buffer.from(
    '<?xml version="1.0" encoding="UTF-8"?>' +
      '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"' +
      ' xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing"' +
      ' xmlns:d="http://schemas.xmlsoap.org/ws/2005/04/discovery"' +
      ' xmlns:dn="http://www.onvif.org/ver10/network/wsdl" xmlns:tds="http://www.onvif.org/ver10/device/wsdl">' +
      "<s:Header>" +
      '<a:Action s:mustUnderstand="1">http://schemas.xmlsoap.org/ws/2005/04/discovery/Probe</a:Action>' +
      `<a:MessageID>urn:uuid:${messageId}</a:MessageID>` +
      "<a:ReplyTo><a:Address>http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous</a:Address></a:ReplyTo>" +
      '<a:To s:mustUnderstand="1">urn:schemas-xmlsoap-org:ws:2005:04:discovery</a:To>' +
      `</s:Header><s:Body><d:Probe>${types}</d:Probe></s:Body></s:Envelope>`,
  );
}

/** The path from the body to the devices, for each kind of message. */
const PLACES = [
  { kind: "match", path: ["ProbeMatches"], item: "ProbeMatch" },
  { kind: "match", path: ["ResolveMatches"], item: "ResolveMatch" },
  // Without the list around it, as some write it.
  { kind: "match", path: [], item: "ProbeMatch" },
  { kind: "hello", path: [], item: "Hello" },
  { kind: "bye", path: [], item: "Bye" },
] as const;

/** What was read of a datagram. */
export interface DiscoveryReading {
  /** Undefined when it is not an answer or announcement that we can use. */
  readonly message: DiscoveryMessage | undefined;
  /** Elements and attributes that were read, as far as that is known; of what was refused, as many as there may be. */
  readonly tokens: number;
}

/** Reads a datagram. Never throws. */
export function readDatagram(datagram: Buffer): DiscoveryReading {
  if (datagram.length > DATAGRAM_BYTES_MAX) return { message: undefined, tokens: 0 };
  const tokens = tokensOf(datagram);
  if (tokens === undefined) {
    const { elements, attributes } = DATAGRAM_BOUNDS;
    return {
      message: undefined,
      tokens: Math.min(elements + attributes, datagram.length / SMALLEST_TOKEN_BYTES),
    };
  }
  return { message: messageIn(XmlElement.document(tokens)), tokens: tokensIn(tokens) };
}

function messageIn(document: XmlElement): DiscoveryMessage | undefined {
  const body = document.at("Envelope", "Body");
  if (body === undefined) return undefined;
  for (const { kind, path, item } of PLACES) {
    const items = body.at(...path)?.children(item) ?? [];
    if (items.length > 0) return { kind, devices: items.slice(0, MATCHES_MAX).map(readDevice) };
  }
  return undefined;
}

/** Whether the sender is an ONVIF device: printers and computers answer a probe for everything, too. */
export function isOnvifDevice({ types, scopes, xaddrs }: DeviceAnnouncement): boolean {
  return (
    types.some((type) => /^NetworkVideo/i.test(type)) ||
    scopes.some((scope) => /^onvif:/i.test(scope)) ||
    xaddrs.some((xaddr) => /onvif/i.test(xaddr))
  );
}

/** Names in the scopes of a device (ONVIF Core Specification, 7.3.3.2); empty if absent. */
export interface ScopeNames {
  readonly name: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly location: string;
}

export function scopeNames(scopes: readonly string[]): ScopeNames {
  return {
    name: scopeValue(scopes, "name"),
    manufacturer: scopeValue(scopes, "manufacturer") || scopeValue(scopes, "mfr"),
    model: scopeValue(scopes, "hardware"),
    location: scopeValue(scopes, "location"),
  };
}

function scopeValue(scopes: readonly string[], category: string): string {
  const start = `onvif://www.onvif.org/${category}/`;
  const scope = scopes.find((candidate) => candidate.toLowerCase().startsWith(start));
  return scope === undefined ? "" : deviceText(percentDecoded(scope.slice(start.length)));
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Percent signs that are not escaped, or bytes that are no UTF-8.
    return decodeText(percentBytes(text));
  }
}

function percentBytes(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8").toString("latin1");
  const escaped = (_all: string, code: string): string => String.fromCharCode(Number.parseInt(code, 16));
  return Buffer.from(bytes.replace(/%([0-9a-f]{2})/gi, escaped), "latin1");
}

function tokensOf(datagram: Buffer): XmlTokens | undefined {
  try {
    return readDocument(datagram, undefined, DATAGRAM_BOUNDS);
  } catch (error) {
    // Not XML, an entity bomb, or nested too deep: the message is ignored.
    if (error instanceof XmlError) return undefined;
    throw error;
  }
}

function readDevice(element: XmlElement): DeviceAnnouncement {
  const identity = normalIdentity(element.text("EndpointReference", "Address")) ?? "";
  const types = words(element.child("Types"), BLANKS, TYPES_MAX).map((type) =>
    type.slice(type.indexOf(":") + 1),
  );
  const scopes = words(element.child("Scopes"), BEFORE_SCOPE, SCOPES_MAX);
  const addresses = words(element.child("XAddrs"), BEFORE_ADDRESS, XADDRS_MAX);
  const xaddrs = addresses.map(tidyAddress).filter(isServiceAddress);
  return { identity, types, scopes, xaddrs };
}

/** What is between the members of a list (WS-Discovery, 4.1). Some put commas there, and some have blanks in a scope. */
const BLANKS = /\s+/;
const BEFORE_SCOPE = /\s+(?=[a-z][\w.+-]*:\S)|,\s*(?=[a-z][\w.+-]*:\/\/)/i;
const BEFORE_ADDRESS = /\s+|[,;]\s*(?=https?:\/\/)/i;

/** Without the interface, which means something at the device alone, and with the scheme that some leave out. */
function tidyAddress(text: string): string {
  const address = text.replace(/\[([\da-f:.]+)%[^\]]*\]/i, "[$1]").replace(/[,;]+$/, "");
  return /^[\w.-]+(?::\d{1,5})?\//.test(address) ? `http://${address}` : address;
}

/** Whether an address can be that of a device service: absolute, and without credentials. */
function isServiceAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === "http:" || protocol === "https:") && username === "" && password === "";
}

function words(element: XmlElement | undefined, between: RegExp, countMax: number): string[] {
  return (element?.rawText ?? "")
    .split(between, WORDS_MAX)
    .map((word) => word.replace(/\s+/g, " ").trim())
    .filter((word) => word !== "" && word.length <= WORD_LENGTH_MAX)
    .slice(0, countMax);
}

/** One line without control characters and lone surrogates, truncated. */
function deviceText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\p{Cf}\ufffe\uffff]/gu, " ")
    .trim()
    .slice(0, DEVICE_TEXT_LENGTH_MAX);
}
