import type { Clock } from "../base/index.js";
import type { KeyAndCertificate } from "../http/index.js";
import { type KnownAccount, useAccount } from "./acme-account.js";
import { AcmeClient } from "./acme-client.js";
import type { AcmeFiles } from "./acme-files.js";
import { AcmeFailure } from "./acme-problem.js";
import type { AcmeSettings } from "./acme-settings.js";
import { AcmeTransport } from "./acme-transport.js";
import { CertificateOrder, type OrderStep } from "./certificate-order.js";
import type { OpenChallenges } from "./open-challenges.js";
import { readRenewalWindow, renewalId } from "./renewal-info.js";
import type { RenewalWindow } from "./renewal-time.js";

export interface AcmeExchangeOptions {
  readonly files: AcmeFiles;
  readonly challenges: OpenChallenges;
  readonly clock: Clock;
}

export interface Wanted {
  readonly settings: AcmeSettings;
  readonly account: KnownAccount | undefined;
  /** PEM: the certificate that this one comes after, of the same authority. */
  readonly before: string | undefined;
  readonly signal: AbortSignal;
  readonly onStep: (step: OrderStep) => void;
}

/** What an authority is asked for, each time over connections of its own. All of it rejects with AcmeFailure or another error. */
export class AcmeExchange {
  readonly #options: AcmeExchangeOptions;

  constructor(options: AcmeExchangeOptions) {
    this.#options = options;
  }

  /** A new certificate, by the account that is known or a new one. */
  async obtain({ settings, account, before, signal, onStep }: Wanted): Promise<{
    readonly pair: KeyAndCertificate;
    readonly account: KnownAccount;
  }> {
    const { challenges, clock } = this.#options;
    return await this.#with(settings, signal, async (client) => {
      const used = await useAccount(client, settings, account);
      const { renewalInfo } = await client.directory();
      const replaces =
        before === undefined || renewalInfo === undefined ? undefined : await renewalId(before);
      const { names } = settings;
      const nowUs = () => clock.nowUs();
      const order = new CertificateOrder({ client, names, replaces, challenges, nowUs, signal, onStep });
      return { pair: await order.run(), account: used };
    });
  }

  /** When the authority wants a certificate renewed; undefined where it does not say such things. */
  async renewalWindow(
    settings: AcmeSettings,
    certificate: string,
    signal: AbortSignal,
  ): Promise<{ readonly window: RenewalWindow; readonly lookUs: number } | undefined> {
    const id = await renewalId(certificate);
    if (id === undefined) return undefined;
    const nowUs = this.#options.clock.nowUs();
    return await this.#with(settings, signal, (client) => readRenewalWindow(client, id, nowUs));
  }

  /** The address of the authority's terms; undefined: it has none. Rejects where the account of the settings is not enough. */
  async terms(settings: AcmeSettings, signal: AbortSignal): Promise<string | undefined> {
    const { meta } = await this.#with(settings, signal, (client) => client.directory());
    if (meta?.externalAccountRequired === true && settings.account === undefined)
      throw new AcmeFailure("AccountNeeded", "it wants a key id and an HMAC key of an account with it");
    return meta?.termsOfService;
  }

  async #with<T>(
    { directoryUrl, trust }: AcmeSettings,
    signal: AbortSignal,
    work: (client: AcmeClient) => Promise<T>,
  ): Promise<T> {
    const { files, clock } = this.#options;
    const transport = new AcmeTransport({ directoryUrl, trust, clock });
    try {
      const accountKey = () => files.accountKey();
      return await work(new AcmeClient({ transport, directoryUrl, accountKey, clock, signal }));
    } finally {
      transport.close();
    }
  }
}
