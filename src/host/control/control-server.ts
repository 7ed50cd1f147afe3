import { chmodSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Log,
  NvrdError,
  noteWork,
  US_PER_MS,
} from "../../base/index.js";
import {
  CONTROL_SOCKET,
  LineSplitter,
  PROGRESS_LENGTH_MAX,
  REQUEST_BYTES_MAX,
  readRequest,
} from "./control-protocol.js";
import { socketAddress } from "./socket-address.js";

/** Most clients at a time. */
const CONNECTIONS_MAX = 8;
/** A client must send its request within this time. */
const REQUEST_TIMEOUT_MS = 10_000;
/** With more unsent bytes, progress is dropped: the client does not read. */
const UNSENT_BYTES_MAX = 256 * 1024;
const RETRY_MS = 10_000;
const SOCKET_MODE = 0o600;

export interface ControlCall {
  /** The client's arguments, unchecked. */
  readonly arguments: unknown;
  /** Sends the client a line of progress. */
  progress(line: string): void;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Runs a command. Its result is sent to the client as JSON; an NvrdError keeps its code. */
export type ControlHandler = (call: ControlCall) => Promise<unknown>;

export interface ControlServerOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The service's end of the control socket. Start it only while holding the data directory's lock. */
export class ControlServer {
  readonly #options: ControlServerOptions;
  readonly #handlers = new Map<string, ControlHandler>();
  readonly #sockets = new Set<Socket>();
  /** Undefined until an attempt to listen has succeeded. */
  #server: Server | undefined;
  #retry: ClockTimer | undefined;
  #attempt: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: ControlServerOptions) {
    this.#options = options;
  }

  /** Adds a command. Throws if its name is taken. */
  register(command: string, handler: ControlHandler): void {
    if (this.#handlers.has(command)) throw new Error(`control command ${command} is registered twice`);
    this.#handlers.set(command, handler);
  }

  /**
   * Listens, replacing a socket left by a killed service. Retries on a full or failing system disk: recording does not
   * wait for the command line.
   */
  async start(): Promise<void> {
    this.#attempt = this.#tryToListen();
    await this.#attempt;
  }

  async #tryToListen(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      this.#server = await this.#listen();
      if (this.#retry !== undefined) log.info("the command line can reach the service");
    } catch (error) {
      if (this.#retry === undefined)
        log.error(
          { error: errorText(error) },
          "no control socket: the command line cannot reach the service",
        );
      if (this.#stopped) return;
      this.#retry = clock.setTimeout(() => {
        this.#attempt = this.#tryToListen();
      }, RETRY_MS);
    }
  }

