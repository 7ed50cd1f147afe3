import { createHash, randomBytes } from "node:crypto";
import type { XmlElement } from "../../../src/camera/index.js";
import { parseXml } from "../camera/parse-xml.js";

export interface SoapLogin {
  readonly login: string;
  readonly password: string;
}

export interface AskOptions {
  /** By a UsernameToken. */
  readonly login?: SoapLogin;
  /** The `Security` element itself. */
  readonly security?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SoapReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: XmlElement | undefined;
  /** Subcodes of the fault, joined by slashes; empty for an answer. */
  readonly fault: string;
}

/** A token of WS-Security as clients make it; parts may be given. */
export function usernameToken(
  { login, password }: SoapLogin,
  {
    nonce = randomBytes(16),
    created = new Date().toISOString(),
  }: { readonly nonce?: Buffer; readonly created?: string } = {},
): string {
  const digest = createHash("sha1").update(nonce).update(created).update(password).digest("base64");
  return (
    '<wsse:Security xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd" ' +
    'xmlns:wsu="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"><wsse:UsernameToken>' +
    `<wsse:Username>${login}</wsse:Username><wsse:Password Type="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordDigest">${digest}</wsse:Password>` +
    `<wsse:Nonce>${nonce.toString("base64")}</wsse:Nonce><wsu:Created>${created}</wsu:Created></wsse:UsernameToken></wsse:Security>`
  );
}

export const NAMESPACES = {
  device_service: "http://www.onvif.org/ver10/device/wsdl",
  media_service: "http://www.onvif.org/ver10/media/wsdl",
  media2_service: "http://www.onvif.org/ver20/media/wsdl",
  event_service: "http://www.onvif.org/ver10/events/wsdl",
  ptz_service: "http://www.onvif.org/ver20/ptz/wsdl",
  recording_service: "http://www.onvif.org/ver10/recording/wsdl",
  search_service: "http://www.onvif.org/ver10/search/wsdl",
  replay_service: "http://www.onvif.org/ver10/replay/wsdl",
} as const;

/** An envelope with one operation; `content` uses the prefixes `m` of the service and `tt`. */
export function question(namespace: string, operation: string, content = "", security = ""): string {
  return (
    `<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:m="${namespace}" xmlns:tt="http://www.onvif.org/ver10/schema">` +
    `<s:Header>${security}</s:Header><s:Body><m:${operation}>${content}</m:${operation}></s:Body></s:Envelope>`
  );
}

/** Every answer that was read in this file of tests, and what it answers. */
export const ANSWERS: { readonly operation: string; readonly text: string }[] = [];

/** Reads an answer of a device. */
export function readReply(status: number, headers: Headers, text: string): SoapReply {
  const body = text.startsWith("<") ? parseXml(Buffer.from(text)).at("Envelope", "Body") : undefined;
  const subcodes: string[] = [];
  for (let code = body?.at("Fault", "Code", "Subcode"); code !== undefined; code = code.child("Subcode"))
    subcodes.push(code.text("Value").replace(/^ter:/, ""));
  return { status, headers, text, body, fault: subcodes.join("/") };
}

/** Asks a service of the device at `origin`; `name` is the last part of its path, or a whole address. */
export async function ask(
  origin: string,
  name: keyof typeof NAMESPACES | `http${string}`,
  operation: string,
  {
    content = "",
    namespace,
    ...options
  }: AskOptions & { readonly content?: string; readonly namespace?: string } = {},
): Promise<SoapReply> {
  const security = options.security ?? (options.login === undefined ? "" : usernameToken(options.login));
  const isAddress = name.startsWith("http");
  const space = namespace ?? NAMESPACES[isAddress ? "event_service" : (name as keyof typeof NAMESPACES)];
  const response = await fetch(isAddress ? name : `${origin}/onvif/${name}`, {
    method: "POST",
    headers: { "content-type": "application/soap+xml", ...options.headers },
    body: question(space, operation, content, security),
  });
  const reply = readReply(response.status, response.headers, await response.text());
  if (reply.status === 200) ANSWERS.push({ operation, text: reply.text });
  return reply;
}
