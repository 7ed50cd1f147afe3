import { CameraFailure, type LoginClock, type LoginMethod } from "../description/camera-failure.js";
import type { DeviceAccess } from "../description/device-access.js";
import type { XmlElement } from "../xml/xml-element.js";
import { DeviceLogin } from "./device-login.js";
import { type DeviceUrl, parseDeviceUrl, placeOf, requestTarget } from "./device-url.js";
import type { HttpAnswer } from "./http-body.js";
import { CALL_MS_MAX, type Contact, HttpExchange, OddAnswer } from "./http-exchange.js";
import { LoginClocks } from "./login-clocks.js";
import { redirectTarget, redirectUrl } from "./redirect.js";
import { isActivationPage, notActivated, type SoapContext, soapResponse } from "./soap-answer.js";
import { NAMESPACES, soapEnvelope } from "./soap-envelope.js";

/** Maximum size of a SOAP answer, in bytes: the profiles of an encoder with 64 channels need less than half of it. */
export const SOAP_BYTES_MAX = 1024 * 1024;
/** Maximum number of requests of one call: without a login, two methods, a stale nonce, an adjusted clock. */
const ATTEMPTS_MAX = 6;
/** Operations that need no login (ONVIF Core, access class PRE_AUTH): their answers do not prove a login. */
const OPEN_OPERATIONS: ReadonlySet<string> = new Set([
  "GetCapabilities",
  "GetEndpointReference",
  "GetHostname",
  "GetServiceCapabilities",
  "GetServices",
  "GetSystemDateAndTime",
  "GetWsdlUrl",
]);

const REFUSALS: ReadonlySet<string> = new Set(["refused", "unauthorized", "clock-off"]);

export type ServiceName = keyof typeof NAMESPACES;

export interface SoapCall {
  /** Address of the service. */
  readonly address: string;
  readonly service: ServiceName;
  readonly operation: string;
  /** Content of the operation's element; prefix `m` is the service's namespace, `tt` the ONVIF schema's. */
  readonly content?: string;
  /** Further SOAP header elements, complete. */
  readonly headers?: string;
  /** Action from the WSDL, if it is not the namespace and the operation's name. */
  readonly action?: string;
  readonly signal?: AbortSignal | undefined;
  /** The login may be spent on it, although it needs none by the standard. */
  readonly asUser?: boolean;
}

interface SoapClientOptions extends DeviceAccess {
  /** Reads the device's clocks; called again if a login is suddenly refused. */
  readonly readClocks?: (client: SoapClient) => Promise<readonly LoginClock[]>;
}

/** SOAP 1.2 requests to one device as one user: one at a time, with the login method that the device asks for. */
export class SoapClient {
  readonly #options: SoapClientOptions;
  readonly #exchange: HttpExchange;
  readonly #login: DeviceLogin;
  readonly #clocks: LoginClocks;
  #usedPlainPassword = false;
  #usedBasic = false;

