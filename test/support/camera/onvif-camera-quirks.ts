import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { envelope, faultBody } from "./onvif-camera-soap.js";
import type { PrefixStyle, Quirk } from "./onvif-camera-types.js";

export interface WholeAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
  /** Of a redirect. */
  readonly location?: string;
}

const SOAP_TYPE = "application/soap+xml; charset=utf-8";
/** A little more than nvrd takes; of small comments, which is nothing to other readers. */
const PADDING = `<!--${" ".repeat(1000)}-->`.repeat(1100);
const DEPTH = 100_000;
const BOMB = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa">${"bcdefgh"
  .split("")
  .map((name, at) => `<!ENTITY ${name} "${`&${"abcdefg"[at]};`.repeat(10)}">`)
  .join("")}]>`;

export function soapAnswer(body: string, style: PrefixStyle, status = 200): WholeAnswer {
  return { status, type: SOAP_TYPE, body: Buffer.from(envelope(body, style)) };
}

/** What a quirk answers instead of the right answer; undefined for those that only change how it is sent. */
export function insteadOf(quirk: Quirk, right: WholeAnswer, style: PrefixStyle): WholeAnswer | undefined {
  const text = right.body.toString("utf8");
  const page = (status: number, html: string): WholeAnswer => ({
    status,
    type: "text/html",
    body: Buffer.from(html),
  });
  const instead: Partial<Record<Quirk, () => WholeAnswer>> = {
    truncated: () => ({ ...right, body: right.body.subarray(0, Math.floor(right.body.length * 0.7)) }),
    huge: () => ({
      ...right,
      body: Buffer.from(text.replace("Body>", `Body>${PADDING}`)),
    }),
    "entity-bomb": () => ({ ...right, body: Buffer.from(text.replace(/^<\?xml[^>]*>/, BOMB)) }),
    "deep-nesting": () => ({ ...right, body: Buffer.from("<a>".repeat(DEPTH)) }),
    garbage: () => ({ ...right, body: Buffer.from([0, 1, 2, 0xfe, 0xff, 60, 60, 60, 33]) }),
    empty: () => ({ ...right, body: Buffer.alloc(0) }),
    "wrong-content-type": () => ({ ...right, type: "text/plain" }),
    "byte-order-mark": () => ({
      ...right,
      body: Buffer.from(`\ufeff\r\n\r\n  ${text.replace(/^<\?xml[^>]*>/, "")}`),
    }),
    "latin-1": () => ({
      ...right,
      type: "application/soap+xml",
      body: Buffer.from(text.replace("UTF-8", "ISO-8859-1"), "latin1"),
    }),
    "fault-not-supported": () =>
      soapAnswer(
        faultBody({
          code: "Receiver",
          subcodes: ["ActionNotSupported", "NotImplemented"],
          reason: "not here",
        }),
        style,
        500,
      ),
    "fault-internal": () =>
      soapAnswer(
        faultBody({ code: "Receiver", subcodes: ["Action"], reason: "internal error 17" }),
        style,
        500,
      ),
    "web-page": () => page(200, "<!DOCTYPE html><html><title>Login</title><body>Please log in</body></html>"),
    "not-found": () => page(404, "<html><body>404 Not Found</body></html>"),
    busy: () => page(503, "Service Unavailable"),
    "not-activated": () =>
      page(
        403,
        "<ResponseStatus><statusString>Device Error</statusString><subStatusCode>notActivated</subStatusCode></ResponseStatus>",
      ),
    locked: () =>
      page(401, "<userCheck><lockStatus>lock</lockStatus><unlockTime>1740</unlockTime></userCheck>"),
    "redirects-elsewhere": () => ({ ...page(302, ""), location: "http://127.0.0.9/onvif/device_service" }),
    "redirects-in-circles": () => ({ ...page(307, ""), location: "/onvif/device_service" }),
    "redirects-to-set-up": () => ({ ...page(302, ""), location: "/pwdroot/pwdRoot.shtml?id=1" }),
    "unclear-fault": () =>
      (text.includes("NotAuthorized") ? insteadOf("fault-internal", right, style) : right) ?? right,
    "echoes-login": () =>
      soapAnswer(
        faultBody({
          code: "Receiver",
          subcodes: ["Action"],
          reason: `you sent Basic ${Buffer.from("admin:Secret#1").toString("base64")} for Secret#1`,
        }),
        style,
        500,
      ),
    "trailing-zeros": () => ({ ...right, body: Buffer.concat([right.body, Buffer.alloc(500)]) }),
    forbidden: () => page(403, "Forbidden"),
  };
  return instead[quirk]?.();
}

/** Sends an answer in the manner of the quirks. */
export async function sendAnswer(
  response: ServerResponse,
  answer: WholeAnswer,
  quirks: ReadonlySet<Quirk>,
  delayMs: number,
): Promise<void> {
  if (quirks.has("silent")) return;
  if (quirks.has("slow")) await pause(delayMs);
  response.setHeader("Content-Type", answer.type);
  if (answer.location !== undefined) response.setHeader("Location", answer.location);
  if (quirks.has("closes-each-connection")) response.setHeader("Connection", "close");
  if (quirks.has("chunked")) {
    response.writeHead(answer.status);
    for (let at = 0; at < answer.body.length; at += 7) response.write(answer.body.subarray(at, at + 7));
    response.end();
    return;
  }
  response.setHeader("Content-Length", answer.body.length);
  response.writeHead(answer.status);
  if (quirks.has("closes-mid-body")) {
    response.write(answer.body.subarray(0, answer.body.length >> 1));
    await pause(20);
    response.destroy();
  } else if (quirks.has("drip-fed")) {
    for (const byte of answer.body) {
      if (response.destroyed) return;
      response.write(Buffer.of(byte));
      await pause(delayMs);
    }
    response.end();
  } else response.end(answer.body);
}
