import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Box } from "../../../away/index.js";
import {
  EMPTY_GUID,
  errorText,
  type Guid,
  guidFromBytes,
  type Log,
  NvrdError,
  US_PER_DAY,
} from "../../../base/index.js";
import { blankCamera } from "../../../camera/index.js";
import type { SiteRevisions } from "../../../owner/index.js";
import {
  type Camera,
  type ChangeOptions,
  DEFAULT_CAMERA_OPTIONS,
  type FollowerPlace,
  type SecurityObject,
  type Site,
  type SiteListener,
  type SiteStore,
  siteChange,
} from "../../../site/index.js";

/** Revisions are made of what they mean; clients read them as 31 bits. */
const REVISION_MAX = 2 ** 31 - 1;

/** What the server says to who would change something. */
export const READ_ONLY_HINT = "ask the recorder itself: this server shows recordings from a bucket";

export interface BucketSiteOptions {
  /** The configuration of this server: users, groups, views. It has no cameras. */
  readonly own: SiteStore & SiteRevisions;
  /** The bucket and the place in it: readers of the same one are the same server. */
  readonly place: readonly string[];
  readonly log: Log;
}

/**
 * The configuration with the channels of the boxes in a bucket, and a folder for each box. What it says of them is made of the
 * bucket alone, ids and revision too, so it is the same on every server that reads the bucket with the same users. The channels
 * cannot be changed here.
 */
export class BucketSite implements SiteStore, SiteRevisions {
  readonly isOfBucket = true;
  readonly #options: BucketSiteOptions;
  readonly #ids: { readonly site: Guid; readonly server: Guid; readonly root: Guid };
  readonly #listeners: SiteListener[] = [];
  #boxes: readonly Box[] = [];
  #merged: { readonly own: Site; readonly boxes: readonly Box[]; readonly site: Site } | undefined;

  constructor(options: BucketSiteOptions) {
    this.#options = options;
    const [site, server, root] = ["site", "server", "root"].map((name) => idOf([name, ...options.place]));
    this.#ids = { site: site ?? EMPTY_GUID, server: server ?? EMPTY_GUID, root: root ?? EMPTY_GUID };
  }

