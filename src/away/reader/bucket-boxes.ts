import { createHash } from "node:crypto";
import * as v from "valibot";
import {
  type Clock,
  errorText,
  type Guid,
  guidFromBytes,
  type Log,
  MS_PER_MINUTE,
  MS_PER_SECOND,
  parseGuid,
  pauseUnlessAborted,
  Semaphore,
  US_PER_MS,
} from "../../base/index.js";
import { manifestKey, revisionOf } from "../plan/manifest.js";
import { dayBeginUs } from "../plan/sent-segment.js";
import { LISTED_MAX } from "../send/send-messages.js";
import type { Sender } from "../send/sender.js";
import { DayList, dayNumber, dayText } from "./day-list.js";

/** Boxes below the prefix. */
const BOXES_MAX = 1000;
/** Days of all channels of all boxes: 12 bytes each. */
const DAYS_MAX = 4_000_000;
const CHANNELS_PER_BOX_MAX = 1024;
/** The first line of a manifest says whose it is. */
const HEAD_BYTES = 4096;
const NAME_LENGTH_MAX = 128;
const REQUESTS_AT_ONCE = 8;
const MANIFESTS = "manifests/";
/** What a box has in its part of the bucket: no boxes themselves. */
const OWN_FOLDERS = new Set([MANIFESTS, "streams/", "boots/", "locks/", "test/"]);

export interface BoxesTiming {
  /** A box that is asked about was listed no longer ago than this. */
  readonly freshMs: number;
  /** Between two looks at all boxes. */
  readonly allMs: number;
  /** After one that failed. */
  readonly retryMs: number;
}

export const BOXES_TIMING: BoxesTiming = {
  freshMs: MS_PER_MINUTE,
  allMs: 5 * MS_PER_MINUTE,
  retryMs: 5 * MS_PER_SECOND,
};

export interface BoxesOptions {
  readonly sender: Pick<Sender, "run">;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing?: BoxesTiming;
  /** Boxes, channels or their names are others now. */
  readonly onChange?: () => void;
  /** Folders below the prefix are no boxes: what lies at the prefix itself is the only one. */
  readonly isOne?: boolean;
}

/** A channel of a box, as the bucket says. */
export interface BoxChannel {
  /** As it is shown: that of the box, unless another box has the same. */
  readonly id: Guid;
  /** In the box's names of objects. */
  readonly ownId: Guid;
  readonly name: string;
  readonly box: Box;
  readonly days: DayList;
}

/** A recorder's part of the bucket. */
export interface Box {
  /** Begins each of its names; empty, or ends with a slash. */
  readonly prefix: string;
  /** Made of its place: the same for every reader. */
  readonly id: Guid;
  readonly name: string;
  readonly channels: readonly BoxChannel[];
}

interface Listed {
  readonly box: { prefix: string; id: Guid; name: string; channels: BoxChannel[] };
  readonly channels: Map<Guid, { days: DayList; name: string; namedOn: number }>;
  listedUs: number;
  relisting: Promise<void> | undefined;
}

const headSchema = v.object({
  server: v.object({ id: v.string(), name: v.string() }),
  channel: v.object({ id: v.string(), name: v.string() }),
});

/**
 * The boxes whose recordings a bucket has, their channels and days, as the names of manifests say. All are looked at every 5 min,
 * and a box that somebody asks about when that is longer ago than a minute: one request for 1,000 days of a channel.
 */
export class BucketBoxes {
  readonly #options: BoxesOptions;
  readonly #timing: BoxesTiming;
  readonly #turns = new Semaphore({ atOnce: REQUESTS_AT_ONCE, waitingMax: Number.POSITIVE_INFINITY });
  readonly #stopping = new AbortController();
  readonly #listed = new Map<string, Listed>();
  #channels: ReadonlyMap<Guid, BoxChannel> = new Map();
  #shown = "";
  #listings = 0;
  #problem: string | undefined;
  #running: Promise<void> = Promise.resolve();
  #noteLook: () => void = () => undefined;
  /** Resolves when all boxes were looked at first, or that has failed. */
  readonly firstLook = new Promise<void>((resolve) => {
    this.#noteLook = resolve;
  });

