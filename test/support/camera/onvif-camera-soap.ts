import type { PrefixStyle } from "./onvif-camera-types.js";

const SOAP = "http://www.w3.org/2003/05/soap-envelope";

const NAMESPACES: Readonly<Record<string, string>> = {
  tds: "http://www.onvif.org/ver10/device/wsdl",
  trt: "http://www.onvif.org/ver10/media/wsdl",
  tr2: "http://www.onvif.org/ver20/media/wsdl",
  tptz: "http://www.onvif.org/ver20/ptz/wsdl",
  tmd: "http://www.onvif.org/ver10/deviceIO/wsdl",
  timg: "http://www.onvif.org/ver20/imaging/wsdl",
  tse: "http://www.onvif.org/ver10/search/wsdl",
  trp: "http://www.onvif.org/ver10/replay/wsdl",
  tev: "http://www.onvif.org/ver10/events/wsdl",
  tt: "http://www.onvif.org/ver10/schema",
  ter: "http://www.onvif.org/ver10/error",
  wsnt: "http://docs.oasis-open.org/wsn/b-2",
  wsa5: "http://www.w3.org/2005/08/addressing",
  tns1: "http://www.onvif.org/ver10/topics",
};

/** Namespaces by the words that a camera's answers are written with here. */
export const SERVICE_NAMESPACES = {
  device: NAMESPACES.tds ?? "",
  media1: NAMESPACES.trt ?? "",
  media2: NAMESPACES.tr2 ?? "",
  ptz: NAMESPACES.tptz ?? "",
  events: NAMESPACES.tev ?? "",
  imaging: NAMESPACES.timg ?? "",
  deviceio: NAMESPACES.tmd ?? "",
  search: NAMESPACES.tse ?? "",
  replay: NAMESPACES.trp ?? "",
};

/** An envelope around `body`, which is written with the usual prefixes, in the style of a maker. */
export function envelope(body: string, style: PrefixStyle): string {
  const used = Object.keys(NAMESPACES).filter((prefix) => new RegExp(`\\b${prefix}:`).test(body));
  const declaration = `<?xml version="1.0" encoding="UTF-8"?>\n`;
  if (style === "default") return declaration + defaultStyle(body, used);
  if (style === "numbered") return declaration + numberedStyle(body, used);
  const declared = used.map((prefix) => ` xmlns:${prefix}="${NAMESPACES[prefix]}"`).join("");
  const soap = style;
  return `${declaration}<${soap}:Envelope xmlns:${soap}="${SOAP}"${declared}><${soap}:Header/><${soap}:Body>${body.replaceAll("soap:", `${soap}:`)}</${soap}:Body></${soap}:Envelope>`;
}

function defaultStyle(body: string, used: readonly string[]): string {
  const first = /^<(\w+):/.exec(body)?.[1] ?? "";
  const declared = used
    .filter((prefix) => prefix !== first)
    .map((prefix) => ` xmlns:${prefix}="${NAMESPACES[prefix]}"`)
    .join("");
  const bare = body.replace(new RegExp(`<(/?)(?:${first}|soap):`, "g"), "<$1").replaceAll("soap:", "");
  const own = NAMESPACES[first];
  const rooted = own === undefined ? bare : bare.replace(/^<(\w+)/, `<$1 xmlns="${own}"`);
  return `<Envelope xmlns="${SOAP}"${declared}><Body>${rooted}</Body></Envelope>`;
}

function numberedStyle(body: string, used: readonly string[]): string {
  let text = body;
  let declared = "";
  for (const [at, prefix] of used.entries()) {
    text = text.replace(new RegExp(`\\b${prefix}:`, "g"), `ns${at + 2}:`);
    declared += ` xmlns:ns${at + 2}="${NAMESPACES[prefix]}"`;
  }
  return `<ns1:Envelope xmlns:ns1="${SOAP}"${declared}><ns1:Body>${text.replaceAll("soap:", "ns1:")}</ns1:Body></ns1:Envelope>`;
}

export interface FaultOptions {
  readonly code: "Sender" | "Receiver";
  /** Subcodes in the `ter` namespace, outermost first. */
  readonly subcodes: readonly string[];
  readonly reason: string;
}

/** A fault of SOAP 1.2 with ONVIF's subcodes. */
export function faultBody({ code, subcodes, reason }: FaultOptions): string {
  const nested = subcodes.reduceRight(
    (inner, subcode) => `<soap:Subcode><soap:Value>ter:${subcode}</soap:Value>${inner}</soap:Subcode>`,
    "",
  );
  return `<soap:Fault><soap:Code><soap:Value>soap:${code}</soap:Value>${nested}</soap:Code><soap:Reason><soap:Text xml:lang="en">${reason}</soap:Text></soap:Reason></soap:Fault>`;
}

/** Text for an element of an answer. */
export function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
