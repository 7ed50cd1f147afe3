import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { errorText, type Log, NvrdError } from "../../base/index.js";

/** Maximum size of a Notify, in bytes: a device sends only a few messages at a time. */
export const NOTIFY_BYTES_MAX = 256 * 1024;
/** Maximum number of concurrent connections, per device and in total. */
const DEVICE_CONNECTIONS_MAX = 4;
const CONNECTIONS_MAX = 256;
/** Timeouts of the headers, of a complete request, and of an idle connection, in milliseconds. */
const HEADERS_MS_MAX = 5000;
const REQUEST_MS_MAX = 10_000;
const IDLE_MS_MAX = 5000;
/** How often these timeouts are checked. */
const TIMES_CHECKED_MS = 1000;
const HEADER_BYTES_MAX = 8192;

/** The receiver of one device's messages. */
export interface NotifyReceiver {
  /** The address from which the device connects. */
  readonly device: string;
  /** Takes the body of a Notify; false if the queue is full. */
  readonly take: (body: Buffer, charset: string | undefined) => boolean;
}

export interface NotifyListenerOptions {
  /** One of this machine's addresses. */
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  readonly log: Log;
}

/**
 * An HTTP server on one local address for devices that push messages. It accepts only expected devices, each at a path that
 * only this device knows, with limits on bytes, time and connections.
 */
export class NotifyListener {
  readonly #server: Server;
  readonly #log: Log;
  readonly #receivers = new Map<string, NotifyReceiver>();
  readonly #connections = new Map<string, number>();
  #isForeignerLogged = false;

  private constructor(log: Log) {
    this.#log = log;
    this.#server = createServer({
      headersTimeout: HEADERS_MS_MAX,
      requestTimeout: REQUEST_MS_MAX,
      keepAliveTimeout: IDLE_MS_MAX,
      connectionsCheckingInterval: TIMES_CHECKED_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
      // Cameras violate the header syntax in harmless ways, and omit Host.
      insecureHTTPParser: true,
      requireHostHeader: false,
    });
    this.#server.maxConnections = CONNECTIONS_MAX;
    this.#server.timeout = REQUEST_MS_MAX;
    this.#server.on("connection", (socket: Socket) => this.#admit(socket));
    this.#server.on("request", (request: IncomingMessage, response: ServerResponse) =>
      this.#serve(request, response),
    );
  }

  /** Starts listening. Rejects with NvrdError NOT_AVAILABLE if it cannot. */
  static async open({ address, port, log }: NotifyListenerOptions): Promise<NotifyListener> {
    const listener = new NotifyListener(log);
    await new Promise<void>((resolve, reject) => {
      const fail = (error: Error): void => reject(cannotListen(address, port, error));
      listener.#server.once("error", fail);
      listener.#server.listen({ host: address, port, exclusive: true }, () => {
        listener.#server.off("error", fail);
        listener.#server.on("error", (error) =>
          log.warn({ err: error }, "receiving pushed events of cameras failed"),
        );
        resolve();
      });
    });
    return listener;
  }

  get port(): number {
    // The server listens on an address, not on a pipe.
    return (this.#server.address() as AddressInfo).port;
  }

  /** Returns the path for the device. */
  add(receiver: NotifyReceiver): string {
    const path = `/notify/${randomUUID()}`;
    this.#receivers.set(path, { ...receiver, device: bareAddress(receiver.device) });
    return path;
  }

  remove(path: string): void {
    this.#receivers.delete(path);
  }

  async close(): Promise<void> {
    this.#receivers.clear();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  /** Connections from unexpected hosts are closed without reading. */
  #admit(socket: Socket): void {
    socket.on("error", () => socket.destroy());
    const sender = bareAddress(socket.remoteAddress ?? "");
    const open = this.#connections.get(sender) ?? 0;
    const isExpected = [...this.#receivers.values()].some(({ device }) => device === sender);
    if (!isExpected || open >= DEVICE_CONNECTIONS_MAX) {
      if (!isExpected) this.#logForeigner(sender);
      socket.destroy();
      return;
    }
    this.#connections.set(sender, open + 1);
    socket.on("close", () => {
      const left = (this.#connections.get(sender) ?? 1) - 1;
      if (left > 0) this.#connections.set(sender, left);
      else this.#connections.delete(sender);
    });
  }

  #logForeigner(sender: string): void {
    if (this.#isForeignerLogged || sender === "") return;
    this.#isForeignerLogged = true;
    this.#log.warn(
      { sender },
      "a connection to the event port was refused: the host is not a camera with a subscription",
    );
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const receiver = this.#receivers.get(request.url ?? "");
    const length = Number(request.headers["content-length"] ?? 0);
    // The path of another device is treated as unknown.
    if (receiver?.device !== bareAddress(request.socket.remoteAddress ?? "")) refuse(response, 404);
    else if (request.method !== "POST") refuse(response, 405);
    else if (length > NOTIFY_BYTES_MAX) refuse(response, 413);
    else takeBody(receiver, request, response);
  }
}

function takeBody(receiver: NotifyReceiver, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= NOTIFY_BYTES_MAX) chunks.push(chunk);
    else if (!response.headersSent) refuse(response, 413);
  });
  request.on("end", () => {
    if (response.headersSent) return;
    const charset = /charset=["']?([\w.:-]{1,40})/i.exec(request.headers["content-type"] ?? "")?.[1];
    if (receiver.take(Buffer.concat(chunks), charset))
      response.writeHead(200, { "Content-Length": "0" }).end();
    else refuse(response, 503);
  });
}

/** Refuses the request and closes the connection; the rest of the request is not read. */
function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { Connection: "close", "Content-Length": "0" });
  response.end(() => response.socket?.destroy());
}

/** The address in the form used for comparison: without a zone, IPv4-mapped addresses as IPv4. */
function bareAddress(address: string): string {
  return address.replace(/%.*$/, "").replace(/^::ffff:(?=\d+\.)/i, "");
}

function cannotListen(address: string, port: number, error: Error): NvrdError {
  const code = "code" in error ? String(error.code) : errorText(error);
  const where = port === 0 ? address : `port ${port} of ${address}`;
  const remedy =
    port === 0 ? "is it an address of this machine still?" : "set cameraEventPort to a free one, or 0";
  const message = `${where} cannot be listened on for events that cameras push (${code}): ${remedy}`;
  return new NvrdError("NOT_AVAILABLE", message, { cause: error });
}
