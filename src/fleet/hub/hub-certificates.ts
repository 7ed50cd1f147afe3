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

  constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  /** Made at the first start. Rejects with the disk's error. */
  async authority(): Promise<KeyAndCertificate> {
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
    if (kept !== undefined && renewalMs(kept.certificate) > this.#nowMs) return kept;
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
