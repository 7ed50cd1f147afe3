import { isDeepStrictEqual } from "node:util";
import { guidOf } from "../../away/index.js";
import { type Clock, type ClockTimer, errorText, type Guid, type Log, Semaphore } from "../../base/index.js";
import {
  type BoxChannel,
  type BoxConfiguration,
  type BoxFolder,
  readBoxConfiguration,
} from "./box-configuration.js";
import { BOXES_MAX } from "./box-keeping.js";

/** What is known is asked for again after this, though the box says that nothing has changed: formats of streams change by themselves. */
const KNOWN_FOR_US = 300_000_000;
/** A box that did not answer, or whose answer could not be read, is asked again after this, and each time after twice as long. */
const RETRY_MS = 1000;
const RETRY_MS_MAX = 60_000;
/** Boxes that are asked at once: after a restart of the hub all come back together. */
const ASKED_MAX = 16;

/** Where a channel that the hub shows is. */
export interface ChannelPlace {
  readonly boxId: Guid;
  /** Its id at the box; another one than the hub's where several have the same. */
  readonly ownId: Guid;
}

/** A box's channels and folders, with ids as the hub shows them. */
export interface BoxChannels {
  readonly boxId: Guid;
  readonly channels: readonly BoxChannel[];
  readonly root: BoxFolder;
}

export interface BoxCatalogueOptions {
  /** The box's answer to `GET /configex?responsetype=json`. Rejects where it has none. */
  readonly ask: (boxId: Guid) => Promise<string>;
  /** Whether the hub itself has a channel of this id. */
  readonly isTaken: (id: Guid) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

interface Known {
  readonly configuration: BoxConfiguration;
  readonly askedUs: number;
}

/**
 * The channels of all boxes of a hub, as they were reported last: also those of a box that is silent now. An answer made of it waits for no
 * box.
 */
export class BoxCatalogue {
  readonly #options: BoxCatalogueOptions;
  readonly #known = new Map<Guid, Known>();
  readonly #asking = new Set<Guid>();
  /** Boxes that are to be asked again. */
  readonly #retries = new Map<Guid, ClockTimer>();
  readonly #turns = new Semaphore({ atOnce: ASKED_MAX, waitingMax: BOXES_MAX });
  #isStopped = false;
  /** Undefined: something has changed since. Whoever reads it has it made anew, and not each of a thousand boxes that come back. */
  #shown: Shown | undefined;
  #before: Shown = { boxes: [], configurations: new Map(), places: new Map() };

  constructor(options: BoxCatalogueOptions) {
    this.#options = options;
  }

  /** Another list where anything in it is another; boxes as they came. */
  get boxes(): readonly BoxChannels[] {
    return this.#current.boxes;
  }

  /** Changes with the boxes' configurations. */
  get revision(): number {
    return [...this.#known.values()].reduce((sum, { configuration }) => sum + configuration.revision, 0);
  }

  place(id: Guid): ChannelPlace | undefined {
    return this.#current.places.get(id);
  }

  /** A box is there, and its configuration has this revision; undefined: it does not say. */
  said(boxId: Guid, revision: number | undefined): void {
    const nowUs = this.#options.clock.monotonicUs();
    const known = this.#known.get(boxId);
    const isKnown = known !== undefined && nowUs - known.askedUs < KNOWN_FOR_US;
    if (isKnown && (revision === undefined || revision === known.configuration.revision)) return;
    if (!this.#asking.has(boxId) && !this.#retries.has(boxId)) void this.#ask(boxId, RETRY_MS);
  }

  /** It belongs to the hub no more. */
  forget(boxId: Guid): void {
    this.#retries.get(boxId)?.clear();
    this.#retries.delete(boxId);
    if (this.#known.delete(boxId)) this.#shown = undefined;
  }

  stop(): void {
    for (const timer of this.#retries.values()) timer.clear();
    this.#retries.clear();
    this.#isStopped = true;
  }

  /** Never rejects. */
  async #ask(boxId: Guid, retryMs: number): Promise<void> {
    const { ask, clock, log } = this.#options;
    this.#asking.add(boxId);
    try {
      const configuration = readBoxConfiguration(await this.#turns.run(() => ask(boxId)));
      const before = this.#known.get(boxId)?.configuration;
      const isSame = isDeepStrictEqual(before, configuration);
      this.#known.set(boxId, {
        configuration: isSame && before !== undefined ? before : configuration,
        askedUs: clock.monotonicUs(),
      });
      if (!isSame) this.#shown = undefined;
    } catch (error) {
      // What was known of it stays.
      log.debug({ box: boxId, reason: errorText(error) }, "a recorder does not say what cameras it has");
      if (!this.#isStopped) this.#askLater(boxId, retryMs);
    } finally {
      this.#asking.delete(boxId);
    }
  }

  #askLater(boxId: Guid, ms: number): void {
    const timer = this.#options.clock.setTimeout(() => {
      this.#retries.delete(boxId);
      void this.#ask(boxId, Math.min(2 * ms, RETRY_MS_MAX));
    }, ms);
    this.#retries.set(boxId, timer);
  }

  get #current(): Shown {
    this.#shown ??= this.#show(this.#before);
    this.#before = this.#shown;
    return this.#shown;
  }

  /** Ids that several have are distinguished by their box, all of them: which one came first does not matter. */
  #show(before: Shown): Shown {
    const { isTaken } = this.#options;
    const owners = new Map<Guid, number>();
    for (const { configuration } of this.#known.values())
      for (const { Id } of configuration.channels) owners.set(Id, (owners.get(Id) ?? 0) + 1);
    const places = new Map<Guid, ChannelPlace>();
    const former = new Map(before.boxes.map((box) => [box.boxId, box]));
    const boxes = [...this.#known].map(([boxId, { configuration }]) => {
      const shownId = (id: Guid): Guid =>
        owners.get(id) === 1 && !isTaken(id) ? id : guidOf("channel", boxId, id);
      const shown = configuration.channels.map(({ Id }) => shownId(Id));
      for (const [at, { Id }] of configuration.channels.entries())
        places.set(shown[at] ?? Id, { boxId, ownId: Id });
      const known = before.configurations.get(boxId) === configuration ? former.get(boxId) : undefined;
      const isSame = known?.channels.every(({ Id }, at) => Id === shown[at]) === true;
      return isSame && known !== undefined ? known : channelsOf(boxId, configuration, shownId);
    });
    const configurations = new Map([...this.#known].map(([id, { configuration }]) => [id, configuration]));
    return { boxes, configurations, places };
  }
}

/** What is shown of all boxes, and what it was made of. */
interface Shown {
  readonly boxes: readonly BoxChannels[];
  readonly configurations: ReadonlyMap<Guid, BoxConfiguration>;
  readonly places: ReadonlyMap<Guid, ChannelPlace>;
}

function channelsOf(
  boxId: Guid,
  { channels, root }: BoxConfiguration,
  shownId: (id: Guid) => Guid,
): BoxChannels {
  return {
    boxId,
    channels: channels.map((channel) => ({ ...channel, Id: shownId(channel.Id) })),
    root: folderAs(root, boxId, shownId),
  };
}

/** A folder with ids as the hub shows them: boxes that began as copies of one have the same folders. */
function folderAs(folder: BoxFolder, boxId: Guid, shownId: (id: Guid) => Guid): BoxFolder {
  return {
    Id: guidOf("folder", boxId, folder.Id),
    Name: folder.Name,
    ChildSecObjects: folder.ChildSecObjects.map((child) => folderAs(child, boxId, shownId)),
    ChildChannels: folder.ChildChannels.map(shownId),
  };
}
