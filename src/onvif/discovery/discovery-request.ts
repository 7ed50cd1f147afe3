import {
  readDocument,
  SMALLEST_TOKEN_BYTES,
  tokensIn,
  type XmlBounds,
  XmlElement,
  XmlError,
} from "../../camera/index.js";

/** Larger datagrams are not read (SOAP-over-UDP 1.1, MAX_ENVELOPE_SIZE). */
const DATAGRAM_BYTES_MAX = 32_767;
/** What a question may hold: those of clients have some twenty elements. */
const BOUNDS: XmlBounds = { elements: 200, attributes: 200 };
const WORDS_MAX = 16;
/** Local names of the device's types. */
const TYPES = ["NetworkVideoTransmitter", "Device"];

/** A question to all devices, or to one (WS-Discovery 2005/04, 5 and 6). */
export type DiscoveryQuestion =
  | {
      readonly kind: "probe";
      readonly messageId: string;
      /** Each must be one of the device's, or the beginning of one. */
      readonly scopes: readonly string[];
    }
  | { readonly kind: "resolve"; readonly messageId: string; readonly identity: string };

/** Reads a datagram; never throws. `tokens`: what it cost. */
export function readQuestion(datagram: Buffer): {
  readonly question: DiscoveryQuestion | undefined;
  readonly tokens: number;
} {
  if (datagram.length > DATAGRAM_BYTES_MAX) return { question: undefined, tokens: 0 };
  try {
    const tokens = readDocument(datagram, undefined, BOUNDS);
    return { question: questionIn(XmlElement.document(tokens)), tokens: tokensIn(tokens) };
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const most = Math.min(BOUNDS.elements + BOUNDS.attributes, datagram.length / SMALLEST_TOKEN_BYTES);
    return { question: undefined, tokens: most };
  }
}

function questionIn(document: XmlElement): DiscoveryQuestion | undefined {
  const envelope = document.child("Envelope");
  const messageId = envelope?.text("Header", "MessageID") ?? "";
  const body = envelope?.child("Body");
  const resolve = body?.child("Resolve");
  if (resolve !== undefined)
    return { kind: "resolve", messageId, identity: resolve.text("EndpointReference", "Address") };
  const probe = body?.child("Probe");
  if (probe === undefined || !asksForDevice(probe)) return undefined;
  return { kind: "probe", messageId, scopes: words(probe, "Scopes") };
}

/** A probe without types asks for all devices. */
function asksForDevice(probe: XmlElement): boolean {
  return words(probe, "Types").every((type) => TYPES.includes(type.slice(type.indexOf(":") + 1)));
}

function words(element: XmlElement, name: string): readonly string[] {
  const text = element.child(name)?.rawText ?? "";
  return text.split(/\s+/, WORDS_MAX).filter((word) => word !== "");
}
