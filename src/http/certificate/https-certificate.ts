import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { type Clock, errorText, type Log, NvrdError, Semaphore, US_PER_MS } from "../../base/index.js";
import { AUTHORITY_FROM_MS, createAuthority, createLeaf, ownNames, permittedNames } from "./own-authority.js";
import { type CertificateFacts, factsOf, replaceCertificate } from "./own-certificate.js";
import {
  authorityFiles,
  type CertificateFiles,
  type KeyAndCertificate,
  ownCertificateFiles,
  readKeyAndCertificate,
  setAside,
  writeKeyAndCertificate,
} from "./tls-certificate.js";
import { isOwn, isSignedBy, isUsable, isWholeAuthority } from "./whole-certificate.js";

const HOUR_MS = 3_600_000;
/** A certificate is made anew so long before its end. */
const RENEWED_BEFORE_MS = 60 * 24 * HOUR_MS;
/** What failed is tried again so much later. */
const RETRY_MS = HOUR_MS;
/** Uploads and renewals that wait for each other. */
const WAITING_MAX = 16;

export interface OwnCertificateOptions {
  readonly dataDir: string;
  /** An address that is listened on. */
  readonly address: string;
  /** Names and addresses that the certificate is to have; those of the machine by default. */
  readonly names?: () => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The certificate of HTTPS in the data directory (`tls/`): made at the first start, signed by an authority of the recorder's
 * own that people may install on their devices, and made anew when the machine gets another name or address, and before it
 * ends. One that somebody put in its place is left alone until that is taken back.
 */
export class OwnCertificate {
  readonly #options: OwnCertificateOptions;
  readonly #changes = new Semaphore({ atOnce: 1, waitingMax: WAITING_MAX });
  /** For which names it was looked at last, and until when that holds. */
  #seen: { readonly names: string; readonly fromMs: number; readonly toMs: number } | undefined;

  constructor(options: OwnCertificateOptions) {
    this.#options = options;
  }

  get files(): CertificateFiles {
    return ownCertificateFiles(this.#options.dataDir);
  }

  /** At the start: makes one where there is none that can be used. Rejects with NvrdError NOT_AVAILABLE if none can be written. */
  async ensure(): Promise<void> {
    try {
      await this.#changes.run(() => this.#ensure());
    } catch (cause) {
      throw new NvrdError("NOT_AVAILABLE", `HTTPS has no certificate: ${errorText(cause)}`, { cause });
    }
  }

  async #ensure(): Promise<void> {
    const { files } = this;
    const { pair, fault } = await readPair(files);
    const authority = await this.#wholeAuthority();
    if (pair !== undefined && isUsable(pair, authority)) return;
    if (pair !== undefined || fault !== undefined) await this.#setAside(files, fault);
    await this.#make();
    this.#options.log.info({ file: files.certificateFile }, "certificate of its own made for HTTPS");
  }

  async #setAside(files: CertificateFiles, fault = "it cannot be used"): Promise<void> {
    const file = files.certificateFile;
    this.#options.log.error({ file, reason: fault }, "the certificate is damaged: another one is made");
    await setAside(files);
  }

  /** Undefined where there is none that can sign. */
  async #wholeAuthority(): Promise<KeyAndCertificate | undefined> {
    const { pair } = await readPair(authorityFiles(this.#options.dataDir));
    return pair !== undefined && isWholeAuthority(pair) ? pair : undefined;
  }

  /** Cheap as long as nothing has changed; HTTPS asks before it looks at the files. */
  async renewIfDue(): Promise<void> {
    const { log } = this.#options;
    const [names, nowMs] = [this.#names(), this.#nowMs()];
    const seen = this.#seen;
    if (seen?.names === names.join() && nowMs >= seen.fromMs && nowMs < seen.toMs) return;
    try {
      await this.#changes.run(async () => {
        if (await this.#isDue(names, nowMs)) {
          await this.#make();
          log.info({ names: names.join(" ") }, "certificate of HTTPS made anew");
        }
      });
    } catch (error) {
      log.warn({ reason: errorText(error) }, "the certificate of HTTPS cannot be made anew: it stays");
      this.#seen = { names: names.join(), fromMs: nowMs - RETRY_MS, toMs: nowMs + RETRY_MS };
    }
  }

