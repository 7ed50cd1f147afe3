import type { KeyAndCertificate } from "../http/index.js";
import type { AcmeClient } from "./acme-client.js";
import { ALREADY_REPLACED, failureOf, failureOfAnswer } from "./acme-error.js";
import {
  type AcmeAuthorization,
  type AcmeErrorDocument,
  type AcmeOrder,
  readErrorDocument,
  readObject,
  tokenOf,
} from "./acme-objects.js";
import { AcmeFailure } from "./acme-problem.js";
import type { AcmeAnswer } from "./acme-transport.js";
import { checkedChain } from "./certificate-chain.js";
import { requestCertificate } from "./certificate-request.js";
import type { OpenChallenges } from "./open-challenges.js";

const HTTP_CHALLENGE = "http-01";
const CHAIN_TYPE = "application/pem-certificate-chain";
const CONFLICT = 409;

/** What an order is doing. */
export interface OrderStep {
  readonly doing: "ordering" | "checking" | "signing";
  /** The host name that is being looked at. */
  readonly name: string;
  /** 0 to 1. */
  readonly part: number;
}

export interface CertificateOrderOptions {
  readonly client: AcmeClient;
  readonly names: readonly string[];
  /** The certificate that this one comes after, as RFC 9773 names it. */
  readonly replaces: string | undefined;
  readonly challenges: OpenChallenges;
  readonly nowUs: () => number;
  readonly signal: AbortSignal;
  readonly onStep: (step: OrderStep) => void;
}

/** Orders a certificate, shows the authority that the names are the recorder's, and fetches it (RFC 8555, 7.4). */
export class CertificateOrder {
  readonly #options: CertificateOrderOptions;

  constructor(options: CertificateOrderOptions) {
    this.#options = options;
  }

  async run(): Promise<KeyAndCertificate> {
    const { names, onStep } = this.#options;
    onStep({ doing: "ordering", name: "", part: 0 });
    const { order, url } = await this.#place();
    const due = order.authorizations;
    if (due.length > names.length)
      throw new AcmeFailure("ServerFaulty", "it wants more proofs than there are names");
    for (const [index, authorization] of due.entries()) {
      await this.#prove(authorization, (index + 1) / (due.length + 2));
    }
    onStep({ doing: "signing", name: "", part: (due.length + 1) / (due.length + 2) });
    return await this.#finish(url);
  }

  async #place(): Promise<{ readonly order: AcmeOrder; readonly url: string }> {
    const { client, names, replaces } = this.#options;
    const { newOrder } = await client.directory();
    const payload = { identifiers: names.map((value) => ({ type: "dns", value })) };
    let answer = await client.postForAnswer(
      newOrder,
      replaces === undefined ? payload : { ...payload, replaces },
    );
    // An order that came this far before: that one's certificate was lost, and the authority does not count twice.
    const isReplaced = answer.status === CONFLICT || readErrorDocument(answer)?.type === ALREADY_REPLACED;
    if (replaces !== undefined && isReplaced) answer = await client.postForAnswer(newOrder, payload);
    if (answer.status !== 201) throw failureOfAnswer(answer, "order", this.#options.nowUs());
    const order = readObject("order", answer);
    return { order, url: client.placeOf(answer) };
  }

  async #prove(url: string, part: number): Promise<void> {
    const { client, names, challenges, onStep } = this.#options;
    const authorization = readObject("authorization", await client.post(url, undefined));
    const name = authorization.identifier.value.toLowerCase();
    if (!names.includes(name))
      throw new AcmeFailure("ServerFaulty", "it asks for a name that was not ordered");
    onStep({ doing: "checking", name, part });
    if (authorization.status === "valid") return;
    const challenge = authorization.challenges.find(({ type }) => type === HTTP_CHALLENGE);
    if (challenge === undefined)
      throw new AcmeFailure("NoChallenge", "it does not look over HTTP (http-01)", { name });
    const token = tokenOf(challenge);
    const close = challenges.open(token, `${token}.${await (await client.key()).thumbprint()}`);
    try {
      await client.post(challenge.url, {}, "challenge");
      const read = (answer: AcmeAnswer) => readObject("authorization", answer);
      const looked = await client.poll(url, read, ({ status }) => status !== "pending");
      if (looked.status !== "valid") throw this.#refused(looked, name);
    } finally {
      close();
    }
  }

  #refused({ challenges, status }: AcmeAuthorization, name: string): AcmeFailure {
    const error = challenges.find(({ error: problem }) => problem !== undefined)?.error;
    if (error !== undefined) return failureOf(error, { stage: "challenge", name });
    return new AcmeFailure("Other", `its proof of ${name} is ${status}`, { name });
  }

  async #finish(url: string): Promise<KeyAndCertificate> {
    const { client, names, nowUs } = this.#options;
    const read = (answer: AcmeAnswer) => readObject("order", answer);
    const ready = await client.poll(url, read, ({ status }) => status !== "pending");
    if (ready.status !== "ready") throw orderRefused(ready);
    const { key, request } = await requestCertificate(names);
    await client.post(ready.finalize, { csr: request.toString("base64url") });
    const isOver = ({ status }: AcmeOrder): boolean => status === "valid" || status === "invalid";
    const signed = await client.poll(url, read, isOver);
    if (signed.status !== "valid" || signed.certificate === undefined) throw orderRefused(signed);
    const answer = await client.post(signed.certificate, undefined);
    if (answer.type !== CHAIN_TYPE) throw new AcmeFailure("ServerFaulty", "its certificate is not in PEM");
    const certificate = checkedChain(answer.body.toString("latin1"), { key, names, nowUs: nowUs() });
    return { key, certificate };
  }
}

function orderRefused({
  status,
  error,
}: {
  readonly status: string;
  readonly error?: AcmeErrorDocument | undefined;
}): AcmeFailure {
  if (error !== undefined) return failureOf(error, { stage: "order" });
  return new AcmeFailure("ServerFaulty", `its order is ${status}, without a reason or a certificate`);
}
