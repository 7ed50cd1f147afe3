import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";

type SigningKey = Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];

/** What a provider answers where it is asked for the tokens of a code. */
export interface Telling {
  /** Claims of the ID token, beside those that make it right. */
  readonly claims?: JWTPayload;
  /** Claims that are left out. */
  readonly without?: readonly string[];
  /** `stranger`: by a key that the provider does not show; `none`: not at all (RFC 7518, 3.6). */
  readonly signed?: "stranger" | "none";
  readonly status?: number;
  readonly body?: string;
}

/** A provider of OpenID Connect that tells what a test wants of it: answers that a real one does not give. */
export class ScriptedProvider {
  readonly clientId = "nvrd";
  telling: Telling = {};
  metadata: Readonly<Record<string, unknown>> = {};
  userinfo: Readonly<Record<string, unknown>> | undefined;
  /** Requests for tokens: the bodies, and what they carried as a login. */
  readonly asked: { readonly body: URLSearchParams; readonly authorization: string | undefined }[] = [];
  readonly #server: Server;
  readonly #key: SigningKey;
  readonly #strangersKey: SigningKey;
  readonly #jwk: object;
  #nonce = "";

  private constructor(keys: {
    readonly key: SigningKey;
    readonly strangersKey: SigningKey;
    readonly jwk: object;
  }) {
    this.#key = keys.key;
    this.#strangersKey = keys.strangersKey;
    this.#jwk = keys.jwk;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<ScriptedProvider> {
    const [own, stranger] = [await generateKeyPair("ES256"), await generateKeyPair("ES256")];
    const jwk = { ...(await exportJWK(own.publicKey)), kid: "1", alg: "ES256", use: "sig" };
    const provider = new ScriptedProvider({ key: own.privateKey, strangersKey: stranger.privateKey, jwk });
    await new Promise<void>((resolve) => provider.#server.listen(0, "127.0.0.1", resolve));
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The user agrees: what the browser comes back with. */
  agree(url: string, change: Readonly<Record<string, string>> = {}): string {
    const asked = new URL(url).searchParams;
    this.#nonce = asked.get("nonce") ?? "";
    return new URLSearchParams({ code: "a-code", state: asked.get("state") ?? "", ...change }).toString();
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const json = (value: unknown, status = 200): void => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(typeof value === "string" ? value : JSON.stringify(value));
    };
    if (request.url === "/.well-known/openid-configuration") json(this.#metadata);
    else if (request.url === "/jwks") json({ keys: [this.#jwk] });
    else if (request.url === "/userinfo") json(this.userinfo ?? {}, this.userinfo === undefined ? 500 : 200);
    else if (request.url === "/token") {
      const body = new URLSearchParams(Buffer.concat(chunks).toString());
      this.asked.push({ body, authorization: request.headers.authorization });
      const { status = 200, body: told } = this.telling;
      json(told ?? (await this.#tokens()), status);
    } else json({}, 404);
  }

  get #metadata(): object {
    const { issuer } = this;
    return {
      ...{
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
      },
      ...{ response_types_supported: ["code"], subject_types_supported: ["public"] },
      ...{ id_token_signing_alg_values_supported: ["ES256"], code_challenge_methods_supported: ["S256"] },
      ...(this.userinfo === undefined ? {} : { userinfo_endpoint: `${issuer}/userinfo` }),
      ...this.metadata,
    };
  }

  async #tokens(): Promise<object> {
    const { claims = {}, without = [], signed } = this.telling;
    const nowS = Math.floor(Date.now() / 1000);
    const right: JWTPayload = {
      ...{
        iss: this.issuer,
        aud: this.clientId,
        sub: "alice-1",
        iat: nowS,
        exp: nowS + 60,
        nonce: this.#nonce,
      },
      ...{ preferred_username: "alice", groups: ["guards"] },
    };
    const told = Object.fromEntries(
      Object.entries({ ...right, ...claims }).filter(([name]) => !without.includes(name)),
    );
    const token =
      signed === "none"
        ? new UnsecuredJWT(told).encode()
        : await new SignJWT(told)
            .setProtectedHeader({ alg: "ES256", kid: "1" })
            .sign(signed === "stranger" ? this.#strangersKey : this.#key);
    return { access_token: "an-access-token", token_type: "Bearer", id_token: token };
  }
}
