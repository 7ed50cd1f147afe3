import type { ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import { duplexPair } from "node:stream";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  MS_PER_MINUTE,
  NvrdError,
  Pace,
  US_PER_MS,
} from "../../base/index.js";
import { Gate } from "../link/gate.js";
import { type HandedStorage, storageMark } from "../link/handed-storage.js";
import { IdentityCheck } from "../link/identity.js";
import { Notes } from "../link/notes.js";
import { BoxLink } from "./box-link.js";

/** Silent boxes whose recordings are read at once; each has a thread, 16 connections and caches of its own. */
export const STAND_INS_MAX = 16;
/** One that nobody has asked for so long ends. */
const IDLE_MS = 10 * MS_PER_MINUTE;
const LOOK_MS = MS_PER_MINUTE;
/** What was handed over may be another since; one hub has written what another one reads. */
const FRESH_MS = MS_PER_MINUTE;
/** Says that an answer is made of what lies off the box. */
export const OFF_SITE_HEADER = "recordings-from";
const OFF_SITE = { [OFF_SITE_HEADER]: "off-site storage" } as const;

/** What is recorded, and who asks for it. Everything else that a box has is where it is. */
const SERVED =
  /^\/+(?:configex|archivefragments|video|site|mobile|hls|exportarchive|api\/(?:channels|session|timeline|strip|live|findings|archive\/former))(?:\/|$)/;

/** Whether a stand-in may have an answer to it; `path`: lower case. */
export function isServedOffSite(path: string): boolean {
  return SERVED.test(path);
}

/** An API that has a box's recordings from its off-site storage, at a unix socket, and nothing else of the box. */
export interface StandInApi {
  readonly socketPath: string;
  stop(): Promise<void>;
}

/** Opens the API that stands in for a silent box. Rejects with NvrdError NOT_AVAILABLE. */
export type OpenStandIn = (box: {
  readonly id: Guid;
  readonly name: string;
  readonly storage: HandedStorage;
}) => Promise<StandInApi>;

export interface StandInsOptions {
  readonly open: OpenStandIn;
  readonly storageOf: (id: Guid) => Promise<HandedStorage | undefined>;
  readonly nameOf: (id: Guid) => string;
  /** The certificate of the hub's authority, PEM. */
  readonly authority: string;
  readonly clock: Clock;
  readonly log: Log;
}

interface StandIn {
  readonly mark: string;
  readonly api: StandInApi;
  readonly gate: Gate;
  readonly link: BoxLink;
}

interface Opened {
  readonly standIn: Promise<StandIn | undefined>;
  /** Requests that are not over. */
  streams: number;
  usedUs: number;
  checkedUs: number;
}

/**
 * What answers in the place of boxes that are silent, of what they have sent to off-site storage. To the hub it is one more connection of the
 * box, whose other end is in this process: requests, identities and answers are those of a box.
 */
export class StandIns {
  readonly #options: StandInsOptions;
  readonly #opened = new Map<Guid, Opened>();
  #timer: ClockTimer | undefined;
  #isStopped = false;

