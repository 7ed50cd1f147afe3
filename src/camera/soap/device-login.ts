import { randomBytes } from "node:crypto";
import { Authenticator } from "../../rtsp/index.js";
import { CameraFailure, type LoginMethod } from "../description/camera-failure.js";
import type { HttpAnswer } from "./http-body.js";
import type { LoginClocks } from "./login-clocks.js";
import { isUnsupported } from "./soap-answer.js";
import type { UsernameToken } from "./soap-envelope.js";

export interface DeviceLoginOptions {
  readonly login: string;
  readonly password: string;
  /** The password itself is never sent: no Basic. */
  readonly digestOnly?: boolean;
  /** The method that the device refused the last time: another one goes first, where it takes one. */
  readonly refusedMethod?: LoginMethod | undefined;
  /** Our own clock, Unix milliseconds. */
  readonly nowMs: () => number;
  /** By which tokens are stamped. */
  readonly clocks: LoginClocks;
}

export type RefusalVerdict = "retry" | "check-clock" | "refused";

const CLIENT_NONCE_BYTES = 16;
/**
 * After this many consecutive refusals of a login that was accepted before, the login is considered refused, not the operation.
 */
const DENIALS_MAX = 3;
/**
 * One login at one device. Nothing is sent before the device asks; then one method is tried, once: a device that takes
 * several checks the same password by each, and cameras lock accounts. Once it is refused, nothing is sent any more; who
 * asks again later says which method was refused, and another one is tried.
 */
export class DeviceLogin {
  readonly #options: DeviceLoginOptions;
  readonly #http: Authenticator;
  #method: LoginMethod = "none";
  #isAccepted = false;
  #offersHttp = false;
  #isBasic = false;
  #refusal: CameraFailure | undefined;
  /** A stale nonce was answered again, and no other answer came since. */
  #renewed = false;
  #denials = 0;
  /** A request with the login failed without a reason. */
  #isUnclear = false;
  #answersOthers = false;
  /** Number of refused requests with a login. */
  #tries = 0;
  /** How the last of them was sent. */
  #refusedBy: LoginMethod = "none";

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
    return { login, password, createdMs: this.#options.nowMs() + this.#options.clocks.current.offsetMs };
  }

  /** Authorization header of a request with `body`; undefined unless the method is "http". */
  authorization(httpMethod: string, target: string, body: string): string | undefined {
    return this.#method === "http" ? this.#http.authorization(httpMethod, target, body) : undefined;
  }

  /** A request with `method` was answered, by whatever: what the answer says of nonces holds from now on. */
  answered(method: LoginMethod, answer: HttpAnswer): void {
    if (method !== "http" || answer.status === 401 || answer.challenges.length > 0) return;
    // The nonce was taken, and may be good for one request: the next 401 says nothing about the login.
    this.#http.accepted();
    this.#http.informed(answer.header("authentication-info"));
    this.#renewed = false;
  }

  accepted(method: LoginMethod): void {
    if (method === "none") return;
    this.#isAccepted = true;
    this.#isUnclear = false;
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
    if (isUnclear && (method !== "none" || this.#isUnclear)) {
      return this.#unclearlyRefused(method, answer, failure);
    }
    if (failure.kind !== "unauthorized" && failure.kind !== "clock-off" && !isUnclear) return "refused";
    this.#countTry(method);
    if (method === "http") return this.#httpRefused(answer, failure);
    this.#takeChallenges(answer);
    if (method === "token" && this.#isAccepted) return this.#denied(failure, "check-clock");
    if (method !== "token") return this.#begin();
    return this.#options.clocks.next() ? "retry" : this.#giveUp(doubted(failure, this.#options.clocks.doubt));
  }

  /**
   * The device may refuse the login, or fail at the operation. What is asked next goes without a login first: a device
   * that fails that too, without a word, fails all that needs one. So it sees the password once.
   */
  #unclearlyRefused(method: LoginMethod, answer: HttpAnswer, failure: CameraFailure): RefusalVerdict {
    if (this.#isAccepted) return "refused";
    this.#countTry(method);
    const asksAgain = method === "http" && answer.challenges.length > 0;
    if (this.#isUnclear || asksAgain) {
      const words = `${failure.message}, nor what else needs a login: check user and password`;
      this.#refuse(this.#answersOthers ? new CameraFailure("login-unclear", words) : failure);
    }
    this.#isUnclear = true;
    this.#method = "none";
    return "refused";
  }

  #countTry(method: LoginMethod): void {
    if (method === "none") return;
    this.#tries += 1;
    this.#refusedBy = method;
  }

  #refuse(failure: CameraFailure): void {
    const { kind, message, httpStatus, faultCodes } = failure;
    this.#refusal = new CameraFailure(kind, message, {
      cause: failure.cause,
      faultCodes,
      loginTries: Math.max(1, this.#tries),
      loginMethod: this.#refusedBy,
      ...(this.#refusedBy === "token" ? { loginClocks: this.#options.clocks.tried } : {}),
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
    return this.#giveUp(failure);
  }

  #giveUp(failure: CameraFailure): RefusalVerdict {
    const isWithheld = this.#isBasic && this.#options.digestOnly === true;
    this.#refuse(isWithheld ? plainOnly(failure) : failure);
    return "refused";
  }

  /** A login that was accepted before is refused: the user may not call this operation, or the password was changed. */
  #denied(failure: CameraFailure, verdict: RefusalVerdict): RefusalVerdict {
    this.#denials += 1;
    if (this.#denials >= DENIALS_MAX) this.#refuse(failure);
    return this.#refusal === undefined ? verdict : "refused";
  }

  #takeChallenges(answer: HttpAnswer): void {
    if (this.#offersHttp || answer.challenges.length === 0) return;
    this.#offersHttp = this.#http.challenged(challengeAnswer(answer), false) === "retry";
    this.#isBasic = this.#offersHttp && !this.#http.isDigest;
  }

  /** Digest before WS-Security, because it needs no clock. Basic, which shows the password, where nothing else is asked for. */
  #begin(): RefusalVerdict {
    const { digestOnly = false, refusedMethod } = this.#options;
    const takesHttp = this.#offersHttp && !(this.#isBasic && digestOnly);
    const wasRefused = refusedMethod === "http" && !this.#isBasic;
    this.#method = takesHttp && !wasRefused ? "http" : "token";
    return "retry";
  }
}

/** The device may refuse the time of the login, and not the password. */
function doubted(failure: CameraFailure, doubt: string): CameraFailure {
  const { kind, message, httpStatus, faultCodes } = failure;
  if (doubt === "" || kind === "clock-off") return failure;
  return new CameraFailure(kind, `${message}${doubt}`, {
    cause: failure.cause,
    faultCodes,
    ...(httpStatus === undefined ? {} : { httpStatus }),
  });
}

/** The device asks for the password itself, and must not get it. */
function plainOnly({ message, httpStatus, faultCodes }: CameraFailure): CameraFailure {
  const words = `${message}; it asks for the password unencrypted, which it is not given: it took an encrypted login before`;
  return new CameraFailure("unauthorized", words, {
    faultCodes,
    ...(httpStatus === undefined ? {} : { httpStatus }),
  });
}

function challengeAnswer(answer: HttpAnswer): { headers: ReadonlyMap<string, readonly string[]> } {
  return { headers: new Map([["www-authenticate", answer.challenges]]) };
}