  /**
   * Each attempt has its own server, because a server that listens cannot listen again. A failed attempt is closed and
   * its files are removed.
   */
  async #listen(): Promise<Server> {
    const { dataDir, log } = this.#options;
    // Created in a private directory, and moved once its mode is set.
    const temporaryDir = mkdtempSync(path.join(dataDir, "control-"));
    try {
      return await this.#listenIn(temporaryDir);
    } finally {
      try {
        rmSync(temporaryDir, { recursive: true, force: true });
      } catch (error) {
        log.warn({ directory: temporaryDir, error: errorText(error) }, "cannot be removed");
      }
    }
  }

  async #listenIn(temporaryDir: string): Promise<Server> {
    const { dataDir, log } = this.#options;
    // libuv unlinks this name when the server closes, so it must be unique.
    const name = `${path.basename(temporaryDir)}.sock`;
    const address = socketAddress(temporaryDir, name);
    const server = createServer((socket) => this.#accept(socket));
    server.maxConnections = CONNECTIONS_MAX;
    try {
      await listening(server, address.path);
      chmodSync(path.join(temporaryDir, name), SOCKET_MODE);
      renameSync(path.join(temporaryDir, name), path.join(dataDir, CONTROL_SOCKET));
    } catch (error) {
      await closed(server);
      throw error;
    } finally {
      address.close();
    }
    server.on("error", (error) => log.error({ error: errorText(error) }, "control socket failed"));
    return server;
  }

  /** Closes every connection and removes the socket. If the disk refuses to remove it, the next start replaces it. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#retry?.clear();
    await this.#attempt;
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    this.#removeSocket();
    for (const socket of this.#sockets) socket.destroy();
    await closed(server);
  }

  #removeSocket(): void {
    const file = path.join(this.#options.dataDir, CONTROL_SOCKET);
    try {
      rmSync(file, { force: true });
    } catch (error) {
      this.#options.log.warn({ file, error: errorText(error) }, "the control socket cannot be removed");
    }
  }

  #accept(socket: Socket): void {
    const client = new ControlConnection(socket, this.#options, (command) => this.#handlers.get(command));
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    client.start();
  }
}

function listening(server: Server, socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(socketPath, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

/** Resolves when the server is closed, also when it never listened. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

/** One client: one request, its progress, its answer. */
class ControlConnection {
  readonly #socket: Socket;
  readonly #options: ControlServerOptions;
  readonly #handlerOf: (command: string) => ControlHandler | undefined;
  readonly #lines = new LineSplitter(REQUEST_BYTES_MAX);
  readonly #disconnected = new AbortController();
  #hasRequest = false;

  constructor(
    socket: Socket,
    options: ControlServerOptions,
    handlerOf: (command: string) => ControlHandler | undefined,
  ) {
    this.#socket = socket;
    this.#options = options;
    this.#handlerOf = handlerOf;
  }

  start(): void {
    const socket = this.#socket;
    const late = () => {
      if (!this.#hasRequest) socket.destroy();
    };
    const timer = this.#options.clock.setTimeout(late, REQUEST_TIMEOUT_MS);
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (error) =>
      this.#options.log.debug({ error: errorText(error) }, "control client lost"),
    );
    socket.once("close", () => {
      timer.clear();
      this.#disconnected.abort();
    });
  }

  #take(chunk: Buffer): void {
    // Data after the first line is dropped: there is one request per connection.
    if (this.#hasRequest) return;
    const { clock } = this.#options;
    const startedUs = clock.monotonicUs();
    try {
      const line = this.#lines.push(chunk)[0];
      if (line === undefined) return;
      this.#hasRequest = true;
      void this.#answer(line);
    } catch (error) {
      this.#hasRequest = true;
      this.#fail(error);
    } finally {
      noteWork("the command line", (clock.monotonicUs() - startedUs) / US_PER_MS);
    }
  }

  async #answer(line: string): Promise<void> {
    try {
      const request = readRequest(line);
      const handler = this.#handlerOf(request.command);
      if (handler === undefined) {
        throw new NvrdError(
          "NOT_SUPPORTED",
          `the running service has no command ${request.command.slice(0, 40)}`,
        );
      }
      this.#options.log.info({ command: request.command }, "control command");
      const progress = (text: string) => this.#progress(text);
      const result = await handler({
        arguments: request.arguments,
        progress,
        signal: this.#disconnected.signal,
      });
      this.#end({ result: result ?? null });
    } catch (error) {
      this.#fail(error);
    }
  }

  #progress(text: string): void {
    if (this.#socket.destroyed || this.#socket.writableLength > UNSENT_BYTES_MAX) return;
    this.#socket.write(`${JSON.stringify({ progress: text.slice(0, PROGRESS_LENGTH_MAX) })}\n`);
  }

  #fail(error: unknown): void {
    const code = error instanceof NvrdError ? error.code : "INTERNAL";
    if (code === "INTERNAL") this.#options.log.error({ error: errorText(error) }, "control command failed");
    this.#end({ error: { code, message: errorText(error) } });
  }

  #end(answer: unknown): void {
    if (!this.#socket.destroyed) this.#socket.end(`${JSON.stringify(answer)}\n`);
  }
}
