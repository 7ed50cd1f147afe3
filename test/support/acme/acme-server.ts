import { createHash, createHmac, createPublicKey, type JsonWebKey, randomBytes, verify } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { get } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { makeCertificate } from "../http/certificate.js";
import { namesOf, TestAuthority } from "./test-authority.js";

/** Of the connection: one for all servers of a process, as a key takes a while. */
const PAIR: { made?: ReturnType<typeof makeCertificate> } = {};

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or text as it is. */
  readonly body?: unknown;
}

type Instead = Answer | "hang" | "break" | undefined;

interface Account {
  readonly jwk: JsonWebKey;
  contact: readonly string[];
  readonly boundTo: string | undefined;
}

interface Authorization {
  readonly name: string;
  readonly token: string;
  readonly accountUrl: string;
  status: "pending" | "valid" | "invalid";
  error?: object;
}

interface Order {
  readonly names: readonly string[];
  readonly authorizations: readonly string[];
  readonly accountUrl: string;
  readonly replaces: string | undefined;
  status: "pending" | "ready" | "processing" | "valid" | "invalid";
  polls: number;
  certificate?: string;
}

/** One request as the server understood it. */
export interface AcmeCall {
  /** `new-order`, `order/3`. */
  readonly path: string;
  readonly payload: unknown;
}

export interface AcmeServerOptions {
  /** Where names are looked at. */
  readonly httpPort: () => number;
  readonly now?: () => number;
  readonly days?: number;
  /** Answers otherwise than a server should, where it returns something. */
  readonly instead?: (call: AcmeCall, server: AcmeServer) => Instead | Promise<Instead>;
  /** Accounts that must be bound: HMAC keys by their id. */
  readonly externalKeys?: Readonly<Record<string, Buffer>>;
  /** Every so many-th nonce is refused although it is good. */
  readonly refusesNonces?: number;
  readonly terms?: string;
  /** When certificates are to be renewed, if it says so at all. */
  readonly window?: () => { readonly start: string; readonly end: string };
  /** When it wants to be asked again for that, seconds; a day by default. */
  readonly windowAgainS?: number;
  /** Polls until an order is decided. */
  readonly slowPolls?: number;
}

/** An ACME server (RFC 8555, RFC 9773): checks each signature, address and nonce, looks at names over HTTP, and signs. */
export class AcmeServer {
  readonly calls: AcmeCall[] = [];
  readonly accounts = new Map<string, Account>();
  readonly orders: Order[] = [];
  /** Certificates that were signed, PEM with chain. */
  readonly signed: string[] = [];
  readonly authority: TestAuthority;
  /** Trusted for the connection. */
  readonly trust: string;
  refusedNonces = 0;
  readonly #options: AcmeServerOptions;
  readonly #server: Server;
  readonly #nonces = new Set<string>();
  readonly #authorizations: Authorization[] = [];
  #given = 0;