  /** The recorder's authority, PEM, while it signs the present certificate; undefined otherwise. */
  async authority(): Promise<{ readonly facts: CertificateFacts; readonly pem: string } | undefined> {
    const pair = await this.#wholeAuthority();
    const present = await readKeyAndCertificate(this.files);
    if (pair === undefined || present === undefined || !isSignedBy(present, pair)) return undefined;
    return { facts: factsOf(new X509Certificate(pair.certificate)), pem: pair.certificate };
  }

  /** See replaceCertificate. */
  async replace(pair: KeyAndCertificate): Promise<CertificateFacts> {
    const facts = await this.#changes.run(() =>
      replaceCertificate(this.files, pair, this.#options.clock.nowUs()),
    );
    this.#seen = undefined;
    return facts;
  }

  /** Takes back what was put in its place: one of the recorder's own again. Rejects if it cannot be written. */
  async restore(): Promise<CertificateFacts> {
    const { certificate } = await this.#changes.run(() => this.#make());
    return factsOf(new X509Certificate(certificate));
  }

  /** Whether it is the recorder's own, and not right any more. */
  async #isDue(names: readonly string[], nowMs: number): Promise<boolean> {
    const present = await readKeyAndCertificate(this.files);
    const authority = await this.#wholeAuthority();
    if (present === undefined) return true;
    if (isOwn(present, authority) && (authority === undefined || !isSignedBy(present, authority)))
      return true;
    if (authority === undefined || !isOwn(present, authority)) {
      this.#seen = { names: names.join(), fromMs: Number.NEGATIVE_INFINITY, toMs: nowMs + RETRY_MS };
      return false;
    }
    const leaf = new X509Certificate(present.certificate);
    const [fromMs, toMs] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo) - RENEWED_BEFORE_MS];
    const isFor = (name: string) =>
      (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined;
    if (nowMs < fromMs || nowMs >= toMs) return true;
    const missing = names.filter((name) => !isFor(name));
    if (missing.length > 0 && (await permittedNames(authority.certificate, missing)).length > 0) return true;
    this.#seen = { names: names.join(), fromMs, toMs };
    return false;
  }

  async #make(): Promise<KeyAndCertificate> {
    const { dataDir } = this.#options;
    const [names, nowMs] = [this.#names(), this.#nowMs()];
    let authority = await this.#wholeAuthority();
    if (authority === undefined) {
      const { pair, fault } = await readPair(authorityFiles(dataDir));
      if (pair !== undefined || fault !== undefined) await this.#setAside(authorityFiles(dataDir), fault);
      authority = await createAuthority(names, nowMs);
      await writeKeyAndCertificate(authorityFiles(dataDir), authority);
    }
    const made = await createLeaf(authority, names, nowMs);
    await writeKeyAndCertificate(this.files, made);
    const leaf = new X509Certificate(made.certificate);
    const [fromMs, toMs] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo) - RENEWED_BEFORE_MS];
    this.#seen = { names: names.join(), fromMs, toMs };
    return made;
  }

  #names(): readonly string[] {
    return this.#options.names?.() ?? ownNames(this.#options.address);
  }

  /** A machine without a battery-backed clock may start in 1970. */
  #nowMs(): number {
    return Math.max(this.#options.clock.nowUs() / US_PER_MS, AUTHORITY_FROM_MS);
  }
}

/** `fault`: there is something, and it cannot be read, or is not whole. */
async function readPair(
  files: CertificateFiles,
): Promise<{ readonly pair?: KeyAndCertificate | undefined; readonly fault?: string }> {
  try {
    const pair = await readKeyAndCertificate(files);
    const isThere = [files.keyFile, files.certificateFile].some((file) => existsSync(file));
    return pair === undefined && isThere ? { fault: "a part of it is missing" } : { pair };
  } catch (error) {
    return { fault: errorText(error) };
  }
}