  get current(): Site {
    const own = this.#options.own.current;
    const known = this.#merged;
    if (known?.own === own && known.boxes === this.#boxes) return known.site;
    const site = this.#merge(own);
    this.#merged = { own, boxes: this.#boxes, site };
    return site;
  }

  /** The boxes are these from now on. */
  show(boxes: readonly Box[]): void {
    const previous = this.current;
    this.#boxes = [...boxes];
    const site = this.current;
    if (site.revision === previous.revision) return;
    const change = siteChange(
      null,
      `the bucket has ${boxes.length} boxes with ${site.cameras.length} channels`,
    );
    for (const listener of this.#listeners) this.#notify(() => listener(site, previous, change));
  }

  /** Rejects with NvrdError FORBIDDEN where the bucket's channels or what only a recorder has would change. */
  async change(edit: (site: Site) => Site, options: ChangeOptions = {}): Promise<Site> {
    const { expectedRevision, ...others } = options;
    const inner = (own: Site): Site => {
      const before = this.#merge(own);
      if (expectedRevision !== undefined && expectedRevision !== before.revision)
        throw new NvrdError(
          "CONFLICT",
          `revision ${expectedRevision} was expected, ${before.revision} is current`,
        );
      const after = edit(before);
      this.requireAllowed(after, before);
      const { id, cameras, rootSecurityObject, revision, appliedAtUs } = own;
      const server = { ...own.server, name: after.server.name };
      const next = { ...after, id, server, cameras, rootSecurityObject, revision, appliedAtUs };
      return isDeepStrictEqual(next, own) ? own : next;
    };
    await this.#options.own.change(inner, others);
    return this.current;
  }

  /** Throws NvrdError FORBIDDEN where the bucket's channels or what only a recorder has would change. */
  requireAllowed(next: Site, current: Site): void {
    requireOwn(current, next);
  }

  /** The newest revision has the number that clients see; the others are numbered on this server alone. */
  async history(): ReturnType<SiteRevisions["history"]> {
    const entries = await this.#options.own.history();
    const { revision: newest } = this.#options.own.current;
    const { revision } = this.current;
    return entries.map((entry) => (entry.revision === newest ? { ...entry, revision } : entry));
  }

  /** What this server had of its own, with the channels that the bucket has now. Rejects with NvrdError NOT_FOUND. */
  async revision(number: number): Promise<Site> {
    const { current } = this;
    return number === current.revision ? current : this.#merge(await this.#options.own.revision(number));
  }

  onChange(place: FollowerPlace, listener: SiteListener): void {
    this.#listeners.push(listener);
    this.#options.own.onChange(place, (_site, previous, change) =>
      listener(this.current, this.#merge(previous), change),
    );
  }

  #merge(own: Site): Site {
    const { site: id, server, root } = this.#ids;
    const boxes = this.#boxes;
    const cameras = boxes.flatMap((box) => box.channels.map((channel) => cameraOf(server, box, channel)));
    const rootSecurityObject: SecurityObject = {
      ...{ id: root, name: null, channelIds: [] },
      children: boxes.map((box) => ({
        ...{
          id: box.id,
          name: box.name,
          children: [],
          channelIds: box.channels.map((channel) => channel.id),
        },
      })),
    };
    const { revision: _revision, appliedAtUs: _appliedAtUs, ...rest } = own;
    const name = this.#options.place.join("/");
    const parts = { ...rest, id, server: { id: server, name: own.server.name }, cameras, rootSecurityObject };
    const { server: _server, ...meaning } = parts;
    const digest = createHash("sha256")
      .update(JSON.stringify([name, meaning], inOrder))
      .digest();
    const revision = 1 + (digest.readUInt32BE(0) % (REVISION_MAX - 1));
    return { ...parts, revision, appliedAtUs: newestChannelUs(boxes) ?? own.appliedAtUs };
  }

  #notify(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.log.error({ error: errorText(error) }, "a follower of the bucket's channels failed");
    }
  }
}

/** What this server has of its own may change: its name, users, groups, views, what is sent of events. */
function requireOwn(before: Site, after: Site): void {
  const fixed = ["cameras", "rootSecurityObject", "awayTargets", "analysers", "userScenarios"] as const;
  const changed = fixed.find(
    (part) => after[part] !== before[part] && !isDeepStrictEqual(after[part], before[part]),
  );
  const isOther = after.server.id !== before.server.id;
  if (changed === undefined && !isOther) return;
  if (changed === undefined) throw refusalOf("the server's id");
  const what = changed === "cameras" || changed === "rootSecurityObject" ? "channels and folders" : changed;
  throw refusalOf(what);
}

function refusalOf(what: string): NvrdError {
  return new NvrdError(
    "FORBIDDEN",
    `${what} cannot be changed here: they are what the bucket says, or a recorder's`,
    {
      hint: READ_ONLY_HINT,
    },
  );
}

/** Members in the order of their names: how a configuration came about is not what it means. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The day on which the newest of the channels began to record: the same on every server. Undefined without channels. */
function newestChannelUs(boxes: readonly Box[]): number | undefined {
  let newest: number | undefined;
  for (const { channels } of boxes)
    for (const { days } of channels)
      if (days.first !== undefined && (newest === undefined || days.first > newest)) newest = days.first;
  return newest === undefined ? undefined : newest * US_PER_DAY;
}

/** A channel of a bucket as a camera that is nowhere. */
export function cameraOf(
  serverId: Guid,
  box: Pick<Box, "name">,
  { id, name }: Pick<Box["channels"][number], "id" | "name">,
): Camera {
  return { ...blankCamera(serverId), id, name, description: box.name, kept: DEFAULT_CAMERA_OPTIONS };
}

function idOf(parts: readonly string[]): Guid {
  const bytes = createHash("sha256").update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return guidFromBytes(bytes);
}
