import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { type Log, readSmallFile, replaceSmallFile } from "../base/index.js";
import { ACME_PROBLEMS } from "../contract/answer/index.js";
import { acme } from "../contract/index.js";
import type { CertificateFiles } from "../http/index.js";
import { KeptFile, keptKind } from "../kept/index.js";
import { AccountKey } from "./account-key.js";
import type { AcmeSettings } from "./acme-settings.js";

/** In the data directory, below `tls/`: none of it is for anybody but the service. */
const FOLDER = "acme";
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

const text = (lengthMax: number) => v.pipe(v.string(), v.maxLength(lengthMax));
const time = v.pipe(v.number(), v.finite());

const settingsSchema = v.object({
  directoryUrl: text(acme.DirectoryUrl.max),
  names: v.pipe(v.array(text(acme.Names.item.max)), v.minLength(1), v.maxLength(acme.Names.max)),
  email: v.nullable(text(acme.Email.max)),
  trust: v.nullable(text(acme.Authority.max)),
  account: v.nullable(v.object({ keyId: text(acme.KeyId.max), hmacKey: text(acme.HmacKey.max) })),
});

const failureSchema = v.object({
  problem: v.picklist(ACME_PROBLEMS),
  text: text(1000),
  host: v.nullable(text(300)),
  /** When it was tried. */
  timeUs: time,
  untilUs: v.nullable(time),
});

const stateSchema = v.object({
  /** Of the authority's account. */
  account: v.nullable(v.object({ url: text(2048), email: v.nullable(text(acme.Email.max)) })),
  /** The certificate that was obtained last, and what for. */
  obtained: v.nullable(
    v.object({
      /** SHA-256. */
      fingerprint: text(128),
      directoryUrl: text(acme.DirectoryUrl.max),
      timeUs: time,
    }),
  ),
  /** 0 to 1: when within the time for a renewal. */
  share: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
  /** When the authority wants it renewed, and when it is asked again. */
  window: v.nullable(v.object({ startUs: time, endUs: time })),
  lookUs: time,
  /** In a row. */
  failures: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  /** Not before this. Noted before a try begins, so that one that ends the service is not begun again at once. */
  tryUs: time,
  failure: v.nullable(failureSchema),
});

/** Of both files. They hold keys, and are below `tls/acme/`. */
const KIND = { policy: "forget", mode: FILE_MODE, folderMode: FOLDER_MODE } as const;

export const ACME_SETTINGS_KIND = keptKind({
  ...KIND,
  name: "settings.json",
  folder: "tls/acme/",
  says: "which authority is asked for a certificate, and for which names",
  damaged: "damaged: no authority is asked for a certificate any more; the one in use stays",
  schema: settingsSchema,
});

export const ACME_STATE_KIND = keptKind({
  ...KIND,
  name: "state.json",
  folder: "tls/acme/",
  says: "how far the exchange with a certificate's authority is",
  damaged: "damaged: the authority is asked anew; the certificate in use stays",
  schema: stateSchema,
});

export type KeptState = v.InferOutput<typeof stateSchema>;
export type KeptFailure = v.InferOutput<typeof failureSchema>;

/** Of a recorder that has not asked yet. */
export function newState(share: number): KeptState {
  return {
    ...{ account: null, obtained: null, share, window: null },
    ...{ lookUs: 0, failures: 0, tryUs: 0, failure: null },
  };
}

/** What is kept for asking an authority: settings, the account's key, and how far it is. */
export class AcmeFiles {
  readonly #folder: string;
  readonly #settings: KeptFile<typeof settingsSchema>;
  readonly #state: KeptFile<typeof stateSchema>;
  readonly #log: Log;

  constructor({ dataDir, log }: { readonly dataDir: string; readonly log: Log }) {
    const directory = join(dataDir, "tls", FOLDER);
    this.#folder = directory;
    this.#settings = new KeptFile(ACME_SETTINGS_KIND, { directory, log });
    this.#state = new KeptFile(ACME_STATE_KIND, { directory, log });
    this.#log = log;
  }

  /** Where a certificate lies that was put in before the first one of the authority. */
  get before(): CertificateFiles {
    return {
      keyFile: join(this.#folder, "before-key.pem"),
      certificateFile: join(this.#folder, "before.pem"),
    };
  }

  /** Undefined: no authority is asked. */
  settings(): AcmeSettings | undefined {
    const kept = this.#settings.read();
    if (kept === undefined) return undefined;
    const { directoryUrl, names, email, trust, account } = kept;
    return {
      directoryUrl,
      names,
      email: email ?? undefined,
      trust: trust ?? undefined,
      account: account ?? undefined,
    };
  }

  state(): KeptState | undefined {
    return this.#state.read();
  }

  async writeSettings(settings: AcmeSettings): Promise<void> {
    const { email = null, trust = null, account = null, directoryUrl, names } = settings;
    await this.#settings.replace({ directoryUrl, names, email, trust, account });
  }

  async writeState(state: KeptState): Promise<void> {
    await this.#state.replace(state);
  }

  /** The key of the account; a new one where there is none. */
  async accountKey(): Promise<AccountKey> {
    const file = join(this.#folder, "account-key.pem");
    const pem = readSmallFile(file);
    if (pem !== undefined) {
      try {
        return AccountKey.read(pem);
      } catch {
        // The library's message may quote the key.
        this.#log.warn(
          { path: file },
          "the key of the account at the authority is damaged: another one is made",
        );
      }
    }
    const key = await AccountKey.create();
    await mkdir(this.#folder, { recursive: true, mode: FOLDER_MODE });
    await replaceSmallFile(file, key.pem, FILE_MODE);
    return key;
  }

  /** The next account is another one. */
  async forgetAccount(): Promise<void> {
    await rm(join(this.#folder, "account-key.pem"), { force: true });
  }

  /** Nothing is kept any more. */
  async forget(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
