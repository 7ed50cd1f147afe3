import { closeSync, existsSync, openSync, readSync } from "node:fs";
import path from "node:path";

/** What a setting begins with that names a credential in place of a path. */
export const CREDENTIAL_PREFIX = "credential:";
/** Names as systemd takes them, less what would be a path (systemd.exec(5), LoadCredential=). */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;
const TEXT_BYTES_MAX = 4096;

/** Secrets that the service manager handed over as files, for this service alone. */
export class Credentials {
  readonly #directory: string | undefined;

  /** `directory` is `CREDENTIALS_DIRECTORY` of the environment; undefined where there are none. */
  constructor(directory: string | undefined) {
    this.#directory = directory === undefined || !path.isAbsolute(directory) ? undefined : directory;
  }

  /** The file of a credential that was handed over; undefined otherwise. */
  fileOf(name: string): string | undefined {
    if (this.#directory === undefined || !NAME.test(name)) return undefined;
    const file = path.join(this.#directory, name);
    return existsSync(file) ? file : undefined;
  }

  /** The first line of a credential; undefined where there is none. Throws the system's error when it cannot be read. */
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