  private constructor(
    options: AcmeServerOptions,
    authority: TestAuthority,
    pair: { key: string; cert: string },
  ) {
    this.#options = options;
    this.authority = authority;
    this.trust = pair.cert;
    this.#server = createServer(pair, (request, response) => {
      this.#receive(request, response).catch((error: unknown) => {
        response.writeHead(500, { "Content-Type": "text/plain" }).end(String(error));
      });
    });
  }

  static async start(options: AcmeServerOptions): Promise<AcmeServer> {
    PAIR.made ??= makeCertificate();
    const server = new AcmeServer(options, await TestAuthority.create(), await PAIR.made);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get directoryUrl(): string {
    return `${this.url}/directory`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** How often a path was called. */
  count(path: string | RegExp): number {
    return this.calls.filter((call) => (typeof path === "string" ? call.path === path : path.test(call.path)))
      .length;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").slice(1);
    const text = await textOf(request);
    let answer: Instead;
    let call: AcmeCall = { path, payload: undefined };
    try {
      const signed = request.method === "POST" ? this.#open(path, text) : undefined;
      call = { path, payload: signed?.payload };
      this.calls.push(call);
      answer = (await this.#options.instead?.(call, this)) ?? (await this.#answer(path, signed));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.name === "badNonce") this.refusedNonces += 1;
      answer = error.answer;
    }
    if (answer === "hang") return;
    if (answer === "break") return void request.socket.destroy();
    const { status = 200, type = "application/json", headers = {}, body = "" } = answer;
    const sent = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    response.writeHead(status, { "Content-Type": type, "Replay-Nonce": this.#nonce(), ...headers }).end(sent);
  }

  #nonce(): string {
    const nonce = randomBytes(16).toString("base64url");
    this.#given += 1;
    const { refusesNonces } = this.#options;
    if (refusesNonces === undefined || this.#given % refusesNonces !== 0) this.#nonces.add(nonce);
    return nonce;
  }

  /** Checks a signed request (RFC 8555, 6.2 to 6.5). */
  #open(path: string, text: string): Signed {
    const { protected: head, payload, signature } = JSON.parse(text) as Record<string, string>;
    const header = JSON.parse(decoded(head)) as Record<string, unknown>;
    if (header.alg !== "ES256") throw new Problem("badSignatureAlgorithm", "only ES256");
    if (header.url !== `${this.url}/${path}`)
      throw new Problem("unauthorized", "signed for another address", 401);
    const hasKey = header.jwk !== undefined;
    if (hasKey === (header.kid !== undefined)) throw new Problem("malformed", "either a key or an account");
    const accountUrl = hasKey ? undefined : String(header.kid);
    const account = accountUrl === undefined ? undefined : this.accounts.get(accountUrl);
    if (!hasKey && account === undefined) throw new Problem("accountDoesNotExist", "no such account");
    if (hasKey !== (path === "new-account")) throw new Problem("malformed", "a key only for a new account");
    const jwk = (account?.jwk ?? header.jwk) as JsonWebKey;
    const key = createPublicKey({ format: "jwk", key: jwk });
    const isRight = verify(
      "sha256",
      Buffer.from(`${head}.${payload}`),
      { key, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature ?? "", "base64url"),
    );
    if (!isRight) throw new Problem("unauthorized", "the signature is wrong", 401);
    if (!this.#nonces.delete(String(header.nonce))) throw new Problem("badNonce", "not one of mine");
    const value = payload === "" ? undefined : (JSON.parse(decoded(payload)) as unknown);
    return { accountUrl: accountUrl ?? "", jwk, payload: value };
  }

  async #answer(path: string, signed: Signed | undefined): Promise<Answer> {
    if (path === "directory") return { body: this.#directory() };
    if (path === "new-nonce") return { status: 200 };
    const [kind = "", id = ""] = path.split("/");
    if (kind === "renewal-info") return this.#renewalInfo();
    if (signed === undefined) throw new Problem("malformed", "a signed POST is needed", 405);
    const routes: Readonly<Record<string, () => Answer | Promise<Answer>>> = {
      "new-account": () => this.#newAccount(signed),
      account: () => this.#changeAccount(signed),
      "new-order": () => this.#newOrder(signed),
      order: () => this.#showOrder(Number(id)),
      authorization: () => this.#showAuthorization(Number(id)),
      challenge: () => this.#look(Number(id)),
      finalize: () => this.#finalize(Number(id), signed),
      certificate: () => ({ type: "application/pem-certificate-chain", body: this.signed[Number(id)] }),
    };
    const route = routes[kind];
    if (route === undefined) throw new Problem("malformed", "no such path", 404);
    return await route();
  }

  #directory(): object {
    const { url } = this;
    const { externalKeys, terms, window } = this.#options;
    return {
      newNonce: `${url}/new-nonce`,
      newAccount: `${url}/new-account`,
      newOrder: `${url}/new-order`,
      revokeCert: `${url}/revoke-cert`,
      keyChange: `${url}/key-change`,
      ...(window === undefined ? {} : { renewalInfo: `${url}/renewal-info` }),
      meta: { termsOfService: terms, externalAccountRequired: externalKeys !== undefined },
      "x-grease": "https://example.org/unknown-members-are-ignored",
    };
  }

  #newAccount({ jwk, payload }: Signed): Answer {
    const body = payload as Record<string, unknown>;
    const known = [...this.accounts].find(
      ([, account]) => JSON.stringify(account.jwk) === JSON.stringify(jwk),
    );
    if (known !== undefined)
      return { status: 200, headers: { Location: known[0] }, body: { status: "valid" } };
    if (body.termsOfServiceAgreed !== true)
      throw new Problem("userActionRequired", "agree to the terms", 403);
    const contact = (body.contact ?? []) as readonly string[];
    if (contact.some((one) => one.endsWith("@example.com")))
      throw new Problem("invalidContact", "example.com is forbidden");
    const boundTo = this.#binding(body.externalAccountBinding as Record<string, string> | undefined, jwk);
    const url = `${this.url}/account/${this.accounts.size + 1}`;
    this.accounts.set(url, { jwk, contact, boundTo });
    return { status: 201, headers: { Location: url }, body: { status: "valid", contact } };
  }

  #binding(binding: Record<string, string> | undefined, jwk: JsonWebKey): string | undefined {
    const { externalKeys } = this.#options;
    if (externalKeys === undefined) return undefined;
    if (binding === undefined) throw new Problem("externalAccountRequired", "a key is needed", 403);
    const { kid = "", alg, url } = JSON.parse(decoded(binding.protected)) as Record<string, string>;
    const key = externalKeys[kid];
    const mac =
      key && createHmac("sha256", key).update(`${binding.protected}.${binding.payload}`).digest("base64url");
    const isOfKey = JSON.stringify(JSON.parse(decoded(binding.payload))) === JSON.stringify(jwk);
    if (alg !== "HS256" || url !== `${this.url}/new-account` || mac !== binding.signature || !isOfKey)
      throw new Problem("unauthorized", "the key is unknown, or another one", 403);
    return kid;
  }

  #changeAccount({ accountUrl, payload }: Signed): Answer {
    const account = this.accounts.get(accountUrl);
    if (account !== undefined) account.contact = (payload as { contact: readonly string[] }).contact;
    return { body: { status: "valid" } };
  }

  #newOrder({ accountUrl, payload }: Signed): Answer {
    const { identifiers, replaces } = payload as {
      identifiers: readonly { type: string; value: string }[];
      replaces?: string;
    };
    const names = identifiers.map(({ value }) => value);
    const refused = names.find((name) => name.endsWith(".local"));
    if (refused !== undefined) {
      const inner = {
        type: `${PREFIX}rejectedIdentifier`,
        detail: "no public suffix",
        identifier: { type: "dns", value: refused },
      };
      throw new Problem("rejectedIdentifier", "some names are refused", 400, { subproblems: [inner] });
    }
    if (
      replaces !== undefined &&
      this.orders.some((order) => order.replaces === replaces && order.status === "valid")
    )
      throw new Problem("alreadyReplaced", "it has been replaced", 409);
    const authorizations = names.map((name) => {
      const token = randomBytes(24).toString("base64url");
      this.#authorizations.push({ name, token, accountUrl, status: "pending" });
      return `${this.url}/authorization/${this.#authorizations.length - 1}`;
    });
    this.orders.push({ names, authorizations, accountUrl, replaces, status: "pending", polls: 0 });
    const id = this.orders.length - 1;
    return { status: 201, headers: { Location: `${this.url}/order/${id}` }, body: this.#orderBody(id) };
  }

  #showOrder(id: number): Answer {
    const order = this.#order(id);
    order.polls += 1;
    const isSlow = order.polls <= (this.#options.slowPolls ?? 0);
    const body = this.#orderBody(id);
    if (!isSlow) return { body };
    return {
      body: { ...body, status: order.status === "valid" ? "processing" : "pending" },
      headers: { "Retry-After": "3" },
    };
  }

  #orderBody(id: number): object {
    const order = this.#order(id);
    const proofs = order.authorizations.map(
      (url) => this.#authorizations[Number(url.split("/").at(-1))]?.status,
    );
    if (order.status === "pending" && proofs.every((status) => status === "valid")) order.status = "ready";
    if (order.status === "pending" && proofs.includes("invalid")) order.status = "invalid";
    const { status, authorizations, names, certificate } = order;
    const identifiers = names.map((value) => ({ type: "dns", value }));
    return { status, identifiers, authorizations, finalize: `${this.url}/finalize/${id}`, certificate };
  }

  #order(id: number): Order {
    const order = this.orders[id];
    if (order === undefined) throw new Problem("malformed", "no such order", 404);
    return order;
  }

  #showAuthorization(id: number): Answer {
    const one = this.#authorizations[id];
    if (one === undefined) throw new Problem("malformed", "no such authorization", 404);
    const { name: value, token, status, error } = one;
    const challenge = { type: "http-01", url: `${this.url}/challenge/${id}`, token, status, error };
    const other = {
      type: "dns-01",
      url: `${this.url}/challenge/x${id}`,
      token: `${token}dns`,
      status: "pending",
    };
    return { body: { status, identifier: { type: "dns", value }, challenges: [other, challenge] } };
  }

  async #look(id: number): Promise<Answer> {
    const one = this.#authorizations[id];
    if (one === undefined) throw new Problem("malformed", "no such challenge", 404);
    const jwk = this.accounts.get(one.accountUrl)?.jwk;
    const { status, body } = await fetched(one.name, this.#options.httpPort(), one.token);
    const isRight = status === 200 && body.trimEnd() === `${one.token}.${thumbprint(jwk)}`;
    one.status = isRight ? "valid" : "invalid";
    if (!isRight) {
      const type = `${PREFIX}${status === 0 ? "connection" : "unauthorized"}`;
      one.error = {
        type,
        detail: `${one.name}: ${status === 0 ? "connection refused" : `status ${status}`}`,
      };
    }
    return {
      body: { type: "http-01", status: one.status, url: `${this.url}/challenge/${id}`, token: one.token },
    };
  }

  async #finalize(id: number, { payload }: Signed): Promise<Answer> {
    const order = this.#order(id);
    if (order.status !== "ready") throw new Problem("orderNotReady", "not ready", 403);
    const csr = Buffer.from((payload as { csr: string }).csr, "base64url");
    if ([...namesOf(csr)].sort().join() !== [...order.names].sort().join())
      throw new Problem("badCSR", "it asks for other names than were ordered");
    const { now = Date.now, days = 90 } = this.#options;
    const leaf = await this.authority.sign(csr, { nowMs: now(), days });
    this.signed.push(`${leaf.toString()}\n${this.authority.pem}`);
    order.status = "valid";
    order.polls = 0;
    order.certificate = `${this.url}/certificate/${this.signed.length - 1}`;
    return { body: this.#orderBody(id) };
  }

  #renewalInfo(): Answer {
    const { window, windowAgainS = 86_400 } = this.#options;
    if (window === undefined) throw new Problem("malformed", "no such path", 404);
    return { body: { suggestedWindow: window() }, headers: { "Retry-After": `${windowAgainS}` } };
  }
}

