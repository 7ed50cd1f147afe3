import { mkdir } from "node:fs/promises";
import { rateAt } from "../../away/index.js";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  US_PER_DAY,
  US_PER_MS,
} from "../../base/index.js";
import { HUB_CEILINGS, type HubCeiling, shownWord } from "../../contract/index.js";
import { renewalMs } from "../join/certificates.js";
import { readCode } from "../join/code.js";
import { type HubPlace, joinHub, leaveHub, renewAtHub } from "../join/enrolment-client.js";
import { type HandedStorage, storageMark } from "../link/handed-storage.js";
import { chosenPlaces, type HubPlaceName, placeText } from "../link/hub-places.js";
import type { BoxAbout, FromLink, LinkProblem, LinkRole, LinkState } from "../link/link-messages.js";
import type { LinkThread, StartLinkThread } from "../link/link-thread.js";
import {
  type KeptMembership,
  type Membership,
  MembershipFile,
  type StorageAccess,
} from "./membership-file.js";

/** How often the box reports its state to the hub, and the limit of the hour is looked at. */
const LOOK_MS = 10_000;
/** A thread that has ended is started again after this. */
const RESTART_MS = 60_000;
/** What could not be renewed is tried again after this. */
const RENEWAL_RETRY_US = US_PER_DAY / 4;
const FOLDER_MODE = 0o700;
const NOT_CONNECTED: LinkState = { isConnected: false, problem: undefined, detail: "" };

/** Where a box's API takes requests of its hub. */
export interface ApiDoor {
  /** The path of the unix socket. */
  readonly path: string;
  stop(): Promise<void>;
}

export type HubLimits = Pick<KeptMembership, "ceiling" | "mayUpdate" | "kbpsMax" | "hours">;

