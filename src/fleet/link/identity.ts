import { createPrivateKey, createPublicKey, type KeyObject, randomUUID, X509Certificate } from "node:crypto";
import { errors, jwtVerify, SignJWT } from "jose";
import * as v from "valibot";
import { type Clock, type Guid, US_PER_MS, US_PER_SECOND } from "../../base/index.js";
import { GROUP_RIGHTS, hubUser, type ValueOf } from "../../contract/index.js";
import { readerOfValue } from "../../contract/reading/index.js";

/** Who asks through a hub, signed by the hub's authority for one box and one request (JWS, RFC 7515; JWT, RFC 7519). */

/** The header of a request that carries it. */
export const IDENTITY_HEADER = "nvrd-identity";
/** How long one holds after it was made. */
const IDENTITY_SECONDS = 30;
/** How far the clocks of hub and box may be apart. Both together are 60 s. */
const CLOCK_SECONDS = 30;
const KNOWN_FOR_US = (IDENTITY_SECONDS + 2 * CLOCK_SECONDS) * US_PER_SECOND;
/** So many are remembered at once; beyond it requests are refused. */
const KNOWN_MAX = 16_384;
const ISSUER = "nvrd-hub";
const ALGORITHM = "ES256";
const RIGHTS_READ_MAX = 256;
/** A longer one is none. */
const LENGTH_MAX = 4096;

export type HubUser = ValueOf<typeof hubUser>;

/** Why an identity is refused. `foreign`: another hub's, another box's, or altered. */
export type IdentityRefusal = "missing" | "malformed" | "expired" | "foreign" | "replayed" | "crowded";

const readUser = readerOfValue(hubUser);

/** Signs identities with the key of a hub's authority (PEM). */
export class IdentitySigner {
  readonly #key: KeyObject;
  readonly #clock: Clock;

  constructor(key: string, clock: Clock) {
    this.#key = createPrivateKey(key);
    this.#clock = clock;
  }

  async sign(user: HubUser, boxId: Guid): Promise<string> {
    const nowS = Math.floor(this.#clock.nowUs() / US_PER_SECOND);
    return await new SignJWT({ user })
      .setProtectedHeader({ alg: ALGORITHM })
      .setIssuer(ISSUER)
      .setAudience(boxId)
      .setJti(randomUUID())
      .setIssuedAt(nowS)
      .setExpirationTime(nowS + IDENTITY_SECONDS)
      .sign(this.#key);
  }
}

/** Checks identities at a box. Each is good for one request. */
export class IdentityCheck {
  readonly #key: KeyObject;
  readonly #boxId: Guid;
  readonly #clock: Clock;
  /** When each that was used may be forgotten, monotonic; the oldest first. */
  readonly #used = new Map<string, number>();

  /** `authority`: the certificate (PEM) of the hub's authority. */
  constructor(authority: string, boxId: Guid, clock: Clock) {
    this.#key = createPublicKey(
      new X509Certificate(authority).publicKey.export({ format: "pem", type: "spki" }),
    );
    this.#boxId = boxId;
    this.#clock = clock;
  }

  /** The user who asks, or why nobody is believed. */
  async read(identity: string | undefined): Promise<HubUser | IdentityRefusal> {
    if (identity === undefined) return "missing";
    if (identity.length > LENGTH_MAX) return "malformed";
    try {
      const { payload } = await jwtVerify(identity, this.#key, {
        ...{ algorithms: [ALGORITHM], issuer: ISSUER, audience: this.#boxId, clockTolerance: CLOCK_SECONDS },
        ...{ maxTokenAge: IDENTITY_SECONDS, requiredClaims: ["jti", "iat", "exp"] },
        currentDate: new Date(this.#clock.nowUs() / US_PER_MS),
      });
      const user = v.safeParse(readUser, knownOf(payload.user));
      if (!user.success || payload.jti === undefined) return "malformed";
      return this.#use(payload.jti) ?? (user.output as HubUser);
    } catch (error) {
      return refusalOf(error);
    }
  }

  #use(jti: string): IdentityRefusal | undefined {
    const nowUs = this.#clock.monotonicUs();
    for (const [known, untilUs] of this.#used) {
      if (untilUs > nowUs) break;
      this.#used.delete(known);
    }
    if (this.#used.has(jti)) return "replayed";
    if (this.#used.size >= KNOWN_MAX) return "crowded";
    this.#used.set(jti, nowUs + KNOWN_FOR_US);
    return undefined;
  }
}

/** Rights that this version does not know are none here: the hub may be of a newer one. */
function knownOf(user: unknown): unknown {
  if (typeof user !== "object" || user === null || !("Rights" in user) || !Array.isArray(user.Rights))
    return user;
  const known: readonly unknown[] = GROUP_RIGHTS;
  return { ...user, Rights: user.Rights.slice(0, RIGHTS_READ_MAX).filter((right) => known.includes(right)) };
}

function refusalOf(error: unknown): IdentityRefusal {
  if (error instanceof errors.JWTExpired) return "expired";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "foreign";
  if (error instanceof errors.JWTClaimValidationFailed) return error.claim === "iat" ? "expired" : "foreign";
  return "malformed";
}