interface Signed {
  readonly accountUrl: string;
  readonly jwk: JsonWebKey;
  readonly payload: unknown;
}

export const PREFIX = "urn:ietf:params:acme:error:";

/** An error document as the answer to a request. */
export function problem(name: string, detail: string, status = 400, more: object = {}): Answer {
  return {
    status,
    type: "application/problem+json",
    body: { type: `${PREFIX}${name}`, detail, status, ...more },
  };
}

class Problem extends Error {
  readonly answer: Answer;
  override readonly name: string;

  constructor(name: string, detail: string, status = 400, more: object = {}) {
    super(detail);
    this.name = name;
    this.answer = problem(name, detail, status, more);
  }
}

function decoded(text: string | undefined): string {
  return Buffer.from(text ?? "", "base64url").toString("utf8");
}

/** RFC 7638, of a key on a curve. */
function thumbprint(jwk: JsonWebKey | undefined): string {
  const { crv, kty, x, y } = jwk ?? {};
  return createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
}

/** What answers at the name, which leads to this machine; status 0: nothing. */
function fetched(name: string, port: number, token: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve) => {
    const call = get(
      {
        host: "127.0.0.1",
        port,
        path: `/.well-known/acme-challenge/${token}`,
        headers: { Host: name },
        agent: false,
      },
      (response) => void textOf(response).then((body) => resolve({ status: response.statusCode ?? 0, body })),
    );
    call.on("error", () => resolve({ status: 0, body: "" }));
  });
}

async function textOf(stream: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of stream) text += String(piece);
  return text;
}
