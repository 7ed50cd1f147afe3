import { randomBytes } from "node:crypto";
import { Authenticator } from "../../rtsp/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type { HttpAnswer } from "./http-exchange.js";
import { isUnsupported } from "./soap-answer.js";
import type { UsernameToken } from "./soap-envelope.js";

/** How a request identifies the caller: not at all, by WS-Security, by HTTP Digest or Basic. */
export type LoginMethod = "none" | "token" | "http";

export interface DeviceLoginOptions {
  readonly login: string;
  readonly password: string;
  /** The device's time, Unix milliseconds. */
  readonly deviceTimeMs: () => number;
}

export type RefusalVerdict = "retry" | "check-clock" | "refused";

const CLIENT_NONCE_BYTES = 16;
/** Refusals in a row of a login that was taken before: then it is no longer the operation that is denied, but the login. */
const DENIALS_MAX = 3;
/**
 * Requests that a device failed without saying why, though they had a login, before it took that one: then it is the
 * login that it refuses. One may be an operation that the device has not.
 */
const UNCLEAR_MAX = 2;

/**
 * One login at one device. Nothing is sent before the device asks; then each method is tried once, the one it asks for
 * first: a wrong password costs at most one try by HTTP and one by WS-Security, because cameras lock accounts. Once all
 * are refused, nothing is sent any more.
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
  /** A nonce was answered again, and nothing was accepted since. */
  #renewed = false;
  #denials = 0;
  #unclear = 0;
  #answersOthers = false;
  /** Requests with a login that were refused. */
  #tries = 0;

  constructor(options: DeviceLoginOptions) {
    this.#options = options;
    const { login: user, password } = options;
    this.#http = new Authenticator(user === "" ? undefined : { user, password }, () =>
      randomBytes(CLIENT_NONCE_BYTES).toString("hex"),
    );
  }

  /** Why nothing is sent any more; undefined while it is not refused. */
  get refusal(): CameraFailure | undefined {
    return this.#refusal;
  }

  /** What the next request carries. */
  get method(): LoginMethod {
    return this.#method;
  }

  /** The device took the login. */
  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  token(): UsernameToken | undefined {
    if (this.#method !== "token") return undefined;
    const { login, password } = this.#options;
    return { login, password, createdMs: this.#options.deviceTimeMs() };
  }

  /** Authorization header of the next request; undefined where the method is another. */
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

  /** What needs no login was answered: the device works. */
  answeredOpenly(): void {
    this.#answersOthers = true;
  }

  /** Takes a refusal of a request that was sent by `method`; says whether to send it again. */
  refused(method: LoginMethod, answer: HttpAnswer, failure: CameraFailure): RefusalVerdict {
    if (failure.kind === "locked" || failure.kind === "not-activated") this.#refuse(failure);
    if (this.#options.login === "") return "refused";
    // Some devices answer a question without a login by a fault that does not say what it misses.
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

  /** The device may refuse the login, or fail at the operation: it is not asked often enough to lock the account. */
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
    // Once: a device may say so for ever, and each time costs a try of the password.
    if (isStale && !this.#renewed) {
      this.#renewed = true;
      return "retry";
    }
    if (this.#isAccepted) return this.#denied(failure, "refused");
    this.#refusedMethods.add("http");
    return this.#next(failure);
  }

  /** A login that was taken before is refused: this operation is denied to it, or the password was changed meanwhile. */
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

  /** Digest before WS-Security, because it needs no clock; Basic, which shows the password, after all others. */
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
