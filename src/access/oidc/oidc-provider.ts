import type { Configuration } from "openid-client";
import {
  type Clock,
  errorText,
  type Log,
  NvrdError,
  US_PER_HOUR,
  US_PER_MS,
  US_PER_SECOND,
} from "../../base/index.js";
import { ANSWER_SECONDS_MAX, oidcFetch } from "./oidc-fetch.js";

/** What a provider says of itself counts so long. */
const KNOWN_FOR_US = US_PER_HOUR;
/** How far the clocks of provider and recorder may be apart. */
const CLOCK_SECONDS = 30;

/** A provider of OpenID Connect, and how users come from there. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty: a client without a secret. */
  readonly clientSecret: string;
  /** Of this server's page, as browsers have it. */
  readonly address: string;
  readonly scopes: string;
  readonly nameClaim: string;
  readonly groupClaim: string;
  readonly label: string;
  /** Certificates (PEM) that alone are trusted; empty: the authorities that Node knows. */
  readonly authority: string;
}

/** What is remembered of a login between the way there and the way back (RFC 7636, OpenID Connect Core 3.1.2.1). */
export interface OidcProofs {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** What a provider says of a user; nothing of it is checked but its form as JSON. */
export type OidcClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** The protocol with one provider: authorization code with PKCE, the ID token with its signature, the user's claims. */
export class OidcProvider {
  readonly #settings: OidcSettings;
  readonly #clock: Clock;
  readonly #log: Log;
  #known: { readonly configuration: Configuration; readonly atUs: number } | undefined;

  constructor({
    settings,
    clock,
    log,
  }: { readonly settings: OidcSettings; readonly clock: Clock; readonly log: Log }) {
    this.#settings = settings;
    this.#clock = clock;
    this.#log = log;
  }

  /** Where a browser is sent to log in, and what has to come back. Rejects with NvrdError NOT_AVAILABLE. */
  async begin(): Promise<{ readonly url: string; readonly proofs: OidcProofs }> {
    const client = await library();
    const configuration = await this.#configuration();
    const proofs = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#returnAddress,
      scope: this.#settings.scopes,
      code_challenge: await client.calculatePKCECodeChallenge(proofs.verifier),
      code_challenge_method: "S256",
      state: proofs.state,
      nonce: proofs.nonce,
    });
    return { url: url.href, proofs };
  }

  /**
   * What the provider says of the user who has come back with this query. Rejects with NvrdError UNAUTHORIZED where the provider refuses, or
   * its answer is not to be believed, and with NOT_AVAILABLE where there is none.
   */
  async finish(query: string, { state, nonce, verifier }: OidcProofs): Promise<OidcClaims> {
    const client = await library();
    const configuration = await this.#configuration();
    try {
      const tokens = await client.authorizationCodeGrant(
        configuration,
        new URL(`${this.#returnAddress}?${query}`),
        { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      );
      const claims = tokens.claims();
      if (claims === undefined) throw new TypeError("there is no ID token");
      const { nameClaim, groupClaim } = this.#settings;
      if (claims[nameClaim] !== undefined && claims[groupClaim] !== undefined) return claims;
      // Many providers tell names and groups only there.
      if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
      return { ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
    } catch (error) {
      throw this.#refused(error);
    }
  }

  get #returnAddress(): string {
    return `${this.#settings.address.replace(/\/$/, "")}/api/session/oidc/return`;
  }

  async #configuration(): Promise<Configuration> {
    const nowUs = this.#clock.monotonicUs();
    if (this.#known !== undefined && nowUs - this.#known.atUs < KNOWN_FOR_US)
      return this.#known.configuration;
    try {
      const configuration = await this.#discover();
      this.#known = { configuration, atUs: nowUs };
      return configuration;
    } catch (error) {
      this.#log.warn(
        { issuer: this.#settings.issuer, reason: reasonOf(error) },
        "the provider of logins says nothing of itself that can be used",
      );
      throw new NvrdError("NOT_AVAILABLE", "the provider of logins does not answer as it should", {
        cause: error,
      });
    }
  }

  async #discover(): Promise<Configuration> {
    const client = await library();
    const { issuer, clientId, clientSecret, authority } = this.#settings;
    const server = new URL(issuer);
    const fetched = oidcFetch({ authority, clock: this.#clock });
    const isPlain = server.protocol === "http:";
    // Whoever signs, the signature counts: TLS alone is not what a recorder relies on.
    const execute = [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])];
    const metadata = {
      [client.clockTolerance]: CLOCK_SECONDS,
      // The library's clock is the process's; this one's may be another.
      [client.clockSkew]: Math.round(
        this.#clock.nowUs() / US_PER_SECOND - Date.now() / (US_PER_SECOND / US_PER_MS),
      ),
    };
    const found = await client.discovery(server, clientId, metadata, undefined, {
      execute,
      timeout: ANSWER_SECONDS_MAX,
      [client.customFetch]: fetched,
    });
    const ways = found.serverMetadata().token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const way =
      clientSecret === ""
        ? client.None()
        : ways.includes("client_secret_basic")
          ? client.ClientSecretBasic(clientSecret)
          : client.ClientSecretPost(clientSecret);
    const configuration = new client.Configuration(found.serverMetadata(), clientId, metadata, way);
    configuration[client.customFetch] = fetched;
    configuration.timeout = ANSWER_SECONDS_MAX;
    for (const apply of execute) apply(configuration);
    return configuration;
  }

  #refused(error: unknown): NvrdError {
    const isAway = causesOf(error).find(
      (cause) => cause instanceof NvrdError && cause.code === "NOT_AVAILABLE",
    );
    this.#log.warn(
      { issuer: this.#settings.issuer, reason: reasonOf(error) },
      "a login by the provider is refused",
    );
    return isAway === undefined
      ? new NvrdError("UNAUTHORIZED", "the provider of logins vouches for nobody", {
          hint: "log in again",
          cause: error,
        })
      : new NvrdError("NOT_AVAILABLE", "the provider of logins does not answer", { cause: error });
  }
}

/** Loaded with the first login: most recorders have no provider. */
async function library() {
  return await import("openid-client");
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let each: unknown = error; each instanceof Error && causes.length < 5; each = each.cause)
    causes.push(each);
  return causes;
}

/** The library says what is wrong in the error's cause; codes and tokens are in neither. */
function reasonOf(error: unknown): string {
  return causesOf(error).map(errorText).join(": ");
}
