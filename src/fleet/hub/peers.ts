import type { ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import type { TLSSocket } from "node:tls";
import * as v from "valibot";
import { guidOf } from "../../away/index.js";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  US_PER_HOUR,
  US_PER_MS,
} from "../../base/index.js";
import type { KeyAndCertificate } from "../../http/index.js";
import type { LinkRole } from "../link/link-messages.js";
import { BOXES_MAX } from "./box-keeping.js";
import { READ_AGAIN_MS } from "./box-list.js";
import type { HubStore } from "./hub-store.js";
import { PeerLink } from "./peer-link.js";
import {
  CHANGED_PATH,
  type HubEntry,
  hubEntry,
  type PresentBox,
  SESSION_PATH,
  SHARED_HEADER,
  TICKET_PATH,
  TOKEN_PATH,
  ticketAnswer,
  tokenAnswer,
} from "./peer-messages.js";
import { type PeerHost, PeerServer } from "./peer-server.js";

const FOLDER = "hub/hubs/";
/** The other hubs are looked for so often. */
const LOOK_MS = 10_000;
/** What a hub says of where it is counts for so long, and is said anew after a third of it. */
const ENTRY_US = 3 * US_PER_HOUR;
/** Hubs that share their boxes. */
export const HUBS_MAX = 16;

export interface HubPeersOptions {
  readonly store: HubStore;
  /** `host:port`: where other hubs reach this one, and where boxes do. */
  readonly peer: string;
  readonly boxPlace: string;
  /** The certificate of the authority, PEM. */
  readonly authority: string;
  readonly own: () => KeyAndCertificate;
  readonly host: PeerHost;
  /** A box is connected at another hub, says something else of itself, or is not connected there any more. */
  readonly onBox: (id: Guid) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The other hubs that share this one's boxes: they are found in the store that all have, and connected to. */
export class HubPeers {
  readonly #options: HubPeersOptions;
  readonly #id: Guid;
  readonly #server: PeerServer;
  readonly #links = new Map<Guid, { readonly entry: HubEntry; readonly link: PeerLink }>();
  /** When boxes were changed here, the newest last, until each hub has read the whole list again. */
  readonly #changes = new Map<Guid, number>();
  #timer: ClockTimer | undefined;
  #saidUs = Number.NEGATIVE_INFINITY;
  #isLooking = false;
  #isStopped = false;

  constructor(options: HubPeersOptions) {
    this.#options = options;
    this.#id = guidOf("hub", "peer", options.peer);
    this.#server = new PeerServer(options.host, options.log);
  }

  /** Rejects with NvrdError NOT_AVAILABLE where the store does not answer. */
  async start(): Promise<void> {
    await this.#say();
    await this.#look();
    this.#timer = this.#options.clock.setInterval(() => void this.#lookAgain(), LOOK_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.clear();
    for (const { link } of this.#links.values()) link.stop();
    this.#server.close();
    try {
      await this.#options.store.remove(nameOf(this.#id));
    } catch (error) {
      this.#options.log.debug(
        { reason: errorText(error) },
        "other hubs find out by themselves that this one has stopped",
      );
    }
  }

  /** Serves another hub, which has shown its certificate; one that is not known yet is looked for. */
  serve(socket: TLSSocket): void {
    this.#server.serve(socket);
    void this.#lookAgain();
  }

  /** Notifies the other hubs of a box that is connected here; undefined: it is not any more. */
  announce(id: Guid, here: PresentBox | undefined): void {
    this.#server.announce(id, here);
  }

