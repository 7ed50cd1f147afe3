import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type Server, type TlsOptions } from "node:tls";

/** TLS with a certificate of its own in front of a plain port of loopback. */
export class TlsProxy {
  readonly #directory = mkdtempSync(join(tmpdir(), "nvrd-tls-"));
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(plainPort: number, rules: TlsOptions) {
    this.#server = createServer({ ...this.#certificate("new key"), ...rules }, (secure) => {
      const plain = connect(plainPort, "127.0.0.1");
      secure.pipe(plain).pipe(secure);
      for (const socket of [secure, plain]) {
        this.#sockets.add(socket);
        socket.on("close", () => this.#sockets.delete(socket));
        socket.on("error", () => {
          secure.destroy();
          plain.destroy();
        });
      }
    });
  }

  /** `rules`: what it knows of TLS and the certificate that it has; as much as Node does, and one of its own, when absent. */
  static async start(plainPort: number, rules: TlsOptions = {}): Promise<TlsProxy> {
    const proxy = new TlsProxy(plainPort, rules);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** From now on another certificate, of the same key or of a new one. */
  renew(key: "same key" | "new key"): void {
    this.#server.setSecureContext(this.#certificate(key));
  }

  #certificate(which: "same key" | "new key"): { key: Buffer; cert: Buffer } {
    const [key, cert] = [join(this.#directory, "key.pem"), join(this.#directory, "cert.pem")];
    const subject = ["-nodes", "-subj", "/CN=camera", "-days", "1"];
    const source = which === "same key" ? ["-key", key] : ["-newkey", "rsa:2048", "-keyout", key];
    execFileSync("openssl", ["req", "-x509", ...source, ...subject, "-out", cert], { stdio: "ignore" });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends the connections that are open. */
  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.disconnect();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.#directory, { recursive: true });
  }
}