  constructor(options: StandInsOptions) {
    this.#options = options;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.clear();
    await Promise.all([...this.#opened.keys()].map((id) => this.close(id)));
  }

  /** Begins a request; undefined: nothing of the box can be read off it. Rejects with NvrdError NOT_AVAILABLE. */
  async request(
    id: Guid,
    headers: OutgoingHttpHeaders,
    { hasBody }: { readonly hasBody: boolean },
  ): Promise<ClientHttp2Stream | undefined> {
    const [path = ""] = String(headers[":path"] ?? "").split("?");
    if (hasBody !== (headers[":method"] === "CONNECT") || !isServedOffSite(path.toLowerCase()))
      return undefined;
    const opened = await this.#current(id);
    opened.usedUs = this.#options.clock.monotonicUs();
    opened.streams += 1;
    let stream: ClientHttp2Stream | undefined;
    try {
      const standIn = await opened.standIn;
      stream = standIn?.link.request(headers, { hasBody });
    } finally {
      if (stream === undefined) this.#over(opened);
    }
    stream?.once("close", () => this.#over(opened));
    return stream;
  }

  /** The box is there again, or its storage is no matter of this hub any more; what is being read of it ends. Never rejects. */
  async close(id: Guid): Promise<void> {
    const opened = this.#opened.get(id);
    this.#opened.delete(id);
    const standIn = await opened?.standIn.catch(() => undefined); // who has asked was answered
    if (standIn === undefined) return;
    standIn.link.close();
    standIn.gate.close();
    await standIn.api
      .stop()
      .catch((error: unknown) =>
        this.#options.log.warn({ box: id, reason: errorText(error) }, "a stand-in did not end in order"),
      );
  }

  async #ended(id: Guid, link: BoxLink): Promise<void> {
    const standIn = await this.#opened.get(id)?.standIn;
    if (standIn?.link === link) await this.close(id);
  }

  #over(opened: Opened): void {
    opened.streams -= 1;
    opened.usedUs = this.#options.clock.monotonicUs();
  }

  /** The one that is open, if what it reads is still what the box has handed over; else another one. */
  async #current(id: Guid): Promise<Opened> {
    const known = this.#opened.get(id);
    if (known === undefined) return await this.#openNew(id);
    const { clock, storageOf } = this.#options;
    const nowUs = clock.monotonicUs();
    if (nowUs - known.checkedUs < FRESH_MS * US_PER_MS) return known;
    known.checkedUs = nowUs;
    const [storage, standIn] = await Promise.all([storageOf(id), known.standIn]);
    const isSame = (storage === undefined ? undefined : storageMark(storage)) === standIn?.mark;
    if (isSame || this.#opened.get(id) !== known) return this.#opened.get(id) ?? known;
    await this.close(id);
    return await this.#openNew(id);
  }

  async #openNew(id: Guid): Promise<Opened> {
    if (this.#isStopped) throw new NvrdError("NOT_AVAILABLE", "the hub is stopping");
    await this.#makeRoom();
    const under = this.#opened.get(id);
    if (under !== undefined) return under;
    const { clock } = this.#options;
    const nowUs = clock.monotonicUs();
    const opened: Opened = { standIn: this.#open(id), streams: 0, usedUs: nowUs, checkedUs: nowUs };
    this.#opened.set(id, opened);
    this.#timer ??= clock.setInterval(() => this.#closeIdle(), LOOK_MS);
    const forget = (): void => {
      if (this.#opened.get(id) === opened) this.#opened.delete(id);
    };
    opened.standIn.then((standIn) => standIn ?? forget(), forget);
    return opened;
  }

  async #open(id: Guid): Promise<StandIn | undefined> {
    const { open, storageOf, nameOf, authority, clock } = this.#options;
    const storage = await storageOf(id);
    if (storage === undefined) return undefined;
    const api = await open({ id, name: nameOf(id), storage });
    const gate = new Gate({
      ...{ check: new IdentityCheck(authority, id, clock), socketPath: api.socketPath, headers: OFF_SITE },
      ...{ about: () => ({ name: nameOf(id), version: "", health: "" }), connections: 1 },
      ...{ pace: new Pace(clock), notes: new Notes({ onNote: () => undefined, clock }) },
      onHubs: () => undefined, // it is of this hub alone
    });
    const [hubEnd, boxEnd] = duplexPair();
    gate.serve(boxEnd, "media");
    const link: BoxLink = new BoxLink({
      ...{ socket: hubEnd, hubs: () => [], clock },
      // A stand-in says nothing of itself, and nothing to others.
      ...{ onSaid: () => undefined, onNote: () => undefined },
      onEnd: () => void this.#ended(id, link),
    });
    return { mark: storageMark(storage), api, gate, link };
  }

  /** Ends the one that nobody reads from for the longest time. Throws NvrdError NOT_AVAILABLE where all are read from. */
  async #makeRoom(): Promise<void> {
    if (this.#opened.size < STAND_INS_MAX) return;
    const [oldest] = [...this.#opened]
      .filter(([, { streams }]) => streams === 0)
      .sort(([, one], [, other]) => one.usedUs - other.usedUs);
    if (oldest === undefined)
      throw new NvrdError(
        "NOT_AVAILABLE",
        `the recordings of ${STAND_INS_MAX} silent recorders are read from off-site storage already`,
        { hint: "try again when somebody has seen enough", retryAfterMs: LOOK_MS },
      );
    await this.close(oldest[0]);
  }

  #closeIdle(): void {
    const nowUs = this.#options.clock.monotonicUs();
    for (const [id, { streams, usedUs }] of this.#opened)
      if (streams === 0 && nowUs - usedUs > IDLE_MS * US_PER_MS) void this.close(id);
    if (this.#opened.size > 0) return;
    this.#timer?.clear();
    this.#timer = undefined;
  }
}
