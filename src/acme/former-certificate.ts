import { errorText, NvrdError } from "../base/index.js";
import { type OwnCertificate, readKeyAndCertificate, writeKeyAndCertificate } from "../http/index.js";
import type { AcmeFiles } from "./acme-files.js";

export interface FormerCertificateOptions {
  readonly files: AcmeFiles;
  readonly certificate: OwnCertificate;
}

/** The certificate that HTTPS had before the first one of an authority: one that was uploaded is kept, the recorder's own made anew. */
export class FormerCertificate {
  readonly #options: FormerCertificateOptions;

  constructor(options: FormerCertificateOptions) {
    this.#options = options;
  }

  /** What HTTPS has now, PEM. */
  async present(): Promise<string | undefined> {
    return (await readKeyAndCertificate(this.#options.certificate.files))?.certificate;
  }

  async putAside(): Promise<void> {
    const { certificate, files } = this.#options;
    const pair = await readKeyAndCertificate(certificate.files);
    if (pair === undefined || (await certificate.authority()) !== undefined) return;
    await writeKeyAndCertificate(files.before, pair);
  }

  async putBack(): Promise<void> {
    const { certificate, files } = this.#options;
    const pair = await readKeyAndCertificate(files.before);
    try {
      if (pair !== undefined) return void (await certificate.replace(pair));
    } catch (error) {
      // It has ended meanwhile.
      if (!(error instanceof NvrdError)) throw new Error(errorText(error), { cause: error });
    }
    await certificate.restore();
  }
}
