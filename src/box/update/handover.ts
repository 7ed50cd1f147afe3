import { constants } from "node:fs";
import { lstat, mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import { errorText, type Log, openPlain } from "../../base/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";
import { recorderBefore } from "./journal.js";

/** Names in the handover directory. `nvrd-update.path` watches for the request. */
export const REQUEST_FILE = "request.json";
export const BUNDLE_FILE = "bundle.raucb";
const DIRECTORY_MODE = 0o700;
const REQUEST_BYTES_MAX = 256 * 1024;
const VERSION_LENGTH_MAX = 100;

const requestSchema = v.object({
  id: v.pipe(v.string(), v.uuid()),
  version: v.pipe(v.string(), v.maxLength(VERSION_LENGTH_MAX)),
  before: recorderBefore,
});

export const REQUEST_KIND = keptKind({
  name: REQUEST_FILE,
  folder: "update inbox: ",
  says: "the request to install an update",
  policy: "forget",
  damaged: "the request for an update is invalid",
  schema: requestSchema,
  folderMode: DIRECTORY_MODE,
});

/** The service's request to root's unit: only "install the present bundle". */
export type UpdateRequest = v.InferOutput<typeof requestSchema>;

/**
 * Where the service leaves a bundle for root's unit: a directory owned by the service. Nothing else passes between
 * them, so that the service needs no rights beyond its own files.
 */
export interface Handover {
  /** The request; undefined if there is none, or it is invalid. */
  request(): Promise<UpdateRequest | undefined>;
  readonly bundleFile: string;
  /** Requests installation of the file `received`, and moves it. Durable when it resolves. */
  offer(received: string, request: UpdateRequest): Promise<void>;
  /** Removes bundle and request. */
  clear(): Promise<void>;
}

export class HandoverDirectory implements Handover {
  readonly directory: string;
  readonly #log: Log;

  constructor(options: { readonly directory: string; readonly log: Log }) {
    this.directory = options.directory;
    this.#log = options.log;
  }

  get bundleFile(): string {
    return path.join(this.directory, BUNDLE_FILE);
  }

  async offer(received: string, request: UpdateRequest): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: DIRECTORY_MODE });
    await rename(received, this.bundleFile);
    // The request is written last, so that the bundle is complete when it appears.
    await new KeptFile(REQUEST_KIND, { directory: this.directory, log: this.#log }).replace(request);
  }

  async request(): Promise<UpdateRequest | undefined> {
    try {
      const { size } = await lstat(this.#requestFile);
      if (size > REQUEST_BYTES_MAX) throw new Error(`${size} bytes long`);
      const request = REQUEST_KIND.read(await readOwnFile(this.#requestFile));
      if (!(await lstat(this.bundleFile)).isFile()) throw new Error(`${BUNDLE_FILE} is not a file`);
      return request;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      this.#log.error({ error: errorText(error) }, "the request for an update is invalid");
      return undefined;
    }
  }

  async clear(): Promise<void> {
    // In this order: a request without its bundle is ignored.
    await rm(this.bundleFile, { force: true });
    await rm(this.#requestFile, { force: true });
  }

  get #requestFile(): string {
    return path.join(this.directory, REQUEST_FILE);
  }
}

/** Root reads a file of another user: links are not followed. */
async function readOwnFile(file: string): Promise<string> {
  const handle = await openPlain(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const buffer = Buffer.alloc(REQUEST_BYTES_MAX);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
