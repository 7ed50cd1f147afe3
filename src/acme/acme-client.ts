import { type Clock, MS_PER_MINUTE, MS_PER_SECOND, pauseUnlessAborted, US_PER_MS } from "../base/index.js";
import type { AccountKey } from "./account-key.js";
import { type AcmeStage, BAD_NONCE, failureOfAnswer, retryAfterMs } from "./acme-error.js";
import { type AcmeDirectory, readErrorDocument, readObject } from "./acme-objects.js";
import { AcmeFailure } from "./acme-problem.js";
import type { AcmeAnswer, AcmeTransport } from "./acme-transport.js";

/** A nonce that is refused is no fault; a server that refuses all of them is. */
const NONCE_TRIES_MAX = 12;
/** RFC 8555, 6.5.1: base64url. */
const NONCE = /^[\w-]{1,512}$/;
/** How often a server is asked how far it is. */
const POLL_MS = { least: MS_PER_SECOND, usual: 2 * MS_PER_SECOND, most: 30 * MS_PER_SECOND } as const;
/** How long a server may take to look at a name, or to sign. */
export const POLLING_MS_MAX = 5 * MS_PER_MINUTE;

export interface AcmeClientOptions {
  readonly transport: AcmeTransport;
  readonly directoryUrl: string;
  /** Called for the first signed request. */
  readonly accountKey: () => Promise<AccountKey>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The exchange with one authority: signed requests with nonces (RFC 8555, 6), and waiting for what takes time. */
export class AcmeClient {
  readonly #options: AcmeClientOptions;
  #key: AccountKey | undefined;
  #directory: AcmeDirectory | undefined;
  #nonce: string | undefined;
  /** Undefined: requests carry the whole key. */
  accountUrl: string | undefined;

  constructor(options: AcmeClientOptions) {
    this.#options = options;
  }

  async key(): Promise<AccountKey> {
    this.#key ??= await this.#options.accountKey();
    return this.#key;
  }

  /** The address that an answer names as that of what was made. Throws AcmeFailure where it is none of the authority's. */
  placeOf(answer: AcmeAnswer): string {
    return this.#options.transport.own(answer.header("location") ?? "").href;
  }

  async directory(): Promise<AcmeDirectory> {
    this.#directory ??= await this.#readDirectory();
    return this.#directory;
  }

  /** An unsigned GET. Rejects with AcmeFailure unless the status is 200. */
  async get(url: string): Promise<AcmeAnswer> {
    const answer = await this.#request(url, { method: "GET" });
    if (answer.status !== 200) throw this.#failure(answer, "order");
    return answer;
  }

  /** A signed request; `payload` undefined: it only reads (RFC 8555, 6.3). Rejects with AcmeFailure unless the status is 2xx. */
  async post(url: string, payload: unknown, stage: AcmeStage = "order"): Promise<AcmeAnswer> {
    const answer = await this.postForAnswer(url, payload);
    if (answer.status < 200 || answer.status > 299) throw this.#failure(answer, stage);
    return answer;
  }

  /** As `post`, whatever the status. A nonce that is refused is replaced by the one that came with the refusal. */
  async postForAnswer(url: string, payload: unknown): Promise<AcmeAnswer> {
    for (let tries = 1; ; tries++) {
      const nonce = this.#nonce ?? (await this.#newNonce());
      this.#nonce = undefined;
      const { accountUrl } = this;
      const signed = await (await this.key()).sign(payload, { url, nonce, accountUrl });
      const answer = await this.#request(url, { method: "POST", body: JSON.stringify(signed) });
      if (answer.status !== 400 || readErrorDocument(answer)?.type !== BAD_NONCE) return answer;
      if (tries >= NONCE_TRIES_MAX)
        throw new AcmeFailure("ServerFaulty", "it refuses each of its own nonces");
    }
  }

  /** Asks until `isOver`. Rejects with AcmeFailure when that takes too long. */
  async poll<T>(url: string, read: (answer: AcmeAnswer) => T, isOver: (value: T) => boolean): Promise<T> {
    const { clock, signal } = this.#options;
    const sinceUs = clock.monotonicUs();
    for (;;) {
      const answer = await this.post(url, undefined);
      const value = read(answer);
      if (isOver(value)) return value;
      if (clock.monotonicUs() - sinceUs > POLLING_MS_MAX * US_PER_MS)
        throw new AcmeFailure("ServerTooSlow", "it has not decided within five minutes");
      const asked = retryAfterMs(answer, clock.nowUs()) ?? POLL_MS.usual;
      await pauseUnlessAborted(clock, Math.min(POLL_MS.most, Math.max(POLL_MS.least, asked)), signal);
    }
  }

  #failure(answer: AcmeAnswer, stage: AcmeStage): AcmeFailure {
    return failureOfAnswer(answer, stage, this.#options.clock.nowUs());
  }

  async #readDirectory(): Promise<AcmeDirectory> {
    return readObject("directory", await this.get(this.#options.directoryUrl));
  }

  async #newNonce(): Promise<string> {
    const { newNonce } = await this.directory();
    const answer = await this.#request(newNonce, { method: "HEAD" });
    if (answer.status >= 400) throw this.#failure(answer, "account");
    if (this.#nonce === undefined) throw new AcmeFailure("ServerFaulty", "it gives no nonce");
    return this.#nonce;
  }

  async #request(
    url: string,
    request: { readonly method: "GET" | "HEAD" | "POST"; readonly body?: string },
  ): Promise<AcmeAnswer> {
    const { transport, signal } = this.#options;
    const answer = await transport.request(url, { ...request, signal });
    const nonce = answer.header("replay-nonce");
    if (nonce !== undefined && NONCE.test(nonce)) this.#nonce = nonce;
    return answer;
  }
}
