import { bytesBody, S3Client, S3Error, type S3Target } from "../../away/index.js";
import { type Clock, errorText, NvrdError } from "../../base/index.js";

/** A document is no longer. */
export const DOCUMENT_BYTES_MAX = 65_536;
const ANSWER_MS_MAX = 10_000;

/** Small documents that several hubs have together. Each is replaced as a whole. */
export interface HubStore {
  /** Names of all documents of a folder, which ends with a slash. Rejects with NvrdError NOT_AVAILABLE. */
  names(folder: string): Promise<readonly string[]>;
  /** Undefined: there is none. Rejects with NvrdError NOT_AVAILABLE. */
  read(name: string): Promise<string | undefined>;
  /** Rejects with NvrdError NOT_AVAILABLE: then it may say the one or the other. */
  write(name: string, text: string): Promise<void>;
  /** None is no error. Rejects with NvrdError NOT_AVAILABLE. */
  remove(name: string): Promise<void>;
  close(): void;
}

/** The documents of hubs in a bucket (S3). */
export class BucketHubStore implements HubStore {
  readonly #client: S3Client;

  constructor(target: S3Target, clock: Clock) {
    this.#client = new S3Client({ target, clock, silenceMsMax: ANSWER_MS_MAX, socketsMax: 8 });
  }

  async names(folder: string): Promise<readonly string[]> {
    return await asked(async () => {
      const names: string[] = [];
      let after: string | undefined;
      do {
        const { objects, next } = await this.#client.list(folder, after === undefined ? {} : { after });
        names.push(...objects.map(({ key }) => key));
        after = next;
      } while (after !== undefined);
      return names;
    });
  }

  async read(name: string): Promise<string | undefined> {
    return await asked(async () => {
      try {
        const { body } = await this.#client.get(name, { bytesMax: DOCUMENT_BYTES_MAX });
        return body.toString("utf8");
      } catch (error) {
        if (error instanceof S3Error && error.fault === "not-found") return undefined;
        throw error;
      }
    });
  }

  async write(name: string, text: string): Promise<void> {
    await asked(() => this.#client.put(name, bytesBody(Buffer.from(text))));
  }

  async remove(name: string): Promise<void> {
    await asked(() => this.#client.remove(name));
  }

  close(): void {
    this.#client.close();
  }
}

async function asked<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new NvrdError("NOT_AVAILABLE", `the store of this hub's list: ${errorText(error)}`, {
      hint: "look at the settings hubStore…, and whether the storage answers",
      cause: error,
    });
  }
}
