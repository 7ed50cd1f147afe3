import { createHash, X509Certificate } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { TLSSocket } from "node:tls";
import { type Clock, type Guid, MS_PER_MINUTE, MS_PER_SECOND, Strangers } from "../../base/index.js";
import { ObjectStore } from "./object-store.js";
import { type StoreAccess, StoreDoor } from "./store-door.js";
import { StoreError } from "./store-error.js";

const HANDSHAKE_MS_MAX = 10 * MS_PER_SECOND;
const HEADER_MS_MAX = 10 * MS_PER_SECOND;
const HEADER_BYTES_MAX = 16 * 1024;
/** A connection on which nothing moves is ended. */
const SILENCE_MS_MAX = MS_PER_MINUTE;
/** Kept for the next request. */
const KEPT_MS = 2 * MS_PER_MINUTE;
/** Four for sending and four for reading, and those that end just now. */
const CONNECTIONS_OF_ONE_MAX = 12;
const REQUESTS_OF_ONE_MAX = 12;
/** Handshakes of strangers are work: there are never many. */
const STRANGERS_MAX = 16;
const STRANGERS_PER_ADDRESS_MAX = 8;

/** A recorder whose replicas are kept here. */
export interface KeptOwner {
  readonly id: Guid;
  /** SHA-256 of its certificate, base64url. */
  readonly certificate: string;
  /** What its objects may take; 0: nothing more is taken of it. */
  readonly bytesMax: number;
}

/** What is served. Plain values, for any thread. */
export interface ReplicaServing {
  /** A folder on a volume; a folder of each owner is made in it. */
  readonly directory: string;
  /** The disk keeps so much free: less than retention does, which removes recordings of this recorder for what comes. */
  readonly freeBytesMin: number;
  readonly listen: string;
  /** 0: chosen by the kernel. */
  readonly port: number;
  /** Most connections; default: as many as owners need. */
  readonly connectionsMax?: number;
  readonly own: { readonly key: string; readonly certificate: string };
  readonly owners: readonly KeptOwner[];
}

export interface OwnerUse {
  readonly id: Guid;
  readonly usedBytes: number;
}

export interface ReplicaServerOptions {
  readonly clock: Clock;
  /** A failure of the disk. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * The store that other recorders of the LAN use as they use a bucket: HTTP/1.1 over TLS 1.3 on a port of its own. Each is known by the
 * hash of its certificate, and has the bucket that is named by its id. This recorder reads them all.
 */
export class ReplicaServer {
  readonly #options: ReplicaServerOptions;
  readonly #stores = new Map<Guid, ObjectStore>();
  readonly #sockets = new Map<TLSSocket, Guid | "self">();
  readonly #running = new Map<Guid | "self", number>();
  readonly #strangers: Strangers;
  #serving: ReplicaServing | undefined;
  #server: Server | undefined;

  constructor(options: ReplicaServerOptions) {
    this.#options = options;
    const { clock } = options;
    this.#strangers = new Strangers({ max: STRANGERS_MAX, perAddressMax: STRANGERS_PER_ADDRESS_MAX, clock });
  }

  /** Rejects with the system's error where it cannot listen, or the folder cannot be used. */
  async start(serving: ReplicaServing): Promise<void> {
    this.change(serving);
    const { clock, onFailure } = this.#options;
    const door = new StoreDoor({
      clock,
      onFailure,
      accessTo: (bucket, request) => this.#accessTo(bucket, request),
    });
    const { key, certificate } = serving.own;
    const server = createServer({
      ...{ key, cert: certificate, requestCert: true, rejectUnauthorized: false },
      ...{ minVersion: "TLSv1.3", ALPNProtocols: ["http/1.1"], handshakeTimeout: HANDSHAKE_MS_MAX },
      ...{ maxHeaderSize: HEADER_BYTES_MAX, headersTimeout: HEADER_MS_MAX, keepAliveTimeout: KEPT_MS },
      // A segment on a thin link takes long: what stands still is ended instead.
      requestTimeout: 0,
    });
    server.setTimeout(SILENCE_MS_MAX);
    server.maxConnections = connectionsNeeded(serving);
    server.on("connection", (socket) => this.#strangers.add(socket));
    server.on("secureConnection", (socket: TLSSocket) => this.#admit(socket));
    server.on("tlsClientError", (_error, socket) => socket.destroy());
    const serve = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#serve(door, request, response);
    server.on("request", serve);
    server.on("checkContinue", serve);
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(serving.port, serving.listen, () => {
        server.removeListener("error", reject);
        resolve();
      });
    });
    this.#server = server;
  }

