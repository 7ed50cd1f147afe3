import { createHash } from "node:crypto";
import { type Clock, type ClockTimer, errorText, type Log, readPlain } from "../base/index.js";
import { type CertificateFiles, PEM_BYTES_MAX } from "./certificate/tls-certificate.js";
import type { HttpServer } from "./http-server.js";

/** How often the certificate files are checked. */
export const CERTIFICATE_CHECK_MS = 10_000;

export interface HttpsServerOptions {
  readonly files: CertificateFiles;
  /** Creates a server with the present files; throws if they cannot be used. */
  readonly create: (files: CertificateFiles) => HttpServer;
  /** Asked before the files are looked at. Never rejects. */
  readonly renew?: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * HTTPS with certificate renewal at run time. When the files change, a second server with the new files takes over the port,
 * and the first one keeps its connections until they end. Unusable (half renewed) files are ignored until they change again.
 */
export class HttpsServer {
  readonly #options: HttpsServerOptions;
  readonly #retired = new Set<HttpServer>();
  #current: HttpServer;
  #fingerprint: string;
  #place: { readonly host: string; readonly port: number } | undefined;
  #timer: ClockTimer | undefined;
  #checking: Promise<void> | undefined;
  #fault: string | undefined;

  private constructor(options: HttpsServerOptions, fingerprint: string) {
    this.#options = options;
    this.#fingerprint = fingerprint;
    this.#current = options.create(options.files);
  }

  /** Rejects with the error of `create`: NvrdError SETTINGS_INVALID if certificate and key cannot be used. */
  static async open(options: HttpsServerOptions): Promise<HttpsServer> {
    // Read before the files are used, so that a change in between is detected.
    return new HttpsServer(options, await fingerprintOf(options.files));
  }

  /** Why the present files cannot be used, while the former ones are; undefined: they are used. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** See HttpServer.listen. */
  listen(host: string, port: number): number {
    const taken = this.#current.listen(host, port);
    this.#place = { host, port: taken };
    this.#timer ??= this.#options.clock.setInterval(() => this.#check(), CERTIFICATE_CHECK_MS);
    return taken;
  }

  async stop(): Promise<void> {
    this.#timer?.clear();
    this.#place = undefined;
    await this.#checking;
    await Promise.all([this.#current, ...this.#retired].map((server) => server.stop()));
    this.#retired.clear();
  }

  #check(): void {
    this.#checking ??= this.#checkFiles()
      .catch((error: unknown) => {
        this.#options.log.warn({ reason: errorText(error) }, "the certificate files cannot be read");
      })
      .finally(() => {
        this.#checking = undefined;
      });
  }

  async #checkFiles(): Promise<void> {
    await this.#endRetired();
    await this.#options.renew?.();
    const fingerprint = await fingerprintOf(this.#options.files);
    if (fingerprint === this.#fingerprint || this.#place === undefined) return;
    this.#fingerprint = fingerprint;
    this.#replace(this.#place);
  }

  #replace(place: { readonly host: string; readonly port: number }): void {
    const { create, files, log } = this.#options;
    const before = this.#current;
    try {
      const next = create(files);
      next.takeOver(place.host, place.port);
      before.stopAccepting();
      this.#current = next;
      this.#retired.add(before);
      this.#fault = undefined;
      log.info({ certificate: files.certificateFile }, "HTTPS uses the renewed certificate");
    } catch (error) {
      this.#fault = errorText(error);
      log.error({ reason: this.#fault }, "HTTPS keeps its certificate: the new files cannot be used");
    }
  }

  async #endRetired(): Promise<void> {
    for (const server of this.#retired) {
      if (server.connections > 0) continue;
      this.#retired.delete(server);
      await server.stop();
    }
  }
}

/** A value that changes with the files; an unreadable file is a state, too. */
async function fingerprintOf({ keyFile, certificateFile }: CertificateFiles): Promise<string> {
  const hash = createHash("sha256");
  for (const file of [keyFile, certificateFile]) {
    const bytes = await readPlain(file, PEM_BYTES_MAX).catch((error: unknown) =>
      Buffer.from(errorText(error)),
    );
    hash.update(`${bytes.length} `).update(bytes);
  }
  return hash.digest("hex");
}