export interface HubMembershipOptions {
  readonly dataDir: string;
  readonly boxId: () => Guid;
  readonly about: () => BoxAbout;
  /** Opens the API's door in a folder that only this process reads. */
  readonly openDoor: (directory: string) => Promise<ApiDoor>;
  readonly startThread: StartLinkThread;
  /** The ceiling has changed, or there is no hub any more: what is open through it is looked at anew. */
  readonly onChange: () => void;
  /** What is handed to the hub with this access; undefined: there is no such target any more. */
  readonly storageOf?: (access: StorageAccess) => HandedStorage | undefined;
  /** Another box of the hub says something. */
  readonly onNote?: (from: Guid, text: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** A box's membership of a hub, as its owner sees it. */
export interface MembershipState extends HubLimits {
  /** `host:port`. */
  readonly hub: string;
  /** What of its off-site storage the hub may read; undefined: nothing. */
  readonly storage: Omit<StorageAccess, "secretAccessKey"> | undefined;
  /** Each of the hubs that it connects to, and whether it does. */
  readonly hubs: readonly { readonly hub: string; readonly isConnected: boolean }[];
  readonly joinedUs: number;
  readonly isConnected: boolean;
  /** Undefined: connected, or not tried yet. */
  readonly problem: LinkProblem | undefined;
  readonly detail: string;
  /** Since when it is connected, or is not; Unix µs. */
  readonly sinceUs: number;
}

/** The hub of a box: joining, the link to it, renewal, leaving. Without a hub there is no thread, no socket and no timer. */
export class HubMembership {
  readonly #options: HubMembershipOptions;
  readonly #log: Log;
  readonly #file: MembershipFile;
  #membership: Membership | undefined;
  #thread: LinkThread | undefined;
  #door: ApiDoor | undefined;
  #timer: ClockTimer | undefined;
  /** By the hub's place and the connection's role. */
  #states = new Map<string, LinkState>();
  #sinceUs = 0;
  #restartUs = 0;
  #renewalUs = 0;
  #isChanging = false;
  #isStopped = false;
  /** The last write of the file. */
  #written: Promise<void> = Promise.resolve();
  #limit: number | undefined;
  #about = "";
  /** Of what the thread was told that the hub may read; undefined: nothing. */
  #storage: string | undefined;

  constructor(options: HubMembershipOptions) {
    this.#options = options;
    this.#log = options.log.child({ part: "fleet" });
    this.#file = new MembershipFile({ dataDir: options.dataDir, log: this.#log });
  }

  /** Connects to the hub that the box belongs to, if it does. Never rejects for the hub's sake. */
  async start(): Promise<void> {
    this.#isStopped = false;
    this.#membership = await this.#file.read();
    await this.#connect();
  }

  /** Nothing is written any more when it has resolved. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#disconnect();
    // Whoever wrote has the error.
    await Promise.allSettled([this.#written]);
  }

  /** Rejects with the disk's error, and with NvrdError NOT_AVAILABLE once it is stopped. */
  async #write(membership: Membership): Promise<void> {
    if (this.#isStopped) throw new NvrdError("NOT_AVAILABLE", "the recorder is being stopped");
    this.#written = this.#file.write(membership);
    await this.#written;
  }

  async #disconnect(): Promise<void> {
    this.#timer?.clear();
    this.#timer = undefined;
    this.#thread?.end();
    this.#thread = undefined;
    const door = this.#door;
    this.#door = undefined;
    await door?.stop();
  }

  /** Undefined: the box belongs to no hub. */
  get state(): MembershipState | undefined {
    const kept = this.#membership?.kept;
    if (kept === undefined) return undefined;
    const { isConnected, problem, detail } = this.#shown;
    const { ceiling, mayUpdate, kbpsMax, hours, joinedUs, storage } = kept;
    return {
      storage: storage === undefined ? undefined : withoutSecret(storage),
      ...{ hub: addressOf(kept), joinedUs, ceiling, mayUpdate, kbpsMax, hours, isConnected, problem, detail },
      sinceUs: this.#sinceUs,
      hubs: placesOf(kept)
        .map(placeText)
        .map((place) => ({
          hub: place,
          isConnected: [...this.#states].some(
            ([key, state]) => state.isConnected && key.startsWith(`${place} `),
          ),
        })),
    };
  }

  /** Who is let in through the hub, and how far; undefined: nobody. */
  get ceiling():
    | { readonly hub: string; readonly ceiling: HubCeiling; readonly mayUpdate: boolean }
    | undefined {
    const kept = this.#membership?.kept;
    if (kept === undefined) return undefined;
    const { ceiling, mayUpdate } = kept;
    return { hub: addressOf(kept), ceiling: shownWord(HUB_CEILINGS, ceiling), mayUpdate };
  }

  /** Joins the hub of a code. Rejects with NvrdError BAD_REQUEST, CONFLICT, FORBIDDEN or NOT_AVAILABLE. */
  async join(text: string, limits: HubLimits): Promise<void> {
    const code = readCode("hub", text);
    if (code === undefined)
      throw new NvrdError("BAD_REQUEST", "this is no code of a hub", { hint: "copy all of it" });
    if (this.#membership !== undefined)
      throw new NvrdError(
        "CONFLICT",
        `this recorder belongs to the hub ${addressOf(this.#membership.kept)}`,
        {
          hint: "leave that hub first",
        },
      );
    await this.#alone(async () => {
      const { boxId, about, clock } = this.#options;
      const { hub, own } = await joinHub(code, { id: boxId(), name: about().name, clock });
      const membership = { kept: { ...hub, ...limits, joinedUs: clock.nowUs() }, own };
      await this.#write(membership);
      this.#membership = membership;
      await this.#connect();
    });
  }

  /** How far and how fast the hub goes from now on. Rejects with NvrdError NOT_FOUND without a hub, and with the disk's error. */
  async change(limits: Partial<HubLimits>): Promise<void> {
    await this.#change((kept) => ({ ...kept, ...limits }));
  }