  constructor(options: SoapClientOptions) {
    this.#options = options;
    this.#exchange = new HttpExchange({
      clock: options.clock,
      verifyCertificate: options.verifyCertificate ?? false,
      timeoutMs: options.callTimeoutMs ?? CALL_MS_MAX,
      acceptsKey: options.acceptsKey,
    });
    this.#clocks = new LoginClocks(options.refusedClocks);
    this.#login = new DeviceLogin({
      login: options.login,
      password: options.password,
      digestOnly: options.digestOnly ?? false,
      refusedMethod: options.refusedMethod,
      nowMs: () => this.nowMs,
      clocks: this.#clocks,
    });
  }

  /** Our own clock, Unix milliseconds. */
  get nowMs(): number {
    return Math.round(this.#options.clock.nowUs() / 1000);
  }

  /** The clocks by which the device may judge the times in WS-Security tokens, likeliest first. */
  set clocks(clocks: readonly LoginClock[]) {
    this.#clocks.set(clocks);
  }

  /** The clock that tokens are stamped by. */
  get clock(): LoginClock {
    return this.#clocks.current;
  }

  /** Set when every login method was refused; then no request with a login is sent. */
  get refusal(): CameraFailure | undefined {
    return this.#login.refusal;
  }

  /** The device took the login. */
  get isLoginAccepted(): boolean {
    return this.#login.isAccepted;
  }

  /** How the device was asked last. */
  get loginMethod(): LoginMethod {
    return this.#login.method;
  }

  /** The password was sent unencrypted, because the device supports nothing better. */
  get usedPlainPassword(): boolean {
    return this.#usedPlainPassword;
  }

  /** The device took the login as a digest, without the password. */
  get tookDigest(): boolean {
    return this.#login.isAccepted && !this.#usedBasic;
  }

  /** Addresses of the connection that the last answer came by; undefined before there was one. */
  get contact(): Contact | undefined {
    return this.#exchange.contact;
  }

  close(): void {
    this.#exchange.close();
  }

  /** A call without a login. Returns the response, the address that sent it after redirects, and the HTTP date. */
  async ask(call: SoapCall): Promise<{ response: XmlElement; url: DeviceUrl; date: string }> {
    const { answer, url } = await this.#send(call, "anonymous");
    const response = await soapResponse(answer, this.#context(call, url));
    return { response, url, date: answer.header("date") };
  }

  /** A call with the login, if the device asks for one. Rejects with CameraFailure. */
  async call(call: SoapCall): Promise<XmlElement> {
    let clockChecked = false;
    const isOpen = OPEN_OPERATIONS.has(call.operation) && call.asUser !== true;
    let as: "anonymous" | "user" = isOpen && !this.#login.isAccepted ? "anonymous" : "user";
    for (let attempt = 0; ; attempt += 1) {
      if (this.#login.refusal !== undefined) throw this.#login.refusal;
      const method = as === "user" ? this.#login.method : "none";
      const { answer, url } = await this.#send(call, as);
      this.#login.answered(method, answer);
      try {
        const response = await soapResponse(answer, this.#context(call, url));
        if (isOpen) this.#login.answeredOpenly();
        else this.#login.accepted(method);
        return response;
      } catch (error) {
        if (!(error instanceof CameraFailure)) throw error;
        // No login attempt is spent on an operation that needs no login: devices refuse single ones to everybody.
        if (as === "anonymous" && REFUSALS.has(error.kind)) throw error;
        as = "user";
        const verdict = this.#login.refused(method, answer, error);
        if (this.#options.login === "" && error.kind === "unauthorized") throw loginMissing(url, error);
        if (verdict === "refused" || attempt + 1 >= ATTEMPTS_MAX) throw this.#login.refusal ?? error;
        if (verdict === "retry") continue;
        if (clockChecked || !(await this.#clockMoved())) throw error;
        clockChecked = true;
      }
    }
  }

  async #clockMoved(): Promise<boolean> {
    return this.#clocks.movedTo((await this.#options.readClocks?.(this)) ?? []);
  }

  async #send(call: SoapCall, as: "anonymous" | "user"): Promise<{ answer: HttpAnswer; url: DeviceUrl }> {
    let url = parseDeviceUrl(call.address, this.#options.secureOnly === true ? ["https"] : ["http", "https"]);
    if (url === undefined) throw unusableAddress(call, this.#options.secureOnly === true);
    for (let redirects = 0; ; redirects += 1) {
      const answer = await this.#exchanged(call, url, as);
      const target = redirectTarget(answer);
      if (target === undefined) return { answer, url };
      if (isActivationPage(target)) throw notActivated(placeOf(url));
      url = redirectUrl(target, { from: url, redirects });
    }
  }

  /** Whose answer cannot be read is asked once more: with a login of its own, as nonces are good once. */
  async #exchanged(call: SoapCall, url: DeviceUrl, as: "anonymous" | "user"): Promise<HttpAnswer> {
    try {
      return await this.#post(call, url, as);
    } catch (error) {
      if (!(error instanceof OddAnswer)) throw error;
      return await this.#post(call, url, as);
    }
  }

  async #post(call: SoapCall, url: DeviceUrl, as: "anonymous" | "user"): Promise<HttpAnswer> {
    const namespace = NAMESPACES[call.service];
    const action = call.action ?? `${namespace}/${call.operation}`;
    const body = soapEnvelope({
      namespace,
      operation: call.operation,
      content: call.content ?? "",
      headers: call.headers ?? "",
      token: as === "user" ? this.#login.token() : undefined,
    });
    const authorization =
      as === "user" ? this.#login.authorization("POST", requestTarget(url), body) : undefined;
    if (authorization?.startsWith("Basic ")) this.#usedBasic = true;
    if (url.scheme === "http" && this.#usedBasic) this.#usedPlainPassword = true;
    return await this.#exchange.call({
      method: "POST",
      url,
      headers: {
        "Content-Type": `application/soap+xml; charset=utf-8; action="${action}"`,
        ...(authorization === undefined ? {} : { Authorization: authorization }),
      },
      body,
      bytesMax: SOAP_BYTES_MAX,
      isMessage: true,
      signal: call.signal,
    });
  }

  #context(call: SoapCall, url: DeviceUrl): SoapContext {
    const { clock, password } = this.#options;
    const reading = { peer: this.#exchange.contact?.remote ?? url.host, clock, signal: call.signal };
    return { place: placeOf(url), operation: call.operation, secret: password, reading };
  }
}

function loginMissing(url: DeviceUrl, cause: CameraFailure): CameraFailure {
  return new CameraFailure("unauthorized", `${placeOf(url)} asks for a login: enter user and password`, {
    cause,
  });
}

function unusableAddress(call: SoapCall, secureOnly: boolean): CameraFailure {
  if (secureOnly && /^http:/i.test(call.address)) {
    const message =
      "the device offers this service only unencrypted, and the settings require a secure connection";
    return new CameraFailure("insecure", message);
  }
  return new CameraFailure("bad-answer", `the device reports no usable address for ${call.operation}`);
}
