import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";

/**
 * A server that refuses everything, and says what it was sent in the refusal: in the reason, in headers and in the body, as an
 * installer's broken proxy or service does. It speaks HTTP, and SMTP to who waits for a greeting.
 */
export class EchoingServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** All that was sent to it. */
  received = "";

  private constructor(isMail: boolean) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      // A reset by the client is one way to end.
      socket.on("error", () => socket.destroy());
      if (isMail) this.#greet(socket);
      else this.#serve(socket);
    });
  }

  static async start(speaks: "http" | "mail"): Promise<EchoingServer> {
    const server = new EchoingServer(speaks === "mail");
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    socket.on("data", (bytes: Buffer) => {
      const text = bytes.toString("latin1");
      this.received += text;
      const line = text
        .replace(/\r\n/g, " | ")
        .replace(/[^ -~]/g, "?")
        .slice(0, 2000);
      const body = `<Error><Code>Refused</Code><Message>${line.replace(/[<&]/g, "?")}</Message></Error>`;
      socket.end(
        `HTTP/1.1 403 ${line}\r\nX-Echo: ${line}\r\nContent-Type: application/xml\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
    });
  }

  #greet(socket: Socket): void {
    socket.write("220 echo ESMTP\r\n");
    socket.on("data", (bytes: Buffer) => {
      const text = bytes.toString("latin1");
      this.received += text;
      const line = text.trim();
      const plain = Buffer.from(line.split(" ").at(-1) ?? "", "base64")
        .toString("latin1")
        .replaceAll("\0", " ");
      if (/^EHLO/i.test(line)) socket.write("250-echo\r\n250 AUTH PLAIN LOGIN\r\n");
      else socket.write(`535 5.7.8 ${line} is ${plain}\r\n`);
    });
  }
}
