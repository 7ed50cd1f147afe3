import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { RecorderPlace } from "../../../src/away/s3/s3-target.js";
import { ReplicaServer, type ReplicaServing } from "../../../src/away/store/replica-server.js";
import { type Guid, SystemClock } from "../../../src/base/index.js";
import { createHubAuthority } from "../../../src/fleet/join/certificates.js";
import { certificateHash } from "../../../src/fleet/join/code.js";
import type { KeyAndCertificate } from "../../../src/http/index.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";

/** What a recorder shows others, and its hash. */
export interface SampleIdentity extends KeyAndCertificate {
  readonly hash: string;
}

export async function recorderIdentity(): Promise<SampleIdentity> {
  const made = await createHubAuthority(Date.now());
  return { ...made, hash: certificateHash(made.certificate) };
}

/** A recorder that keeps replicas of another one, on a folder that outlives it. */
export class SampleKeeper {
  readonly directory = new TemporaryDirectory("nvrd-keeper");
  readonly failures: unknown[] = [];
  /** The disk is to keep so much free. */
  freeBytesMin = 0;
  #server: ReplicaServer | undefined;
  #port = 0;

  private constructor(
    readonly ownerId: Guid,
    readonly own: SampleIdentity,
    readonly owner: SampleIdentity,
  ) {}

  static async start(ownerId: Guid, bytesMax: number): Promise<SampleKeeper> {
    const keeper = new SampleKeeper(ownerId, await recorderIdentity(), await recorderIdentity());
    await keeper.run(bytesMax);
    return keeper;
  }

  /** At the port that it had before. */
  async run(bytesMax: number): Promise<void> {
    this.halt();
    const server = new ReplicaServer({
      clock: new SystemClock(),
      onFailure: (error) => this.failures.push(error),
    });
    await server.start(this.#serving(bytesMax));
    this.#server = server;
    this.#port = server.port;
  }

  allow(bytesMax: number): void {
    this.#server?.change(this.#serving(bytesMax));
  }

  halt(): void {
    this.#server?.stop();
    this.#server = undefined;
  }

  remove(): void {
    this.halt();
    this.directory.remove();
  }

  get port(): number {
    return this.#port;
  }

  /** As the owner reaches it. */
  get place(): RecorderPlace {
    const { hash } = this.own;
    const { key, certificate } = this.owner;
    return {
      ...{ name: "Cellar", hosts: ["127.0.0.1"], port: this.#port, certificate: hash },
      ...{ own: { key, certificate }, problem: "" },
    };
  }

  /** The file of an object. */
  fileOf(key: string): string {
    return path.join(this.directory.path, this.ownerId, "objects", key);
  }

  /** All objects below a prefix of whole folders, by key. */
  objects(folder: string): ReadonlyMap<string, Buffer> {
    const root = this.fileOf("");
    const files = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));
    const keys = files.map((file) => path.relative(root, file)).filter((key) => key.startsWith(folder));
    return new Map(keys.sort().map((key) => [key, readFileSync(path.join(root, key))]));
  }

  #serving(bytesMax: number): ReplicaServing {
    const { key, certificate } = this.own;
    return {
      ...{
        directory: this.directory.path,
        freeBytesMin: this.freeBytesMin,
        listen: "127.0.0.1",
        port: this.#port,
      },
      own: { key, certificate },
      owners: [{ id: this.ownerId, certificate: this.owner.hash, bytesMax }],
    };
  }
}
