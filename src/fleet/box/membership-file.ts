import { rm } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import type { Log } from "../../base/index.js";
import { awayHours, awayPace, hubLimitMembers } from "../../contract/index.js";
import { list, storedEntries } from "../../contract/reading/index.js";
import {
  type CertificateFiles,
  type KeyAndCertificate,
  readKeyAndCertificate,
  writeKeyAndCertificate,
} from "../../http/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";
import { PLACES_MAX } from "../link/hub-places.js";

/** In the data directory. */
export const FLEET_FOLDER = "fleet";
const FOLDER_MODE = 0o700;

const text = (lengthMax: number) => v.pipe(v.string(), v.maxLength(lengthMax));

const placeEntries = {
  host: text(260),
  port: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535)),
};
const place = v.object(placeEntries);

const schema = v.object({
  ...placeEntries,
  /** Another hub of the same authority; absent: there is none. */
  others: v.optional(v.pipe(v.array(place), v.maxLength(PLACES_MAX - 1))),
  /** The certificate of the hub's authority, PEM. */
  authority: text(8192),
  ...storedEntries(hubLimitMembers),
  // Older versions of the program wrote none.
  mayUpdate: v.optional(v.boolean(), false),
  hours: list(v.strictObject(storedEntries(awayHours)), awayPace.Hours.max, awayPace.Hours.noun),
  joinedUs: v.pipe(v.number(), v.finite()),
  /** How the hub may read a target of off-site storage; absent: it may not. */
  storage: v.optional(
    v.object({
      targetId: text(64),
      /** Where it was when the key was given: a key goes nowhere else. */
      place: text(1024),
      accessKeyId: text(256),
      secretAccessKey: text(256),
      /** Whether the private key of what is encrypted there goes too. */
      handsKey: v.boolean(),
    }),
  ),
});

export const HUB_MEMBERSHIP_KIND = keptKind({
  name: "hub.json",
  folder: `${FLEET_FOLDER}/`,
  says: "which hub this recorder belongs to, and how far that may go",
  policy: "forget",
  damaged: "damaged: this recorder is not connected to its hub any more; join it anew with a code",
  folderMode: FOLDER_MODE,
  schema,
});

/** A hub that a box belongs to, and what the box's owner lets it do. */
export type KeptMembership = v.InferOutput<typeof schema>;

/** What the hub may read of this recorder's off-site storage, and with which key. */
export type StorageAccess = NonNullable<KeptMembership["storage"]>;

/** A membership with the box's key and certificate for it. */
export interface Membership {
  readonly kept: KeptMembership;
  readonly own: KeyAndCertificate;
}

/** What is kept of a box's membership, below `fleet/` of the data directory. */
export class MembershipFile {
  readonly directory: string;
  readonly #file: KeptFile<typeof schema>;

  constructor({ dataDir, log }: { readonly dataDir: string; readonly log: Log }) {
    this.directory = join(dataDir, FLEET_FOLDER);
    this.#file = new KeptFile(HUB_MEMBERSHIP_KIND, { directory: this.directory, log });
  }

  /** Undefined: the box belongs to no hub. Rejects with the disk's error. */
  async read(): Promise<Membership | undefined> {
    const kept = this.#file.read();
    const own = kept === undefined ? undefined : await readKeyAndCertificate(this.#files);
    return kept === undefined || own === undefined ? undefined : { kept, own };
  }

  async write({ kept, own }: Membership): Promise<void> {
    await writeKeyAndCertificate(this.#files, own);
    await this.#file.replace(kept);
  }

  async forget(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  get #files(): CertificateFiles {
    return {
      keyFile: join(this.directory, "key.pem"),
      certificateFile: join(this.directory, "certificate.pem"),
    };
  }
}