  /** What of its off-site storage the hub may read; undefined: nothing. Rejects as `change` does. */
  async handStorage(access: StorageAccess | undefined): Promise<void> {
    await this.#change(({ storage: _former, ...kept }) =>
      access === undefined ? kept : { ...kept, storage: access },
    );
  }

  async #change(edit: (kept: KeptMembership) => KeptMembership): Promise<void> {
    await this.#alone(async () => {
      const membership = this.#required;
      const changed = { ...membership, kept: edit(membership.kept) };
      await this.#write(changed);
      this.#membership = changed;
      this.#look();
      this.#options.onChange();
    });
  }

  /** Says something to another box of the hub, if both are connected to it now. */
  note(to: Guid, text: string): void {
    this.#thread?.post({ kind: "note", to, text });
  }

  /** Leaves the hub, and notifies it if it can be reached. Rejects with NvrdError NOT_FOUND without a hub, and with the disk's error. */
  async leave(): Promise<void> {
    await this.#alone(async () => {
      const { kept, own } = this.#required;
      await this.#disconnect();
      this.#membership = undefined;
      this.#states.clear();
      this.#options.onChange();
      await atOneOf(kept, (hub) => leaveHub(hub, own, this.#options.clock)).catch((error: unknown) => {
        this.#log.warn(
          { reason: errorText(error) },
          "the hub does not know that this recorder has left: remove it there",
        );
      });
      await this.#file.forget();
    });
  }

  get #required(): Membership {
    if (this.#membership !== undefined) return this.#membership;
    throw new NvrdError("NOT_FOUND", "this recorder belongs to no hub", { hint: "join one: POST /api/hub" });
  }

  async #alone(run: () => Promise<void>): Promise<void> {
    if (this.#isChanging) throw new NvrdError("CONFLICT", "the hub is being joined, changed or left already");
    this.#isChanging = true;
    try {
      await run();
    } finally {
      this.#isChanging = false;
    }
  }

  async #connect(): Promise<void> {
    if (this.#membership === undefined || this.#isStopped) return;
    const { clock, openDoor } = this.#options;
    this.#sinceUs = clock.nowUs();
    await mkdir(this.#file.directory, { recursive: true, mode: FOLDER_MODE });
    this.#door ??= await openDoor(this.#file.directory);
    this.#startThread();
    this.#timer ??= clock.setInterval(() => this.#look(), LOOK_MS);
  }

  #startThread(): void {
    const [membership, door] = [this.#membership, this.#door];
    if (membership === undefined || door === undefined) return;
    const { startThread, boxId, clock } = this.#options;
    const thread = startThread(
      (message) => this.#take(message),
      (reason) => {
        if (this.#thread !== thread) return;
        this.#thread = undefined;
        this.#restartUs = clock.monotonicUs() + RESTART_MS * US_PER_MS;
        this.#log.warn(
          { reason },
          "the thread of the link to the hub has ended: it is started again in a minute",
        );
        this.#note(THREAD, { isConnected: false, problem: "thread", detail: reason });
        this.#states = new Map([...this.#states].filter(([key]) => key === THREAD));
      },
    );
    this.#thread = thread;
    this.#states.delete(THREAD);
    const { authority } = membership.kept;
    const { key, certificate } = membership.own;
    this.#limit = undefined;
    this.#about = "";
    this.#storage = undefined;
    this.#look();
    thread.post({
      kind: "start",
      target: {
        ...{ places: placesOf(membership.kept), authority, key, certificate },
        ...{ boxId: boxId(), socketPath: door.path },
      },
    });
  }

  /** What the thread is to know, and what is due. */
  #look(): void {
    const { clock, about } = this.#options;
    const membership = this.#membership;
    if (membership === undefined) return;
    if (this.#thread === undefined) {
      if (clock.monotonicUs() >= this.#restartUs) this.#startThread();
      return;
    }
    const report = about();
    const text = JSON.stringify(report);
    if (text !== this.#about) this.#thread.post({ kind: "about", about: report });
    this.#about = text;
    this.#tellStorage(this.#thread, membership.kept);
    const limit = rateAt(membership.kept, new Date(clock.nowUs() / US_PER_MS));
    if (limit !== this.#limit) this.#thread.post({ kind: "limit", bytesPerSecond: limit });
    this.#limit = limit;
    const isDue = renewalMs(membership.own.certificate) <= clock.nowUs() / US_PER_MS;
    if (isDue && clock.monotonicUs() >= this.#renewalUs && !this.#isChanging) void this.#renew(membership);
  }

  #tellStorage(thread: LinkThread, { storage: access }: KeptMembership): void {
    const storage = access === undefined ? undefined : this.#options.storageOf?.(access);
    const mark = storage === undefined ? undefined : storageMark(storage);
    if (mark !== this.#storage) thread.post({ kind: "storage", storage });
    this.#storage = mark;
  }

  async #renew({ kept, own }: Membership): Promise<void> {
    const { clock, boxId } = this.#options;
    this.#renewalUs = clock.monotonicUs() + RENEWAL_RETRY_US;
    try {
      await this.#alone(async () => {
        const renewed = await atOneOf(kept, (hub) => renewAtHub(hub, own, { id: boxId(), clock }));
        const membership = { kept: this.#required.kept, own: renewed };
        await this.#write(membership);
        this.#membership = membership;
        this.#thread?.end();
        this.#startThread();
      });
    } catch (error) {
      this.#log.warn(
        { reason: errorText(error) },
        "the certificate for the hub cannot be renewed: it is tried again",
      );
    }
  }

  get #shown(): LinkState {
    const states = [...this.#states.values()];
    return states.find(({ isConnected }) => isConnected) ?? states[0] ?? NOT_CONNECTED;
  }

  #take(message: FromLink): void {
    if (message.kind === "hubs") void this.#learn(message.hubs);
    else if (message.kind === "note") this.#options.onNote?.(message.from, message.text);
    else if (this.#isOfPlace(message.place)) this.#note(stateKey(message), message.state);
  }

  #isOfPlace(place: string): boolean {
    const kept = this.#membership?.kept;
    return kept !== undefined && placesOf(kept).some((each) => placeText(each) === place);
  }

  /** A hub has said where hubs are. Never rejects: it is said again. */
  async #learn(hubs: readonly HubPlaceName[]): Promise<void> {
    const membership = this.#membership;
    if (membership === undefined || this.#isChanging) return;
    const { host, port } = membership.kept;
    const [first = { host, port }, ...others] = chosenPlaces({ host, port }, hubs, this.#options.boxId());
    const kept = { ...membership.kept, ...first, others: others.map((other) => ({ ...other })) };
    const places = placesOf(kept).map(placeText);
    if (String(places) === String(placesOf(membership.kept).map(placeText))) return;
    try {
      await this.#alone(async () => {
        await this.#write({ ...membership, kept });
        this.#membership = { ...membership, kept };
        this.#states = new Map(
          [...this.#states].filter(([key]) => places.some((place) => key.startsWith(`${place} `))),
        );
        this.#thread?.post({ kind: "places", places: placesOf(kept) });
      });
      this.#log.info({ hubs: places }, "hubs that this recorder connects to");
    } catch (error) {
      this.#log.warn({ reason: errorText(error) }, "where the hubs are cannot be kept");
    }
  }

  #note(key: string, state: LinkState): void {
    const before = this.#shown;
    this.#states.set(key, state);
    const now = this.#shown;
    if (before.isConnected === now.isConnected && before.problem === now.problem) return;
    if (before.isConnected !== now.isConnected) this.#sinceUs = this.#options.clock.nowUs();
    this.#log.info(
      { connected: now.isConnected, problem: now.problem, detail: now.detail },
      "link to the hub",
    );
  }
}

function withoutSecret({
  secretAccessKey: _secret,
  ...access
}: StorageAccess): Omit<StorageAccess, "secretAccessKey"> {
  return access;
}

/** A state of the thread itself. */
const THREAD = "thread";

function stateKey({ place, role }: { readonly place: string; readonly role: LinkRole }): string {
  return `${place} ${role}`;
}

function addressOf({ host, port }: Pick<KeptMembership, "host" | "port">): string {
  return placeText({ host, port });
}

/** All hubs that a box connects to, the one that it has joined first. */
function placesOf({ host, port, others = [] }: KeptMembership): readonly HubPlaceName[] {
  return [{ host, port }, ...others];
}

/** Asks one hub after the other until one answers; what the last one says counts. */
async function atOneOf<T>(kept: KeptMembership, ask: (hub: HubPlace) => Promise<T>): Promise<T> {
  const { authority } = kept;
  let failure: unknown;
  for (const place of placesOf(kept))
    try {
      return await ask({ ...place, authority });
    } catch (error) {
      failure = error;
      if (!(error instanceof NvrdError) || error.code !== "NOT_AVAILABLE") break;
    }
  throw failure;
}