  /** Where boxes may connect, each once. */
  get places(): readonly string[] {
    const others = [...this.#links.values()].map(({ entry }) => entry.Told);
    return [...new Set([this.#options.boxPlace, ...others])].sort();
  }

  /** What the other hubs know this one by. */
  get id(): Guid {
    return this.#id;
  }

  /** How many other hubs are connected to. */
  get areThere(): number {
    return [...this.#links.values()].filter(({ link }) => link.isOpen).length;
  }

  /** What a box says of itself at another hub; undefined: it is connected at none. */
  box(id: Guid): PresentBox | undefined {
    return this.#linkOf(id)?.box(id);
  }

  /** Begins a request to a box at a hub that has its connection; undefined: none has. Throws NvrdError NOT_AVAILABLE. */
  open(
    id: Guid,
    headers: OutgoingHttpHeaders,
    options: { readonly role: LinkRole; readonly hasBody: boolean },
  ): ClientHttp2Stream | undefined {
    return this.#linkOf(id)?.open(id, headers, options);
  }

  /** The hubs that have a connection of a box. */
  having(id: Guid): readonly Guid[] {
    return [...this.#links].flatMap(([hub, { link }]) => (link.box(id) === undefined ? [] : [hub]));
  }

  /** Begins a request for the live socket of a box at a hub that has its connection. Throws NvrdError NOT_AVAILABLE. */
  openLive(hub: Guid, id: Guid, headers: OutgoingHttpHeaders): ClientHttp2Stream {
    const link = this.#links.get(hub)?.link;
    if (link === undefined)
      throw new NvrdError("NOT_AVAILABLE", "the hub that has this recorder's connection is gone");
    return link.open(id, { ...headers, [SHARED_HEADER]: "1" }, { role: "media", hasBody: true });
  }

  /** Takes a token that another hub has made. The result gives it back; undefined: no hub that is there has it. */
  async takeToken(token: string): Promise<(() => void) | undefined> {
    for (const { link } of this.#links.values()) {
      const said = await this.#ask(link, TOKEN_PATH, { Token: token, GiveBack: false });
      const read = v.safeParse(tokenAnswer, said);
      if (read.success && read.output.IsTaken)
        return () => void this.#ask(link, TOKEN_PATH, { Token: token, GiveBack: true });
    }
    return undefined;
  }

  /** Takes what another hub remembers of a login that was begun there; undefined: no hub that is there does. */
  async takeTicket(key: string): Promise<string | undefined> {
    for (const { link } of this.#links.values()) {
      const read = v.safeParse(ticketAnswer, await this.#ask(link, TICKET_PATH, { Ticket: key }));
      if (read.success && read.output.Kept !== null) return read.output.Kept;
    }
    return undefined;
  }

  /** Notifies the other hubs that a session has ended, or is another one. One that does not hear it finds out by itself. */
  sessionChanged(key: string): void {
    for (const { link } of this.#links.values()) void this.#ask(link, SESSION_PATH, { Session: key });
  }

  /** Notifies the other hubs that what all keep of a box was changed; those that are not there now, once they are. */
  changed(id: Guid): void {
    this.#changes.delete(id);
    if (this.#changes.size >= BOXES_MAX) this.#forgetOldestChange();
    this.#changes.set(id, this.#options.clock.monotonicUs());
    for (const { link } of this.#links.values()) void this.#ask(link, CHANGED_PATH, { Box: id });
  }

  /** Says to a hub that has come, for the first time or again, what was changed before it could hear of it. Never rejects. */
  async #sayChanges(link: PeerLink): Promise<void> {
    const sinceUs = this.#options.clock.monotonicUs() - READ_AGAIN_MS * US_PER_MS;
    for (const [id, atUs] of [...this.#changes])
      if (atUs < sinceUs) this.#changes.delete(id);
      else await this.#ask(link, CHANGED_PATH, { Box: id });
  }

  #forgetOldestChange(): void {
    const [oldest] = this.#changes.keys();
    if (oldest !== undefined) this.#changes.delete(oldest);
  }

  #linkOf(id: Guid): PeerLink | undefined {
    for (const { link } of this.#links.values()) if (link.isOpen && link.box(id) !== undefined) return link;
    return undefined;
  }

  /** Undefined: it does not answer. */
  async #ask(link: PeerLink, path: string, body: object): Promise<unknown> {
    if (!link.isOpen) return undefined;
    try {
      return await link.ask(path, body);
    } catch (error) {
      this.#options.log.debug({ reason: errorText(error) }, "another hub does not answer");
      return undefined;
    }
  }

  async #say(): Promise<void> {
    const { store, clock, peer: Peer, boxPlace: Told } = this.#options;
    const entry: HubEntry = { Id: this.#id, Peer, Told, UntilUs: clock.nowUs() + ENTRY_US };
    await store.write(nameOf(this.#id), JSON.stringify(entry));
    this.#saidUs = clock.monotonicUs();
  }

  async #lookAgain(): Promise<void> {
    if (this.#isLooking || this.#isStopped) return;
    this.#isLooking = true;
    try {
      if (this.#options.clock.monotonicUs() - this.#saidUs > ENTRY_US / 3) await this.#say();
      await this.#look();
    } catch (error) {
      this.#options.log.warn(
        { reason: errorText(error) },
        "other hubs are not looked for: it is tried again",
      );
    } finally {
      this.#isLooking = false;
    }
  }

  async #look(): Promise<void> {
    const { store } = this.#options;
    const names = (await store.names(FOLDER)).filter((name) => name !== nameOf(this.#id)).slice(0, HUBS_MAX);
    for (const [id, { link }] of this.#links)
      if (!names.includes(nameOf(id)) && !link.isOpen) {
        link.stop();
        this.#links.delete(id);
      }
    for (const name of names) if (!this.#knows(name)) await this.#meet(name);
  }

  /** One that is not reached may be at another place by now. */
  #knows(name: string): boolean {
    const [, known] = [...this.#links].find(([id]) => nameOf(id) === name) ?? [];
    return known !== undefined && known.link.lostMs < 2 * LOOK_MS;
  }

  async #meet(name: string): Promise<void> {
    const { store, authority, own, onBox, clock, log } = this.#options;
    const said = await store.read(name);
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), hubEntry), said);
    if (!read.success || nameOf(read.output.Id) !== name) {
      if (said !== undefined) log.warn({ document: name }, "where another hub is cannot be read");
      return;
    }
    const entry = read.output;
    const known = this.#links.get(entry.Id);
    if (entry.UntilUs < clock.nowUs()) {
      known?.link.stop();
      this.#links.delete(entry.Id);
      await store.remove(name);
      return;
    }
    if (this.#isStopped || (known !== undefined && known.entry.Peer === entry.Peer)) return;
    known?.link.stop();
    log.info({ hub: entry.Peer }, "another hub shares the recorders of this one");
    const onOpen = (opened: PeerLink): void => void this.#sayChanges(opened);
    const link = new PeerLink({ peer: entry.Peer, authority, own, onBox, onOpen, clock });
    this.#links.set(entry.Id, { entry, link });
  }
}

function nameOf(id: Guid): string {
  return `${FOLDER}${id}.json`;
}
