import { closeSync, existsSync, openSync, readSync } from "node:fs";
import path from "node:path";

/** Prefix of a setting that names a credential instead of a path. */
export const CREDENTIAL_PREFIX = "credential:";
/** Names accepted by systemd, except paths (systemd.exec(5), LoadCredential=). */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;
const TEXT_BYTES_MAX = 4096;

/** Secrets that the service manager passes to this service as files. */
export class Credentials {
  readonly #directory: string | undefined;

  /** `directory` is `CREDENTIALS_DIRECTORY` of the environment; undefined if there are none. */
  constructor(directory: string | undefined) {
    this.#directory = directory === undefined || !path.isAbsolute(directory) ? undefined : directory;
  }

  /** The file of a credential; undefined if there is none. */
  fileOf(name: string): string | undefined {
    if (this.#directory === undefined || !NAME.test(name)) return undefined;
    const file = path.join(this.#directory, name);
    return existsSync(file) ? file : undefined;
  }

  /** The first line of a credential; undefined if there is none. Throws the system's error if it cannot be read. */
  textOf(name: string): string | undefined {
    const file = this.fileOf(name);
    if (file === undefined) return undefined;
    const bytes = Buffer.alloc(TEXT_BYTES_MAX);
    const fd = openSync(file, "r");
    try {
      return bytes.toString("utf8", 0, readSync(fd, bytes)).split("\n", 1)[0];
    } finally {
      closeSync(fd);
    }
  }
}
