import { DECLARATIONS } from "./namespaces.js";

/** The messages of an ONVIF device: SOAP 1.2 (W3C), faults as in the ONVIF Core Specification, 5.8.2. */

export const SOAP_TYPE = "application/soap+xml; charset=utf-8";

const SENDER_STATUS = 400;
const RECEIVER_STATUS = 500;

/** An envelope; `header`: elements of the header, `namespaces`: further declarations. */
export function soapEnvelope(
  body: string,
  { header = "", namespaces = "" }: { readonly header?: string; readonly namespaces?: string } = {},
): string {
  return (
    `<?xml version="1.0" encoding="UTF-8"?><s:Envelope ${DECLARATIONS}${namespaces === "" ? "" : ` ${namespaces}`}>` +
    `<s:Header>${header}</s:Header><s:Body>${body}</s:Body></s:Envelope>`
  );
}

/** What a device says instead of an answer. */
export class SoapFault extends Error {
  /** Whose fault it is: `Sender`, the request's; `Receiver`, the device's. */
  readonly role: "Sender" | "Receiver";
  /** From the general one to the special one, of ONVIF's errors. */
  readonly subcodes: readonly string[];
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];

  constructor(
    role: "Sender" | "Receiver",
    subcodes: readonly string[],
    reason: string,
    {
      status,
      headers = [],
    }: {
      readonly status?: number;
      readonly headers?: SoapFault["headers"];
    } = {},
  ) {
    super(reason);
    this.role = role;
    this.subcodes = subcodes;
    this.status = status ?? (role === "Sender" ? SENDER_STATUS : RECEIVER_STATUS);
    this.headers = headers;
  }

  /** The element for the body of an envelope. */
  get xml(): string {
    const subcode = this.subcodes.reduceRight(
      (inner, code) => `<s:Subcode><s:Value>ter:${code}</s:Value>${inner}</s:Subcode>`,
      "",
    );
    return (
      `<s:Fault><s:Code><s:Value>s:${this.role}</s:Value>${subcode}</s:Code>` +
      `<s:Reason><s:Text xml:lang="en">${xmlText(this.message)}</s:Text></s:Reason></s:Fault>`
    );
  }
}

/** The device has no such operation, or does not offer it. */
export function actionNotSupported(reason: string): SoapFault {
  return new SoapFault("Receiver", ["ActionNotSupported"], reason);
}

/** An argument has a value that the device does not take: `code` says which. */
export function invalidArgument(code: string, reason: string): SoapFault {
  return new SoapFault("Sender", ["InvalidArgVal", code], reason);
}

/** Text for an element or an attribute; control characters, which XML 1.0 does not allow, are dropped. */
export function xmlText(text: string): string {
  return text
    .replace(/[^\P{Cc}\t\n\r]|[\p{Cs}\ufffe\uffff]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** An element with text; `name` has its prefix. */
export function textElement(name: string, value: string | number | boolean): string {
  return `<${name}>${xmlText(String(value))}</${name}>`;
}

/** `UTCDateTime` and its like: what is within the element. */
export function dateTimeContent(date: Date): string {
  const time = `<tt:Hour>${date.getUTCHours()}</tt:Hour><tt:Minute>${date.getUTCMinutes()}</tt:Minute><tt:Second>${date.getUTCSeconds()}</tt:Second>`;
  const day = `<tt:Year>${date.getUTCFullYear()}</tt:Year><tt:Month>${date.getUTCMonth() + 1}</tt:Month><tt:Day>${date.getUTCDate()}</tt:Day>`;
  return `<tt:Time>${time}</tt:Time><tt:Date>${day}</tt:Date>`;
}