  /** Owners came or went, or their shares changed. Throws the disk's error. */
  change(serving: ReplicaServing): void {
    this.#serving = serving;
    const { clock } = this.#options;
    const here = new Set(serving.owners.map(({ id }) => id));
    for (const [socket, id] of this.#sockets) if (id !== "self" && !here.has(id)) socket.destroy();
    for (const id of [...this.#stores.keys()]) if (!here.has(id)) this.#stores.delete(id);
    for (const { id, bytesMax } of serving.owners) {
      const known = this.#stores.get(id);
      known?.room.allow(bytesMax);
      if (known !== undefined) continue;
      const directory = path.join(serving.directory, id);
      const store = new ObjectStore({ directory, bytesMax, freeBytesMin: serving.freeBytesMin, clock });
      this.#stores.set(id, store);
      store.count(() => this.#stores.get(id) === store).catch(this.#options.onFailure);
    }
    if (this.#server !== undefined) this.#server.maxConnections = connectionsNeeded(serving);
  }

  stop(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
    this.#stores.clear();
  }

  /** The port that is listened on; 0: none. */
  get port(): number {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port ?? 0;
  }

  uses(): readonly OwnerUse[] {
    return [...this.#stores].map(([id, { room }]) => ({ id, usedBytes: room.usedBytes }));
  }

  #admit(socket: TLSSocket): void {
    socket.on("error", () => socket.destroy());
    const { raw } = socket.getPeerCertificate();
    const id = raw === undefined ? undefined : this.#whoHas(raw);
    const others = [...this.#sockets.values()].filter((other) => other === id);
    if (id === undefined || others.length >= CONNECTIONS_OF_ONE_MAX) {
      socket.destroy();
      return;
    }
    this.#strangers.known(socket);
    this.#sockets.set(socket, id);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #whoHas(raw: Uint8Array): Guid | "self" | undefined {
    const hash = hashOf(raw);
    const { own, owners = [] } = this.#serving ?? {};
    if (own !== undefined && hash === recorderHash(own.certificate)) return "self";
    return owners.find(({ certificate }) => certificate === hash)?.id;
  }

  async #serve(door: StoreDoor, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = this.#sockets.get(request.socket as TLSSocket);
    if (id === undefined) {
      request.destroy();
      return;
    }
    const running = this.#running.get(id) ?? 0;
    if (running >= REQUESTS_OF_ONE_MAX) {
      request.destroy();
      return;
    }
    this.#running.set(id, running + 1);
    try {
      await door.serve(request, response);
    } finally {
      this.#running.set(id, (this.#running.get(id) ?? 1) - 1);
    }
  }

  #accessTo(bucket: string, request: IncomingMessage): StoreAccess {
    const id = this.#sockets.get(request.socket as TLSSocket);
    const store = this.#stores.get(bucket);
    if (id !== "self" && id !== bucket)
      throw new StoreError(403, "AccessDenied", "this is the place of another recorder");
    if (store === undefined)
      throw new StoreError(404, "NoSuchBucket", "nothing of this recorder is kept here");
    return { store, mayWrite: id === bucket };
  }
}

/** Of owners and of this recorder itself, as many as each may have, and those that come meanwhile. */
function connectionsNeeded({ owners, connectionsMax }: ReplicaServing): number {
  const needed = STRANGERS_MAX + (CONNECTIONS_OF_ONE_MAX + STRANGERS_PER_ADDRESS_MAX) * (owners.length + 1);
  return Math.min(needed, connectionsMax ?? needed);
}

function hashOf(der: Uint8Array): string {
  return createHash("sha256").update(der).digest("base64url");
}

/** SHA-256 of a certificate (PEM), base64url: what recorders know each other by. */
export function recorderHash(certificate: string): string {
  return hashOf(new X509Certificate(certificate).raw);
}
