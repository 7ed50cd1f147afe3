import { randomBytes } from "node:crypto";
import { Authenticator } from "../../rtsp/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type { HttpAnswer } from "./http-exchange.js";
import { isUnsupported } from "./soap-answer.js";
import type { UsernameToken } from "./soap-envelope.js";

/** How a request is authenticated: not at all, by WS-Security, or by HTTP Digest or Basic. */
export type LoginMethod = "none" | "token" | "http";

export interface DeviceLoginOptions {
  readonly login: string;
  readonly password: string;
  /** The device's time, Unix milliseconds. */
  readonly deviceTimeMs: () => number;
}

export type RefusalVerdict = "retry" | "check-clock" | "refused";

const CLIENT_NONCE_BYTES = 16;
/**
 * After this many consecutive refusals of a login that was accepted before, the login is considered refused, not the operation.
 */
const DENIALS_MAX = 3;
/**
 * After this many unexplained failures of requests with a login that was never accepted, the login is considered refused. A
 * single one may be an operation that the device does not have.
 */
const UNCLEAR_MAX = 2;

/**
 * One login at one device. No credentials are sent before the device asks for them. Then each method is tried once, the
 * requested one first: a wrong password costs at most one attempt by HTTP and one by WS-Security, because cameras lock
 * accounts. Once all are refused, no more are sent.
 */
export class DeviceLogin {
  readonly #options: DeviceLoginOptions;
  readonly #http: Authenticator;
  readonly #refusedMethods = new Set<LoginMethod>();
  #method: LoginMethod = "none";
  #isAccepted = false;
  #offersHttp = false;
  #isBasic = false;
  #refusal: CameraFailure | undefined;
  /** A stale nonce was answered again, and nothing was accepted since. */
  #renewed = false;
  #denials = 0;
  #unclear = 0;
  #answersOthers = false;
  /** Number of refused requests with a login. */
  #tries = 0;

  constructor(options: DeviceLoginOptions) {
    this.#options = options;
    const { login: user, password } = options;
    this.#http = new Authenticator(user === "" ? undefined : { user, password }, () =>
      randomBytes(CLIENT_NONCE_BYTES).toString("hex"),
    );
  }

  /** Why no more credentials are sent; undefined while the login is not refused. */
  get refusal(): CameraFailure | undefined {
    return this.#refusal;
  }

  /** The method of the next request. */
  get method(): LoginMethod {
    return this.#method;
  }

  /** The device has accepted the login. */
  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  token(): UsernameToken | undefined {
    if (this.#method !== "token") return undefined;
    const { login, password } = this.#options;
    return { login, password, createdMs: this.#options.deviceTimeMs() };
  }

  /** Authorization header of the next request; undefined unless the method is "http". */
  authorization(httpMethod: string, target: string): string | undefined {
    return this.#method === "http" ? this.#http.authorization(httpMethod, target) : undefined;
  }

  accepted(method: LoginMethod): void {
    if (method === "none") return;
    if (method === "http") this.#http.accepted();
    this.#isAccepted = true;
    this.#renewed = false;
    this.#denials = 0;
  }

  /** A request that needs no login was answered: the device works. */
  answeredOpenly(): void {
    this.#answersOthers = true;
  }

  /** Handles the refusal of a request sent with `method`; returns whether to send it again. */
  refused(method: LoginMethod, answer: HttpAnswer, failure: CameraFailure): RefusalVerdict {
    if (failure.kind === "locked" || failure.kind === "not-activated") this.#refuse(failure);
    if (this.#options.login === "") return "refused";
    // Some devices answer a request without a login with a fault that does not mention the login.
    const isUnclear = failure.kind === "refused" && !isUnsupported(failure);
    if (isUnclear && method !== "none") return this.#unclearlyRefused(failure);
    if (failure.kind !== "unauthorized" && failure.kind !== "clock-off" && !isUnclear) return "refused";
    if (method !== "none") this.#tries += 1;
    if (method === "http") return this.#httpRefused(answer, failure);
    this.#takeChallenges(answer);
    if (method === "token" && this.#isAccepted) return this.#denied(failure, "check-clock");
    if (method === "token") this.#refusedMethods.add("token");
    return this.#next(failure);
  }

  /** The device may refuse the login, or fail at the operation. The number of attempts stays below what locks an account. */
  #unclearlyRefused(failure: CameraFailure): RefusalVerdict {
    if (this.#isAccepted) return "refused";
    this.#tries += 1;
    this.#unclear += 1;
    if (this.#unclear >= UNCLEAR_MAX) {
      const words = `${failure.message}, nor what else needs a login: check user and password`;
      this.#refuse(this.#answersOthers ? new CameraFailure("login-unclear", words) : failure);
    }
    return "refused";
  }

  #refuse(failure: CameraFailure): void {
    const { kind, message, httpStatus, faultCodes } = failure;
    this.#refusal = new CameraFailure(kind, message, {
      cause: failure.cause,
      faultCodes,
      loginTries: Math.max(1, this.#tries),
      ...(httpStatus === undefined ? {} : { httpStatus }),
    });
  }

  #httpRefused(answer: HttpAnswer, failure: CameraFailure): RefusalVerdict {
    const isStale =
      answer.challenges.length > 0 && this.#http.challenged(challengeAnswer(answer), true) === "retry";
    // Only once: a device may report a stale nonce forever, and each repetition costs an attempt.
    if (isStale && !this.#renewed) {
      this.#renewed = true;
      return "retry";
    }
    if (this.#isAccepted) return this.#denied(failure, "refused");
    this.#refusedMethods.add("http");
    return this.#next(failure);
  }

  /** A login that was accepted before is refused: the user may not call this operation, or the password was changed. */
  #denied(failure: CameraFailure, verdict: RefusalVerdict): RefusalVerdict {
    this.#denials += 1;
    if (this.#denials >= DENIALS_MAX) this.#refuse(failure);
    return this.#refusal === undefined ? verdict : "refused";
  }

  #takeChallenges(answer: HttpAnswer): void {
    if (this.#offersHttp || answer.challenges.length === 0 || this.#refusedMethods.has("http")) return;
    this.#offersHttp = this.#http.challenged(challengeAnswer(answer), false) === "retry";
    this.#isBasic = this.#http.authorization("POST", "/")?.startsWith("Basic ") ?? false;
  }

  /** Digest before WS-Security, because it needs no clock; Basic last, because it reveals the password. */
  #next(failure: CameraFailure): RefusalVerdict {
    const order: LoginMethod[] = this.#offersHttp && !this.#isBasic ? ["http", "token"] : ["token", "http"];
    const next = order.find(
      (method) => !this.#refusedMethods.has(method) && (method !== "http" || this.#offersHttp),
    );
    if (next !== undefined) {
      this.#method = next;
      return "retry";
    }
    this.#refuse(failure);
    return "refused";
  }
}

function challengeAnswer(answer: HttpAnswer): { headers: ReadonlyMap<string, readonly string[]> } {
  return { headers: new Map([["www-authenticate", answer.challenges]]) };
}
