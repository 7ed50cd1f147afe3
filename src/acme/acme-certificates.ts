import { X509Certificate } from "node:crypto";
import {
  type Clock,
  type ClockKnowledge,
  type ClockTimer,
  errorText,
  formatIsoTime,
  type Log,
  Semaphore,
  US_PER_DAY,
} from "../base/index.js";
import { type CertificateFacts, factsOf, type OwnCertificate } from "../http/index.js";
import type { RunningTask, Task, TaskOwner, Tasks } from "../task/index.js";
import { AcmeExchange } from "./acme-exchange.js";
import { AcmeFiles, type KeptFailure, type KeptState, newState } from "./acme-files.js";
import { AcmeFailure, acmeFailure } from "./acme-problem.js";
import { type AcmeSettings, isSameAccount } from "./acme-settings.js";
import type { OrderStep } from "./certificate-order.js";
import { FormerCertificate } from "./former-certificate.js";
import type { OpenChallenges } from "./open-challenges.js";
import { latestTryUs, nextTryUs, renewalTimeUs, WINDOW_LOOK_US } from "./renewal-time.js";

/** How often it is looked whether something is due. */
const ACME_LOOK_MS = 60_000;
/** Settings that wait for each other. */
const WAITING_MAX = 16;
/** A certificate with less of its lifetime left should have been renewed, and is a problem of the recorder's. */
const LEFT_SHARE_PROBLEM = 1 / 4;
/** So many failures before the first certificate are a problem as well. */
const FAILURES_PROBLEM = 3;

/** A certificate was obtained, or could not be for a new reason. */
export type AcmeNotice =
  | { readonly what: "obtained"; readonly facts: CertificateFacts }
  | { readonly what: "failed"; readonly failure: AcmeFailure; readonly names: readonly string[] };

interface AcmeCertificatesOptions {
  readonly dataDir: string;
  /** The certificate of HTTPS. */
  readonly certificate: OwnCertificate;
  readonly challenges: OpenChallenges;
  readonly tasks: Pick<Tasks, "start">;
  readonly knowledge: Pick<ClockKnowledge, "isKnown">;
  /** The port that the authority's look arrives at; 0: there is none. */
  readonly httpPort: () => number;
  readonly onNotice: (notice: AcmeNotice) => void;
  /** 0 to 1, each time another; default: by chance. */
  readonly random?: () => number;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is known of certificates from an authority. */
export interface AcmeState {
  /** Undefined: none is asked. */
  readonly settings: AcmeSettings | undefined;
  /** The certificate of HTTPS, while it is the authority's. */
  readonly facts: CertificateFacts | undefined;
  /** Unix µs. */
  readonly obtainedUs: number | undefined;
  /** When it is renewed, or tried again; undefined: not before the clock is known. */
  readonly nextUs: number | undefined;
  readonly isWorking: boolean;
  /** What is being done now. */
  readonly step: OrderStep | undefined;
  /** Why the last try failed; undefined after one that did not. */
  readonly failure: KeptFailure | undefined;
}

/** Certificates of HTTPS from an authority on the network: asked for, put in place, renewed in time, for as long as that is wanted. */
export class AcmeCertificates {
  readonly #options: AcmeCertificatesOptions;
  readonly #log: Log;
  readonly #files: AcmeFiles;
  readonly #exchange: AcmeExchange;
  readonly #former: FormerCertificate;
  readonly #changes = new Semaphore({ atOnce: 1, waitingMax: WAITING_MAX });
  readonly #random: () => number;
  #settings: AcmeSettings | undefined;
  #state: KeptState;
  #timer: ClockTimer | undefined;
  #looking: Promise<void> | undefined;
  #working: { readonly done: Promise<void>; readonly stop: AbortController } | undefined;
  #step: OrderStep | undefined;
  #problem: string | undefined;
  #stopping = new AbortController();

  constructor(options: AcmeCertificatesOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#log = options.log.child({ part: "acme" });
    this.#files = new AcmeFiles({ dataDir: options.dataDir, log: this.#log });
    this.#exchange = new AcmeExchange({ ...options, files: this.#files });
    this.#former = new FormerCertificate({ files: this.#files, certificate: options.certificate });
    this.#settings = this.#files.settings();
    this.#state = this.#files.state() ?? newState(this.#random());
  }

