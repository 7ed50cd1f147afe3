import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  verify,
} from "node:crypto";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";

const TAG_BYTES = 16;
const KEY_BYTES = 65;

/** What a push service got for a browser. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** The half of a subscription that a browser keeps. */
export class PushBrowser {
  readonly #keys: ECDH = createECDH("prime256v1");
  readonly #auth = randomBytes(16);

  constructor() {
    this.#keys.generateKeys();
  }

  get keys(): { readonly P256dh: string; readonly Auth: string } {
    return { P256dh: this.#keys.getPublicKey("base64url"), Auth: this.#auth.toString("base64url") };
  }

  /** RFC 8291, section 3.4, over one record of RFC 8188. */
  read(body: Buffer): Record<string, unknown> {
    const salt = body.subarray(0, 16);
    const sender = body.subarray(21, 21 + KEY_BYTES);
    const sealed = body.subarray(21 + KEY_BYTES);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), this.#keys.getPublicKey(), sender]);
    const ikm = derived(this.#keys.computeSecret(sender), this.#auth, info, 32);
    const key = derived(ikm, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
    const nonce = derived(ikm, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
    const opened = createDecipheriv("aes-128-gcm", key, nonce);
    opened.setAuthTag(sealed.subarray(-TAG_BYTES));
    const text = Buffer.concat([opened.update(sealed.subarray(0, -TAG_BYTES)), opened.final()]);
    return JSON.parse(text.subarray(0, text.lastIndexOf(2)).toString()) as Record<string, unknown>;
  }
}

function derived(secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, bytes));
}

/** Whether a request is signed by the recorder with this public key, for this push service (RFC 8292). */
export function isSigned(received: Received, publicKey: string, origin: string): boolean {
  const [, token = ""] = /^vapid t=([^,]+)/.exec(String(received.headers.authorization)) ?? [];
  const [head = "", claims = "", signature = ""] = token.split(".");
  const point = Buffer.from(publicKey, "base64url");
  const jwk = {
    ...{ kty: "EC", crv: "P-256", x: point.subarray(1, 33).toString("base64url") },
    y: point.subarray(33).toString("base64url"),
  };
  const key = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" } as const;
  const { aud } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { aud?: unknown };
  return (
    aud === origin &&
    verify("sha256", Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, "base64url"))
  );
}

interface PushAnswer {
  readonly status: number;
  readonly retryAfter?: string;
  readonly body?: string;
}

/** The claims of the token that a request is signed with (RFC 8292, 2). */
export function claimsOf(received: Received): Readonly<Record<string, unknown>> {
  const [, claims = ""] = /^vapid t=[^.]+\.([^.]+)/.exec(String(received.headers.authorization)) ?? [];
  return JSON.parse(Buffer.from(claims, "base64url").toString()) as Record<string, unknown>;
}

/** A push service of a test's own, over HTTPS: it answers as told and keeps what it gets. */
export class PushReceiver {
  readonly received: Received[] = [];
  /** By path; 201 for others. Undefined: it never answers. */
  readonly answers = new Map<string, PushAnswer | undefined>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param answerTo What is said to a body, where `answers` has nothing for the path. */
  static async start(
    certificate: { readonly key: string; readonly cert: string },
    answerTo: (body: Buffer) => PushAnswer = () => ({ status: 201 }),
  ): Promise<PushReceiver> {
    const server = createServer(certificate);
    const receiver = new PushReceiver(server);
    server.on("request", (request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const path = request.url ?? "";
        const whole = Buffer.concat(parts);
        receiver.received.push({ path, headers: request.headers, body: whole });
        const answer = receiver.answers.has(path) ? receiver.answers.get(path) : answerTo(whole);
        if (answer === undefined) return;
        const { status, retryAfter, body } = answer;
        response.writeHead(status, retryAfter === undefined ? {} : { "Retry-After": retryAfter }).end(body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get origin(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  at(path: string): readonly Received[] {
    return this.received.filter((one) => one.path === path);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
