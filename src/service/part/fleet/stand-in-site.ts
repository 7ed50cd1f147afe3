import { createHash } from "node:crypto";
import type { Box } from "../../../away/index.js";
import { type Guid, NvrdError } from "../../../base/index.js";
import type { SiteRevisions } from "../../../owner/index.js";
import {
  createFirstSite,
  type FollowerPlace,
  type Site,
  type SiteListener,
  type SiteStore,
  siteChange,
} from "../../../site/index.js";
import { cameraOf } from "../away/bucket-site.js";

/** Revisions are made of what they mean; clients read them as 31 bits. */
const REVISION_MAX = 2 ** 31 - 1;

/** A channel that is known of a silent recorder. */
interface KnownChannel {
  readonly id: Guid;
  readonly name: string;
}

/**
 * The configuration of a recorder that is silent, as far as its off-site storage and the hub know it: its id, its name and its channels.
 * Nobody changes it here.
 */
export class StandInSite implements SiteStore, SiteRevisions {
  readonly isOfBucket = true;
  readonly #blank: Site;
  readonly #known: readonly KnownChannel[];
  readonly #listeners: SiteListener[] = [];
  #site: Site;

  /** `known`: what the hub knows of its channels. */
  constructor({ id, name }: KnownChannel, known: readonly KnownChannel[], nowUs: number) {
    const first = createFirstSite({ serverName: name, nowUs });
    this.#blank = {
      ...first,
      id,
      server: { id, name },
      rootSecurityObject: { ...first.rootSecurityObject, id },
    };
    this.#known = known;
    this.#site = this.#with([]);
  }

  get current(): Site {
    return this.#site;
  }

  /** The bucket has these from now on. */
  show(boxes: readonly Box[]): void {
    const previous = this.#site;
    const next = this.#with(boxes.flatMap(({ channels }) => channels));
    if (next.revision === previous.revision) return;
    this.#site = next;
    const change = siteChange(null, "its off-site storage was looked at");
    for (const listener of this.#listeners) listener(next, previous, change);
  }

  change(): Promise<never> {
    return Promise.reject(
      new NvrdError(
        "FORBIDDEN",
        "the recorder is not connected to this hub, and nothing of it can be changed",
      ),
    );
  }

  onChange(_place: FollowerPlace, listener: SiteListener): void {
    this.#listeners.push(listener);
  }

  history(): ReturnType<SiteRevisions["history"]> {
    return Promise.resolve([]);
  }

  revision(number: number): Promise<Site> {
    if (number === this.#site.revision) return Promise.resolve(this.#site);
    return Promise.reject(new NvrdError("NOT_FOUND", `there is no revision ${number} here`));
  }

  /** The hub knows names better than manifests of former days. */
  #with(found: readonly KnownChannel[]): Site {
    const { server } = this.#blank;
    const ids = new Set(this.#known.map(({ id }) => id));
    const channels = [...this.#known, ...found.filter(({ id }) => !ids.has(id))];
    const digest = createHash("sha256")
      .update(JSON.stringify([server, channels.map(({ id, name }) => [id, name])]))
      .digest();
    return {
      ...this.#blank,
      revision: 1 + (digest.readUInt32BE(0) % (REVISION_MAX - 1)),
      cameras: channels.map((channel) => cameraOf(server.id, server, channel)),
      rootSecurityObject: { ...this.#blank.rootSecurityObject, channelIds: channels.map(({ id }) => id) },
    };
  }
}