  constructor(options: BoxesOptions) {
    this.#options = options;
    this.#timing = options.timing ?? BOXES_TIMING;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Whether all boxes were looked at since the start. */
  get isKnown(): boolean {
    return this.#listings > 0;
  }

  /** How often all boxes were looked at since the start. */
  get listings(): number {
    return this.#listings;
  }

  /** Why the bucket could not be listed last; undefined if it could. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** By name, then by place. */
  get boxes(): readonly Box[] {
    const boxes = [...this.#listed.values()].map(({ box }) => box);
    return boxes.sort((a, b) => compare(a.name, b.name) || compare(a.prefix, b.prefix));
  }

  channel(id: Guid): BoxChannel | undefined {
    return this.#channels.get(id);
  }

  isFresh({ prefix }: Box): boolean {
    const listedUs = this.#listed.get(prefix)?.listedUs ?? Number.NEGATIVE_INFINITY;
    return this.#options.clock.monotonicUs() - listedUs < this.#timing.freshMs * US_PER_MS;
  }

  /** Lists a box anew, once for all who want it. Rejects with SendError. */
  relist({ prefix }: Box): Promise<void> {
    const listed = this.#listed.get(prefix);
    if (listed === undefined) return Promise.resolve();
    listed.relisting ??= this.#list(prefix)
      .then(() => this.#show())
      .finally(() => {
        listed.relisting = undefined;
      });
    return listed.relisting;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let pauseMs = this.#timing.allMs;
      try {
        await this.#listAll();
        this.#problem = undefined;
        this.#listings += 1;
        this.#show();
      } catch (error) {
        if (signal.aborted) return;
        if (this.#problem === undefined) log.warn({ error: errorText(error) }, "the bucket cannot be listed");
        this.#problem = errorText(error);
        pauseMs = this.#timing.retryMs;
      }
      this.#noteLook();
      await pauseUnlessAborted(clock, pauseMs, signal);
    }
  }

  async #listAll(): Promise<void> {
    if (this.#options.isOne === true) {
      await this.#list("");
      return;
    }
    const folders = await this.#options.sender.run({ op: "folders", start: "" });
    const others = folders.filter((folder) => !OWN_FOLDERS.has(folder));
    const prefixes = [...(folders.includes(MANIFESTS) ? [""] : []), ...others];
    if (prefixes.length > BOXES_MAX)
      throw new Error(`there are more than ${BOXES_MAX} folders below the prefix: name one with fewer`);
    for (const prefix of this.#listed.keys()) if (!prefixes.includes(prefix)) this.#listed.delete(prefix);
    await Promise.all(prefixes.map((prefix) => this.#list(prefix)));
  }

  async #list(prefix: string): Promise<void> {
    const { clock, log } = this.#options;
    const startUs = clock.monotonicUs();
    const found = daysIn(await this.#manifestsOf(prefix));
    if (found.size === 0) {
      this.#listed.delete(prefix);
      return;
    }
    if (found.size > CHANNELS_PER_BOX_MAX)
      throw new Error(`${prefix} has more than ${CHANNELS_PER_BOX_MAX} channels`);
    const before = this.#listed.get(prefix);
    const box = before?.box ?? {
      prefix,
      id: guidOf("box", prefix),
      name: nameOfPrefix(prefix),
      channels: [],
    };
    const listed: Listed = before ?? { box, channels: new Map(), listedUs: startUs, relisting: undefined };
    for (const id of listed.channels.keys()) if (!found.has(id)) listed.channels.delete(id);
    await Promise.all(
      [...found].map(async ([ownId, days]) => {
        const known = listed.channels.get(ownId);
        const newest = days.newest ?? 0;
        const named = known?.namedOn === newest ? known : await this.#nameOf(listed, ownId, days);
        const { name = ownId.slice(0, 8), namedOn = newest } = named ?? known ?? {};
        listed.channels.set(ownId, { days, name, namedOn });
      }),
    );
    listed.listedUs = startUs;
    this.#listed.set(prefix, listed);
    const days = [...this.#listed.values()].flatMap(({ channels }) => [...channels.values()]);
    if (days.reduce((sum, channel) => sum + channel.days.size, 0) > DAYS_MAX) {
      log.error({ box: prefix }, "the bucket has more days than a reader keeps");
      this.#listed.delete(prefix);
      throw new Error(
        `the bucket has more than ${DAYS_MAX} days of channels: name a prefix with fewer boxes`,
      );
    }
  }

  /** The names of all its manifests below the prefix; what one listing does not hold is listed behind it. */
  async #manifestsOf(prefix: string): Promise<readonly string[]> {
    const { sender } = this.#options;
    const start = prefix + MANIFESTS;
    const names: string[] = [];
    for (let after: string | undefined; ; ) {
      const work = { op: "list", start, ...(after === undefined ? {} : { after }) } as const;
      const listed = await this.#turns.run(() => sender.run(work));
      for (const { key } of listed) names.push(key.slice(prefix.length));
      if (names.length > DAYS_MAX)
        throw new Error(`${start} has more than ${DAYS_MAX} manifests: name a prefix with fewer`);
      if (listed.length < LISTED_MAX) return names;
      after = listed.at(-1)?.key;
    }
  }

  /** The names in the newest manifest; undefined where it cannot be read: those of before stay. */
  async #nameOf(
    { box }: Listed,
    ownId: Guid,
    days: DayList,
  ): Promise<{ readonly name: string; readonly namedOn: number } | undefined> {
    const { sender, log } = this.#options;
    const newest = days.newest ?? 0;
    const key = box.prefix + manifestKey(ownId, dayText(newest), days.revisionOf(newest) ?? 0);
    const head = await this.#turns.run(() => sender.run({ op: "head", key, bytes: HEAD_BYTES }));
    if (head === undefined) return undefined; // a newer one has taken its place
    try {
      const [line = ""] = Buffer.from(head).toString("utf8").split("\n", 1);
      const { server, channel } = v.parse(headSchema, JSON.parse(`${line.replace(/,$/, "")}}`));
      if (channel.id !== ownId) throw new Error(`it is of channel ${channel.id}`);
      box.name = server.name.trim().slice(0, NAME_LENGTH_MAX) || nameOfPrefix(box.prefix);
      return { name: channel.name.trim().slice(0, NAME_LENGTH_MAX) || ownId.slice(0, 8), namedOn: newest };
    } catch (error) {
      log.warn({ key, error: errorText(error) }, "a manifest in the bucket cannot be read");
      return undefined;
    }
  }

  /** Ids that several boxes have are distinguished by their box, all of them: which one came first does not matter. */
  #show(): void {
    const owners = new Map<Guid, number>();
    for (const { channels } of this.#listed.values())
      for (const id of channels.keys()) owners.set(id, (owners.get(id) ?? 0) + 1);
    const shown = new Map<Guid, BoxChannel>();
    for (const { box, channels } of this.#listed.values()) {
      box.channels = [...channels]
        .map(([ownId, { days, name }]) => {
          const id = owners.get(ownId) === 1 ? ownId : guidOf("channel", box.prefix, ownId);
          return { id, ownId, name, box, days };
        })
        .sort((a, b) => compare(a.name, b.name) || compare(a.ownId, b.ownId));
      for (const channel of box.channels) shown.set(channel.id, channel);
    }
    this.#channels = shown;
    const text = JSON.stringify(
      this.boxes.map(({ id, name, channels }) => [id, name, channels.map((c) => [c.id, c.name])]),
    );
    if (text === this.#shown) return;
    this.#shown = text;
    this.#options.onChange?.();
  }
}

/** A GUID made of texts (RFC 9562, version 8): the same wherever it is made. */
export function guidOf(...parts: readonly string[]): Guid {
  const bytes = createHash("sha256").update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return guidFromBytes(bytes);
}

function nameOfPrefix(prefix: string): string {
  return prefix.replace(/\/$/, "").slice(0, NAME_LENGTH_MAX) || "Box";
}

/** By channel; what is no manifest's name is left out. */
function daysIn(keys: readonly string[]): ReadonlyMap<Guid, DayList> {
  const revisions = new Map<Guid, Map<number, number>>();
  for (const key of keys) {
    const [, channel = "", text = ""] = key.split("/");
    const revision = revisionOf(key);
    const beginUs = /^\d{4}-\d\d-\d\d$/.test(text) ? dayBeginUs(text) : Number.NaN;
    if (revision === undefined || parseGuid(channel) !== channel || Number.isNaN(beginUs)) continue;
    const days = revisions.get(channel) ?? new Map<number, number>();
    revisions.set(channel, days);
    const day = dayNumber(beginUs);
    days.set(day, Math.max(days.get(day) ?? 0, revision));
  }
  return new Map([...revisions].map(([channel, days]) => [channel, new DayList(days)]));
}

/** Not by a language: every reader has the same order. */
function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}
