import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

/** A request as the server has read it. */
export interface VisionRequest {
  readonly path: string;
  readonly fields: ReadonlyMap<string, string>;
  /** The file `image`. */
  readonly image: Buffer;
}

export interface Prediction {
  readonly confidence: number;
  readonly x_min: number;
  readonly y_min: number;
  readonly x_max: number;
  readonly y_max: number;
  readonly label?: string;
  readonly plate?: string;
  readonly userid?: string;
}

/** How a request is answered: with predictions, a body of one's own, or by hand. */
export type VisionAnswer =
  | readonly Prediction[]
  | {
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | ((response: ServerResponse) => void);

/** A server with the vision API of DeepStack and CodeProject.AI, whose answers and faults are written in a script. */
export class VisionServer {
  readonly requests: VisionRequest[] = [];
  /** What each path finds. */
  answer: (request: VisionRequest) => VisionAnswer = () => [];
  readonly #server: Server;
  readonly #scheme: "http" | "https";

  private constructor(server: Server, scheme: "http" | "https") {
    this.#server = server;
    this.#scheme = scheme;
  }

  /** `tls`: its key and certificate, PEM. */
  static async start(port = 0, tls?: { readonly key: string; readonly cert: string }): Promise<VisionServer> {
    const server = tls === undefined ? createServer() : createTlsServer(tls);
    const own = new VisionServer(server, tls === undefined ? "http" : "https");
    server.on("request", (request, response) => void own.#serve(request, response));
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return own;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const read = readForm(request, Buffer.concat(chunks));
    this.requests.push(read);
    const answer = this.answer(read);
    if (typeof answer === "function") return answer(response);
    const isOwn = "status" in answer;
    response.writeHead(isOwn ? answer.status : 200, {
      "Content-Type": "application/json",
      ...(isOwn ? answer.headers : {}),
    });
    response.end(isOwn ? answer.body : JSON.stringify({ success: true, predictions: answer, duration: 0 }));
  }
}

/** A form with files as RFC 7578 has it. */
function readForm({ url = "", headers }: IncomingMessage, body: Buffer): VisionRequest {
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(headers["content-type"] ?? "")?.[1] ?? "";
  const fields = new Map<string, string>();
  let image = Buffer.alloc(0);
  const text = body.toString("latin1");
  for (const part of text.split(`--${boundary}`).slice(1, -1)) {
    const [head = "", ...rest] = part.replace(/^\r\n/, "").split("\r\n\r\n");
    const content = rest.join("\r\n\r\n").replace(/\r\n$/, "");
    const name = /name="([^"]+)"/.exec(head)?.[1] ?? "";
    if (name === "image" && head.includes("filename=")) image = Buffer.from(content, "latin1");
    else fields.set(name, content);
  }
  return { path: url, fields, image };
}
