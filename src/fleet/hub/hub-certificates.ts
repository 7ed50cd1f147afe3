import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { type Clock, US_PER_MS } from "../../base/index.js";
import {
  type CertificateFiles,
  type KeyAndCertificate,
  readKeyAndCertificate,
  writeKeyAndCertificate,
} from "../../http/index.js";
import { createHubAuthority, createHubCertificate, renewalMs } from "../join/certificates.js";

/** Key and certificate of a hub's authority, and of the hub itself, in its folder. */
export class HubCertificates {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #shared: KeyAndCertificate | undefined;

  /** `shared`: the authority that this hub has together with others; undefined: its own. */
  constructor(directory: string, clock: Clock, shared: KeyAndCertificate | undefined) {
    this.#directory = directory;
    this.#clock = clock;
    this.#shared = shared;
  }

  /** Made at the first start. Rejects with the disk's error. */
  async authority(): Promise<KeyAndCertificate> {
    if (this.#shared !== undefined) return this.#shared;
    const files = this.#files("authority");
    const kept = await readKeyAndCertificate(files);
    if (kept !== undefined) return kept;
    const made = await createHubAuthority(this.#nowMs);
    await writeKeyAndCertificate(files, made);
    return made;
  }

  /** Made anew in time. Rejects with the disk's error. */
  async own(authority: KeyAndCertificate): Promise<KeyAndCertificate> {
    const files = this.#files("hub");
    const kept = await readKeyAndCertificate(files);
    if (kept !== undefined && renewalMs(kept.certificate) > this.#nowMs && isHubOf(authority, kept))
      return kept;
    const made = await createHubCertificate(authority, this.#nowMs);
    await writeKeyAndCertificate(files, made);
    return made;
  }

  get #nowMs(): number {
    return this.#clock.nowUs() / US_PER_MS;
  }

  #files(name: string): CertificateFiles {
    return {
      keyFile: join(this.#directory, `${name}-key.pem`),
      certificateFile: join(this.#directory, `${name}.pem`),
    };
  }
}

/** TLS Web Client Authentication (RFC 5280, 4.2.1.12): hubs of older versions have not connected to each other. */
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

function isHubOf(authority: KeyAndCertificate, kept: KeyAndCertificate): boolean {
  const own = new X509Certificate(kept.certificate);
  const { publicKey } = new X509Certificate(authority.certificate);
  return own.keyUsage?.includes(CLIENT_AUTH) === true && own.verify(publicKey);
}