  get isOn(): boolean {
    return this.#settings !== undefined;
  }

  get settings(): AcmeSettings | undefined {
    return this.#settings;
  }

  /** What is wrong, for the recorder's health; undefined: nothing. As of the last look. */
  get problem(): string | undefined {
    return this.#problem;
  }

  start(): void {
    this.#timer = this.#options.clock.setInterval(() => this.#lookSoon(), ACME_LOOK_MS);
    this.#lookSoon();
  }

  /** What is under way ends without a result; the next start tries it again, not at once. */
  async stop(): Promise<void> {
    this.#timer?.clear();
    this.#stopping.abort();
    this.#working?.stop.abort();
    await this.whenIdle();
  }

  /** Resolves when nothing is being asked or looked at. */
  async whenIdle(): Promise<void> {
    await this.#looking;
    await this.#working?.done;
  }

  async state(): Promise<AcmeState> {
    const { failure, obtained } = this.#state;
    const present = this.#settings === undefined ? undefined : await this.#present();
    return {
      settings: this.#settings,
      facts: present === undefined ? undefined : factsOf(new X509Certificate(present)),
      obtainedUs: present === undefined ? undefined : obtained?.timeUs,
      nextUs:
        this.#settings === undefined || !this.#options.knowledge.isKnown ? undefined : this.#dueUs(present),
      isWorking: this.#working !== undefined,
      step: this.#step,
      failure: failure ?? undefined,
    };
  }

  /** Asks this authority from now on, in the name of `owner`. What is under way for the settings before ends. Rejects if they cannot be kept. */
  async use(settings: AcmeSettings, owner: TaskOwner): Promise<void> {
    await this.#changes.run(async () => {
      await this.#endWork();
      const before = this.#settings;
      if (before === undefined || !isSameAccount(before, settings)) {
        await this.#files.forgetAccount();
        this.#state = { ...this.#state, account: null };
      }
      await this.#keep({ ...this.#state, failures: 0, tryUs: 0, lookUs: 0, failure: null });
      await this.#files.writeSettings(settings);
      this.#settings = settings;
      this.#problem = undefined;
    });
    await this.#look(owner);
  }

  /** Asks no authority any more: what was the certificate before is it again. */
  async turnOff(): Promise<void> {
    await this.#changes.run(async () => {
      await this.#endWork();
      if ((await this.#present()) !== undefined) await this.#former.putBack();
      await this.#files.forget();
      this.#settings = undefined;
      this.#state = newState(this.#random());
      this.#problem = undefined;
    });
  }

  /** Asks now, whenever it would be due. Throws NvrdError TOO_MANY_REQUESTS; undefined while it is being done already. */
  askNow(owner: TaskOwner): Task | undefined {
    const settings = this.#settings;
    return settings === undefined || this.#working !== undefined ? undefined : this.#begin(settings, owner);
  }

  /** The address of the terms of the authority of these settings, which need not be kept; undefined: it has none. Rejects with AcmeFailure. */
  async terms(settings: AcmeSettings, signal: AbortSignal): Promise<string | undefined> {
    try {
      return await this.#exchange.terms(settings, signal);
    } catch (error) {
      throw acmeFailure(error);
    }
  }

  #lookSoon(): void {
    if (this.#looking !== undefined) return;
    this.#looking = this.#look(undefined)
      .catch((error: unknown) => {
        this.#log.warn(
          { error: errorText(error) },
          "it cannot be looked whether a certificate is to be renewed",
        );
      })
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #look(owner: TaskOwner | undefined): Promise<void> {
    const { knowledge, clock } = this.#options;
    const settings = this.#settings;
    // A clock that is not known would renew what is good, or take what has ended for good.
    if (settings === undefined || !knowledge.isKnown || this.#working !== undefined) return;
    let present = await this.#present();
    if (present !== undefined && this.#isWindowDue()) {
      await this.#readWindow(settings, present);
      present = await this.#present();
    }
    this.#problem = this.#problemOf(present);
    if (this.#settings !== settings || this.#working !== undefined || this.#stopping.signal.aborted) return;
    if (clock.nowUs() >= this.#dueUs(present)) this.#beginOrWait(settings, owner);
  }

  #beginOrWait(settings: AcmeSettings, owner: TaskOwner | undefined): void {
    try {
      this.#begin(settings, owner);
    } catch (error) {
      this.#log.debug({ error: errorText(error) }, "the certificate waits for other long work");
    }
  }

  /** The certificate of HTTPS, PEM, while it is the one that was obtained last. */
  async #present(): Promise<string | undefined> {
    const { obtained } = this.#state;
    if (obtained === null) return undefined;
    const present = await this.#former.present();
    return present !== undefined && new X509Certificate(present).fingerprint256 === obtained.fingerprint
      ? present
      : undefined;
  }

  /** When something is to be asked for. */
  #dueUs(present: string | undefined): number {
    const { tryUs, window, share } = this.#state;
    const nowUs = this.#options.clock.nowUs();
    // The clock was set back, by years perhaps: what was noted is no guide.
    const notBeforeUs = tryUs <= latestTryUs(nowUs) ? tryUs : 0;
    if (present === undefined || !this.#isWanted(present)) return notBeforeUs;
    const facts = factsOf(new X509Certificate(present));
    return Math.max(notBeforeUs, renewalTimeUs(facts, window ?? undefined, share));
  }

  /** Whether it is what the settings ask for. */
  #isWanted(present: string): boolean {
    const [settings, { obtained }] = [this.#settings, this.#state];
    const leaf = new X509Certificate(present);
    return (
      settings?.directoryUrl === obtained?.directoryUrl &&
      settings?.names.every((name) => leaf.checkHost(name) !== undefined) === true
    );
  }

  #isWindowDue(): boolean {
    const [nowUs, { lookUs }] = [this.#options.clock.nowUs(), this.#state];
    return nowUs >= lookUs || lookUs > nowUs + WINDOW_LOOK_US.most;
  }

  /** An authority that does not say, or not now, is asked again later: the lifetime counts meanwhile. */
  async #readWindow(settings: AcmeSettings, present: string): Promise<void> {
    const { clock } = this.#options;
    const later = clock.nowUs() + WINDOW_LOOK_US.usual;
    try {
      const read = await this.#exchange.renewalWindow(settings, present, this.#stopping.signal);
      if (this.#settings !== settings || this.#working !== undefined) return;
      await this.#keep({
        ...this.#state,
        window: read?.window ?? null,
        lookUs: read?.lookUs ?? clock.nowUs() + WINDOW_LOOK_US.most,
      });
    } catch (error) {
      this.#log.info({ reason: errorText(error) }, "the authority does not say when to renew");
      if (this.#settings === settings) await this.#keep({ ...this.#state, lookUs: later });
    }
  }

  #begin(settings: AcmeSettings, owner: TaskOwner | undefined): Task {
    const stop = new AbortController();
    let end = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      end = resolve;
    });
    const work = { done, stop };
    this.#working = work;
    const over = (): void => {
      this.#working = undefined;
      this.#step = undefined;
      end();
    };
    try {
      const { names } = settings;
      return this.#options.tasks.start({
        ...{ kind: "ObtainCertificate", owner, subject: names.join(", "), canCancel: true },
        run: (task) => this.#obtain(settings, task, stop.signal).finally(over),
      });
    } catch (error) {
      over();
      throw error;
    }
  }

  async #obtain(settings: AcmeSettings, task: RunningTask, stopped: AbortSignal): Promise<void> {
    const before = this.#state;
    const failures = before.failures + 1;
    const signal = AbortSignal.any([task.signal, stopped]);
    const nowUs = () => this.#options.clock.nowUs();
    try {
      // Also for a try that ends the service.
      await this.#keep({ ...before, failures, tryUs: this.#againUs(failures, undefined) });
      const { directoryUrl } = settings;
      if (this.#options.httpPort() === 0) throw new AcmeFailure("HttpOff", "the setting httpPort is 0");
      const { pair, account } = await this.#exchange.obtain({
        ...{ settings, signal },
        account:
          before.account === null
            ? undefined
            : { ...before.account, email: before.account.email ?? undefined },
        before: before.obtained?.directoryUrl === directoryUrl ? await this.#present() : undefined,
        onStep: (step) => this.#reportStep(step, task),
      });
      signal.throwIfAborted();
      const facts = factsOf(new X509Certificate(pair.certificate));
      const obtained = { fingerprint: facts.fingerprint, directoryUrl, timeUs: nowUs() };
      if (before.obtained === null) await this.#former.putAside();
      // Before it is put in place: whatever happens in between, it is never taken for one that somebody uploaded.
      await this.#keep({
        ...{ ...newState(this.#random()), obtained, lookUs: nowUs() },
        account: { url: account.url, email: account.email ?? null },
      });
      await this.#options.certificate.replace(pair);
      this.#problem = undefined;
      task.result({ Names: facts.names, ValidTo: formatIsoTime(facts.validToUs) });
      this.#log.info({ names: settings.names.join(" ") }, "a certificate is obtained for HTTPS");
      this.#options.onNotice({ what: "obtained", facts });
    } catch (error) {
      if (signal.aborted)
        await this.#keepIfPossible({
          ...this.#state,
          failures: before.failures,
          tryUs: this.#againUs(1, undefined),
        });
      else throw await this.#fail(acmeFailure(error), settings, failures);
    }
  }

  #reportStep(step: OrderStep, task: RunningTask): void {
    this.#step = step;
    task.progress(step.part);
    task.step(step.name === "" ? step.doing : `${step.doing} ${step.name}`);
  }

  /** `failures`: in a row, with this one. */
  async #fail(failure: AcmeFailure, settings: AcmeSettings, failures: number): Promise<AcmeFailure> {
    const { problem, host = null, untilUs = null, message } = failure;
    const { failure: last } = this.#state;
    const kept = {
      problem,
      text: message.slice(0, 1000),
      host,
      timeUs: this.#options.clock.nowUs(),
      untilUs,
    };
    // A fault of the program itself has no words of its own.
    const err = problem === "Other" ? { err: failure.cause } : {};
    this.#log.warn(
      { problem, host, reason: message, failures, ...err },
      "no certificate is obtained for HTTPS",
    );
    await this.#keepIfPossible({
      ...this.#state,
      failures,
      failure: kept,
      tryUs: this.#againUs(failures, failure.untilUs),
    });
    this.#problem = this.#problemOf(await this.#present());
    if (last?.problem !== problem || last.host !== host)
      this.#options.onNotice({ what: "failed", failure, names: settings.names });
    return failure;
  }

  #againUs(failures: number, untilUs: number | undefined): number {
    return nextTryUs(this.#options.clock.nowUs(), { failures, untilUs, share: this.#random() });
  }

  #problemOf(present: string | undefined): string | undefined {
    const { failure, failures } = this.#state;
    const names = this.#settings?.names.join(", ") ?? "";
    if (failure === null) return undefined;
    if (present === undefined)
      return failures < FAILURES_PROBLEM
        ? undefined
        : `no certificate is obtained for ${names}: ${failure.text}`;
    const { validFromUs, validToUs } = factsOf(new X509Certificate(present));
    const leftUs = validToUs - this.#options.clock.nowUs();
    if (leftUs > (validToUs - validFromUs) * LEFT_SHARE_PROBLEM) return undefined;
    const days = Math.floor(leftUs / US_PER_DAY);
    const ends = leftUs <= 0 ? "has ended" : days === 0 ? "ends today" : `ends in ${days} days`;
    return `the certificate of HTTPS for ${names} ${ends} and could not be renewed: ${failure.text}`;
  }

  async #endWork(): Promise<void> {
    this.#working?.stop.abort();
    await this.#working?.done;
  }

  /** What counts is in memory; a failing disk is reported elsewhere. */
  async #keepIfPossible(state: KeptState): Promise<void> {
    await this.#keep(state).catch((error: unknown) => {
      this.#log.warn({ error: errorText(error) }, "it cannot be kept how a try for a certificate ended");
    });
  }

  async #keep(state: KeptState): Promise<void> {
    this.#state = state;
    await this.#files.writeState(state);
  }
}
