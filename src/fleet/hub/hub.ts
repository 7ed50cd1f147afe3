import { mkdir } from "node:fs/promises";
import type { ClientHttp2Stream, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer, type Server, type TLSSocket } from "node:tls";
import { guidOf } from "../../away/index.js";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  parseGuid,
  Strangers,
  strangersShare,
  US_PER_DAY,
  US_PER_MS,
  US_PER_SECOND,
} from "../../base/index.js";
import type { KeyAndCertificate } from "../../http/index.js";
import { certificateHash, codeText } from "../join/code.js";
import { HUB_NAME } from "../join/hub-name.js";
import { TOKEN_SECONDS, Tokens } from "../join/tokens.js";
import { type HubPlaceName, placeText } from "../link/hub-places.js";
import { type HubUser, IDENTITY_HEADER, IdentityCheck, IdentitySigner } from "../link/identity.js";
import type { BoxFigures, LinkRole } from "../link/link-messages.js";
import { BoxCatalogue } from "./box-catalogue.js";
import { BOXES_MAX, type EnrolledBox } from "./box-keeping.js";
import { BoxLink, type BoxSaid, type LinkEnd, wholeAnswer } from "./box-link.js";
import { BoxList } from "./box-list.js";
import { Enrolment } from "./enrolment.js";
import { type Documents, FileDocuments } from "./file-documents.js";
import { HubCertificates } from "./hub-certificates.js";
import type { HubStore } from "./hub-store.js";
import { KeptStorages } from "./kept-storages.js";
import { PassedNotes } from "./passed-notes.js";
import type { PresentBox } from "./peer-messages.js";
import type { PeerHost } from "./peer-server.js";
import { HUBS_MAX, HubPeers } from "./peers.js";
import { type OpenStandIn, StandIns } from "./stand-ins.js";
import { StorageKeeper } from "./storage-keeper.js";

/** In the data directory. */
const FOLDER = "hub";
const FOLDER_MODE = 0o700;
const HANDSHAKE_MS_MAX = 15_000;
/** Boxes that are there come back within it. */
const SILENT_AFTER_MS = 30_000;
/** Tokens that other hubs have taken here, and may give back. */
const GIVEN_BACK_MAX = 64;
/** Connections of whom the hub does not know: in their handshake, or to join. */
export const STRANGERS_MAX = 256;
/** Of one address: many boxes may be behind one router, and come back together. */
export const STRANGERS_PER_ADDRESS_MAX = 64;
/** Two of each box, one more while it comes back, of other hubs, and the share of strangers. */
const CONNECTIONS_MAX = 3 * BOXES_MAX + 2 * HUBS_MAX + STRANGERS_MAX;

/** A box's configuration: 1,024 channels with their streams have half of it. */
const CONFIGURATION_BYTES_MAX = 2 * 1024 * 1024;
const CONFIGURATION_MS_MAX = 30_000;
const CATALOGUE_USER: HubUser = {
  ...{ Id: "00000000-0000-4000-8000-000000000001", Name: "hub", Group: "hub", IsAdministrator: false },
  ...{ Rights: [], Realtime: true, Archive: true, Address: "" },
};

/** Why a box is not there. `never`: it has not come yet; `started`: it has not come since this hub has started. */
export type BoxSilence = "never" | "started" | LinkEnd;

export interface BoxState {
  readonly id: Guid;
  readonly name: string;
  /** Empty: not known yet. */
  readonly version: string;
  /** In a sentence; empty: not known yet. */
  readonly health: string;
  /** Undefined: not known yet, or the box is of an older version. */
  readonly figures: BoxFigures | undefined;
  readonly addedUs: number;
  /** Where it is, as somebody has said at the hub; in degrees. */
  readonly position: EnrolledBox["position"];
  /** When the hub heard of it last; undefined: never. */
  readonly seenUs: number | undefined;
  /** Why it is not there; undefined: it is. */
  readonly silence: BoxSilence | undefined;
  /** While it is silent its recordings are read from its off-site storage. */
  readonly isReadOffSite: boolean;
}

export interface HubOptions {
  readonly dataDir: string;
  /** Address to listen on, and the port; 0: chosen by the kernel. */
  readonly listen: string;
  readonly port: number;
  /** The host that codes name: how boxes reach this hub. */
  readonly host: () => string;
  /** The port that codes name; undefined: the one that is listened on. */
  readonly publicPort: number | undefined;
  /** Most connections; default: as many as all boxes need. */
  readonly connectionsMax?: number;
  /** What this hub has together with others; undefined: it is alone. */
  readonly shared?: SharedHub;
  /** Whether this machine itself has a channel of this id. */
  readonly isTaken?: (channelId: Guid) => boolean;
  /** Serves viewers of another hub; where it is left out, each has a stream of its own. */
  readonly onPeerLive?: (live: PeerLive) => void;
  /** Opens what stands in for a silent box; where it is left out, nothing does. */
  readonly openStandIn?: OpenStandIn;
  readonly clock: Clock;
  readonly log: Log;
}

/** What several hubs of the same boxes have together. */
export interface SharedHub {
  /** Where their list is. */
  readonly store: HubStore;
  /** Their authority, the same for all. */
  readonly authority: KeyAndCertificate;
  /** Where other hubs reach this one; port 0: the one that is listened on. */
  readonly peer: () => HubPlaceName;
  /** Who is logged in at the page of this hub; absent: logins are each hub's own. */
  readonly logins?: HubLogins;
}

/** What other hubs say and ask of logins. */
export interface HubLogins {
  /** A session has ended elsewhere, or is another one. */
  sessionElsewhere(key: string): void;
  /** Takes what is remembered of a login that was begun here, as text; undefined: there is none. */
  takeTicket(key: string): string | undefined;
}

/** What viewers of another hub want of the live socket of a box that is connected here: a WebSocket over `stream`, not answered yet. */
export interface PeerLive {
  readonly boxId: Guid;
  readonly user: HubUser;
  readonly stream: ServerHttp2Stream;
}

/** A request to a box. */
export interface BoxRequest {
  readonly user: HubUser;
  readonly headers: OutgoingHttpHeaders;
  readonly role: LinkRole;
  readonly hasBody: boolean;
}

interface Present {
  readonly links: Set<BoxLink>;
  health: string;
  figures: BoxFigures | undefined;
  revision: number | undefined;
  silence: BoxSilence | undefined;
}

/** A place that many boxes connect to: who belongs to it, and requests to them. */
export class Hub {
  readonly #options: HubOptions;
  readonly #log: Log;
  readonly #directory: string;
  readonly #certificates: HubCertificates;
  readonly #tokens: Tokens;
  readonly #boxes: BoxList;
  readonly #present = new Map<Guid, Present>();
  readonly #sockets = new Set<TLSSocket>();
  readonly #strangers: Strangers;
  readonly #connectionsMax: number;
  readonly #notes: PassedNotes;
  /** The channels of all boxes. */
  readonly catalogue: BoxCatalogue;
  /** What is kept of this hub besides its boxes; of several hubs, of all of them. */
  readonly documents: Documents;
  #authority: KeyAndCertificate | undefined;
  #signer: IdentitySigner | undefined;
  #enrolment: Enrolment | undefined;
  #server: Server | undefined;
  #own: KeyAndCertificate | undefined;
  /** The other hubs of these boxes; undefined: there are none. */
  #peers: HubPeers | undefined;
  #renewal: ClockTimer | undefined;
  /** What boxes have handed over of their off-site storage. */
  #storages: StorageKeeper | undefined;
  #standIns: StandIns | undefined;
  #look: ClockTimer | undefined;

  constructor(options: HubOptions) {
    this.#options = options;
    const { dataDir, clock } = options;
    this.#log = options.log.child({ part: "hub" });
    this.#directory = join(dataDir, FOLDER);
    this.#connectionsMax = Math.min(options.connectionsMax ?? CONNECTIONS_MAX, CONNECTIONS_MAX);
    const most = { max: STRANGERS_MAX, perAddressMax: STRANGERS_PER_ADDRESS_MAX };
    this.#strangers = new Strangers({ ...strangersShare(this.#connectionsMax, most), clock });
    this.#certificates = new HubCertificates(this.#directory, clock, options.shared?.authority);
    this.#tokens = new Tokens(clock);
    this.documents =
      options.shared?.store ?? new FileDocuments({ directory: this.#directory, clock, log: this.#log });
    this.#boxes = new BoxList({
      ...{ directory: this.#directory, store: options.shared?.store, clock, log: this.#log },
      onGone: (id) => this.#drop(id, "a recorder was removed at another hub"),
    });
    this.#notes = new PassedNotes({
      isOurs: (id) => this.#boxes.get(id) !== undefined,
      open: (id, headers) => {
        const asked = { role: "commands", hasBody: true } as const;
        return this.#linkOf(id, asked.role)?.request(headers, asked) ?? this.#peers?.open(id, headers, asked);
      },
      clock,
    });
    const isTaken = options.isTaken ?? (() => false);
    this.catalogue = new BoxCatalogue({
      ...{ ask: (id) => this.#configurationOf(id), isTaken, clock, log: this.#log },
    });
  }

  /** Listens. Rejects with NvrdError NOT_AVAILABLE where it cannot, or where it is not known who belongs to it; then it may be started again. */
  async start(): Promise<void> {
    const { clock } = this.#options;
    await mkdir(this.#directory, { recursive: true, mode: FOLDER_MODE });
    const authority = await this.#certificates.authority();
    this.#authority = authority;
    this.#signer = new IdentitySigner(authority.key, clock);
    await this.#boxes.start();
    await this.#startStandIns(authority);
    this.#enrolment = new Enrolment({
      ...{ authority, boxes: this.#boxes, clock, log: this.#log },
      takeToken: async (token) => this.#tokens.take(token) ?? (await this.#peers?.takeToken(token)),
      boxOf: (socket) => this.#boxOf(socket),
      onJoined: (id) => this.#joined(id),
      onRenewed: (id) => this.#peers?.changed(id),
      onLeft: (id) => this.#left(id, "a recorder has left this hub"),
    });
    this.#own = await this.#certificates.own(authority);
    this.#server ??= await this.#listen(authority, this.#own);
    await this.#meet(authority);
    this.#renewal ??= clock.setInterval(() => void this.#renew(), US_PER_DAY / US_PER_MS);
  }

  async stop(): Promise<void> {
    this.#renewal?.clear();
    this.#look?.clear();
    this.catalogue.stop();
    this.#server?.close();
    this.#enrolment?.stop();
    await this.#peers?.stop();
    this.#storages?.stop();
    await this.#standIns?.stop();
    for (const { links } of this.#present.values()) for (const link of links) link.close();
    for (const socket of this.#sockets) socket.destroy();
    await this.#boxes.stop();
    this.#options.shared?.store.close();
  }

  /** The port that is listened on; 0 before the start. */
  get port(): number {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port ?? 0;
  }

  /** How many other hubs of these boxes are connected to. */
  get peersThere(): number {
    return this.#peers?.areThere ?? 0;
  }

  /** A code that lets one box in, and until when, Unix µs. */
  makeCode(): { readonly code: string; readonly untilUs: number } {
    const { host, publicPort, clock } = this.#options;
    const authority = this.#authority;
    // Before it listens its port may not be known.
    if (authority === undefined || this.#server === undefined)
      throw new NvrdError("NOT_AVAILABLE", "the hub is not started yet");
    const token = this.#tokens.make();
    const authorityHash = certificateHash(authority.certificate);
    return {
      code: codeText("hub", { host: host(), port: publicPort ?? this.port, authorityHash, token }),
      untilUs: clock.nowUs() + TOKEN_SECONDS * US_PER_SECOND,
    };
  }

  boxes(): readonly BoxState[] {
    return this.#boxes.all.map((box) => this.#stateOf(box));
  }

  box(id: Guid): BoxState | undefined {
    const box = this.#boxes.get(id);
    return box === undefined ? undefined : this.#stateOf(box);
  }

  /** Lets a box in no more. Resolves when it is kept; whether there was one. */
  async remove(id: Guid): Promise<boolean> {
    const isRemoved = await this.#boxes.remove(id);
    if (isRemoved) this.#left(id, "a recorder was removed from this hub");
    return isRemoved;
  }

  /** Says where a box is; undefined: where its cameras are. Resolves when it is kept; whether there is such a box. */
  async place(id: Guid, position: EnrolledBox["position"]): Promise<boolean> {
    const isPlaced = await this.#boxes.place(id, position);
    if (isPlaced) this.#peers?.changed(id);
    return isPlaced;
  }

  /** Begins a request to a box in the name of a user. Rejects with NvrdError NOT_FOUND, or NOT_AVAILABLE where it is not there. */
  async open(id: Guid, { user, headers, role, hasBody }: BoxRequest): Promise<ClientHttp2Stream> {
    const { name, identity } = await this.#identity(user, id);
    const named = { ...headers, [IDENTITY_HEADER]: identity };
    const link = this.#linkOf(id, role);
    const stream =
      link?.request(named, { hasBody }) ??
      this.#peers?.open(id, named, { role, hasBody }) ??
      (await this.#standIns?.request(id, named, { hasBody }));
    if (stream === undefined)
      throw new NvrdError("NOT_AVAILABLE", `${name} is not connected to this hub now`);
    return stream;
  }

  /** Who asks, signed for one request to a box. */
  async #identity(user: HubUser, id: Guid): Promise<{ readonly name: string; readonly identity: string }> {
    const box = this.#boxes.get(id);
    if (box === undefined)
      throw new NvrdError("NOT_FOUND", "this hub has no such recorder", { hint: "see GET /api/boxes" });
    if (this.#signer === undefined) throw new NvrdError("NOT_AVAILABLE", "the hub is not started yet");
    return { name: box.name, identity: await this.#signer.sign(user, id) };
  }

  /**
   * The hub over which all hubs that share a box have its live pictures, so that they come from it once; `here`: this one. Each finds it by
   * itself; while one does not know yet who is connected where, pictures may come twice.
   */
  liveHub(id: Guid): Guid | "here" | undefined {
    const others = this.#peers?.having(id) ?? [];
    const isHere = this.#linkOf(id, "media") !== undefined;
    const own = isHere && this.#peers !== undefined ? [this.#peers.id] : [];
    const [first] = [...others, ...own].map((hub) => ({ hub, rank: guidOf(id, hub) })).sort(byRank);
    if (first === undefined) return isHere ? "here" : undefined;
    return first.hub === own[0] ? "here" : first.hub;
  }

  /** Begins a WebSocket to the live socket of a box by way of a hub. Rejects with NvrdError NOT_FOUND or NOT_AVAILABLE. */
  async openLive(
    id: Guid,
    hub: Guid | "here",
    { user, headers }: Pick<BoxRequest, "user" | "headers">,
  ): Promise<ClientHttp2Stream> {
    const { name, identity } = await this.#identity(user, id);
    const named = { ...headers, [IDENTITY_HEADER]: identity };
    const stream =
      hub === "here"
        ? this.#linkOf(id, "media")?.request(named, { hasBody: true })
        : this.#peers?.openLive(hub, id, named);
    if (stream === undefined)
      throw new NvrdError("NOT_AVAILABLE", `${name} is not connected to this hub now`);
    return stream;
  }

  /** Notifies the other hubs that a session has ended, or is another one. */
  sessionChanged(key: string): void {
    this.#peers?.sessionChanged(key);
  }

  /** Takes what another hub remembers of a login that was begun there; undefined: none does. */
  async takeTicket(key: string): Promise<string | undefined> {
    return await this.#peers?.takeTicket(key);
  }

  /** The connection of a box to this hub that is for a kind of requests, or another one; undefined: there is none. */
  #linkOf(id: Guid, role: LinkRole): BoxLink | undefined {
    const links = [...(this.#present.get(id)?.links ?? [])].filter(isUsable);
    return links.find((each) => each.role === role) ?? links[0];
  }

  /** What is there of boxes that are silent. Rejects with NvrdError NOT_AVAILABLE where that is not known. */
  async #startStandIns(authority: KeyAndCertificate): Promise<void> {
    const { shared, openStandIn, clock } = this.#options;
    const kept = new KeptStorages({
      ...{ directory: this.#directory, store: shared?.store, authorityKey: authority.key, log: this.#log },
    });
    await kept.start();
    this.#storages = new StorageKeeper({
      ...{ kept, clock, log: this.#log, onChange: (id) => this.#peers?.changed(id) },
      isOurs: (id) => this.#boxes.get(id) !== undefined,
      open: (id, headers) => this.#linkOf(id, "commands")?.request(headers, { hasBody: false }),
    });
    if (openStandIn === undefined) return;
    this.#standIns = new StandIns({
      ...{ open: openStandIn, authority: authority.certificate, clock, log: this.#log },
      storageOf: (id) => kept.read(id),
      nameOf: (id) => this.#boxes.get(id)?.name ?? "",
    });
    this.#look ??= clock.setTimeout(() => this.#lookAtSilent(), SILENT_AFTER_MS);
  }

  /** Of boxes that have not come back since the hub's start, their off-site storage says what cameras they have. */
  #lookAtSilent(): void {
    for (const box of this.boxes())
      if (box.silence !== undefined && box.isReadOffSite) this.catalogue.said(box.id, undefined);
  }

  /** Meets the other hubs of these boxes, where there may be any. */
  async #meet(authority: KeyAndCertificate): Promise<void> {
    const { shared, clock, host, publicPort } = this.#options;
    if (shared === undefined || this.#peers !== undefined) return;
    const { host: peerHost, port: peerPort } = shared.peer();
    const peers = new HubPeers({
      ...{ store: shared.store, authority: authority.certificate, clock, log: this.#log },
      peer: placeText({ host: peerHost, port: peerPort === 0 ? this.port : peerPort }),
      boxPlace: placeText({ host: host(), port: publicPort ?? this.port }),
      own: () => this.#own ?? authority,
      host: this.#peerHost(),
      onBox: (id) => this.#followPeer(id),
    });
    await peers.start();
    this.#peers = peers;
  }

  /** What this hub does for the others. */
  #peerHost(): PeerHost {
    const givenBack = new Map<string, () => void>();
    return {
      present: () =>
        [...this.#present.keys()].flatMap((id) => {
          const here = this.#hereOf(id);
          return here === undefined ? [] : [[id, here] as const];
        }),
      openHere: (id, headers, { role, hasBody }) => {
        const link = this.#linkOf(id, role);
        if (link === undefined)
          throw new NvrdError("NOT_AVAILABLE", "the recorder is not connected to this hub now");
        return link.request(headers, { hasBody });
      },
      serveLive: async (id, stream, headers) => {
        const { onPeerLive, clock } = this.#options;
        if (onPeerLive === undefined) return false;
        const identity = headers[IDENTITY_HEADER];
        const check = new IdentityCheck(this.#authority?.certificate ?? "", id, clock);
        const user = await check.read(typeof identity === "string" ? identity : undefined);
        if (typeof user === "string")
          throw new NvrdError("BAD_REQUEST", `who watches at another hub is ${user}`);
        if (this.#linkOf(id, "media") === undefined)
          throw new NvrdError("NOT_AVAILABLE", "the recorder is not connected to this hub now");
        onPeerLive({ boxId: id, user, stream });
        return true;
      },
      takeToken: (token) => {
        const giveBack = this.#tokens.take(token);
        if (giveBack === undefined) return false;
        if (givenBack.size >= GIVEN_BACK_MAX) givenBack.clear();
        givenBack.set(token, giveBack);
        return true;
      },
      giveTokenBack: (token) => {
        givenBack.get(token)?.();
        givenBack.delete(token);
      },
      changedElsewhere: (id) => {
        this.#storages?.changedElsewhere(id);
        void this.#boxes.changedElsewhere(id);
      },
      sessionElsewhere: (key) => this.#options.shared?.logins?.sessionElsewhere(key),
      takeTicket: (key) => this.#options.shared?.logins?.takeTicket(key),
    };
  }

  /** What a box says of itself that is connected here. */
  #hereOf(id: Guid): PresentBox | undefined {
    const present = this.#present.get(id);
    const box = this.#boxes.get(id);
    if (present === undefined || box === undefined || ![...present.links].some(isUsable)) return undefined;
    const { health: Health, figures: Figures, revision: Revision } = present;
    return { Name: box.name, Version: box.version, Health, Figures, Revision };
  }

  #followPeer(id: Guid): void {
    const here = this.#peers?.box(id);
    if (here === undefined) {
      this.#boxes.seen(id, { seenUs: this.#options.clock.nowUs() });
      return;
    }
    void this.#boxes.find(id).then(
      () =>
        this.#boxes.seen(id, { name: here.Name, version: here.Version, seenUs: this.#options.clock.nowUs() }),
      (error: unknown) =>
        this.#log.debug({ box: id, reason: errorText(error) }, "a recorder of another hub is not known yet"),
    );
    this.catalogue.said(id, here.Revision);
  }

  #joined(id: Guid): void {
    this.#log.info({ box: id }, "a recorder has joined this hub");
    this.#peers?.changed(id);
  }

  #left(id: Guid, message: string): void {
    this.#drop(id, message);
    this.#peers?.changed(id);
  }

  /** What a box says to whoever may watch everything and do nothing. */
  async #configurationOf(id: Guid): Promise<string> {
    const headers = { ":method": "GET", ":path": "/configex?responsetype=json" };
    const stream = await this.open(id, { user: CATALOGUE_USER, headers, role: "commands", hasBody: false });
    stream.on("error", () => stream.destroy());
    const limits = {
      bytesMax: CONFIGURATION_BYTES_MAX,
      ms: CONFIGURATION_MS_MAX,
      clock: this.#options.clock,
    };
    const { status, body } = await wholeAnswer(stream, limits);
    if (status !== 200) throw new NvrdError("NOT_AVAILABLE", `it answers with status ${status}`);
    return body.toString("utf8");
  }

  #stateOf({ id, name, version, addedUs, seenUs, position }: EnrolledBox): BoxState {
    const present = this.#present.get(id);
    const isHere = [...(present?.links ?? [])].some(isUsable);
    const elsewhere = isHere ? undefined : this.#peers?.box(id);
    const isThere = isHere || elsewhere !== undefined;
    return {
      ...{ id, name, version, addedUs, position },
      health: elsewhere?.Health ?? present?.health ?? "",
      figures: elsewhere?.Figures ?? present?.figures,
      seenUs: isThere ? this.#options.clock.nowUs() : seenUs === 0 ? undefined : seenUs,
      isReadOffSite: this.#standIns !== undefined && this.#storages?.has(id) === true,
      silence: isThere ? undefined : (present?.silence ?? (seenUs === 0 ? "never" : "started")),
    };
  }

  async #listen(authority: KeyAndCertificate, own: KeyAndCertificate): Promise<Server> {
    const { listen, port } = this.#options;
    const server = createServer(
      {
        ...{ key: own.key, cert: own.certificate, ca: authority.certificate },
        ...{ requestCert: true, rejectUnauthorized: false, minVersion: "TLSv1.3" },
        ...{ ALPNProtocols: ["h2", "http/1.1"], handshakeTimeout: HANDSHAKE_MS_MAX },
      },
      (socket) => void this.#take(socket),
    );
    server.maxConnections = this.#connectionsMax;
    server.on("connection", (socket) => this.#strangers.add(socket));
    server.on("tlsClientError", (_error, socket) => socket.destroy());
    return await new Promise((resolve, reject) => {
      server.once("error", (error) =>
        reject(
          new NvrdError(
            "NOT_AVAILABLE",
            `the hub cannot listen on ${listen} port ${port}: ${errorText(error)}`,
            {
              cause: error,
            },
          ),
        ),
      );
      server.listen(port, listen, () => resolve(server));
    });
  }

  /** Never rejects. */
  async #take(socket: TLSSocket): Promise<void> {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    if (socket.alpnProtocol !== "h2") {
      this.#enrolment?.serve(socket);
      return;
    }
    if (this.#peers !== undefined && isHub(socket)) {
      this.#strangers.known(socket);
      this.#peers.serve(socket);
      return;
    }
    const id = await this.#boxOf(socket);
    if (socket.destroyed) return;
    if (id === undefined) {
      this.#log.warn({ address: socket.remoteAddress }, "a connection was refused: no recorder of this hub");
      socket.destroy();
      return;
    }
    this.#strangers.known(socket);
    this.#connect(id, socket);
  }

  /** The box whose certificate a connection has shown; undefined: none that is admitted. */
  async #boxOf(socket: TLSSocket): Promise<Guid | undefined> {
    if (!socket.authorized) return undefined;
    const { subject, raw } = socket.getPeerCertificate();
    const id = subject.CN;
    return typeof id === "string" &&
      parseGuid(id) === id &&
      (await this.#boxes.admits(id, certificateHash(raw)))
      ? id
      : undefined;
  }

  #connect(id: Guid, socket: TLSSocket): void {
    const { clock } = this.#options;
    const present = this.#present.get(id) ?? newcomer();
    this.#present.set(id, present);
    socket.setNoDelay(true);
    const link = new BoxLink({
      ...{ socket, clock, hubs: () => this.#peers?.places ?? [] },
      onSaid: (said) => this.#said(id, link, said),
      onNote: (to, text) => this.#notes.pass(id, to, text),
      onEnd: (end) => {
        present.links.delete(link);
        if (present.links.size > 0) return;
        present.silence = end;
        this.#peers?.announce(id, undefined);
        this.#boxes.seen(id, { seenUs: clock.nowUs() });
      },
    });
    present.links.add(link);
  }

  #said(id: Guid, link: BoxLink, { Name, Version, Health, Role, Figures, Revision, Storage }: BoxSaid): void {
    const present = this.#present.get(id);
    if (present === undefined) return;
    // A connection that the box has opened anew, while the old one's end is not known here yet.
    for (const other of present.links) if (other !== link && other.role === Role) other.close();
    present.health = Health;
    present.figures = Figures;
    present.revision = Revision;
    this.#boxes.seen(id, { name: Name, version: Version, seenUs: this.#options.clock.nowUs() });
    this.#peers?.announce(id, this.#hereOf(id));
    this.catalogue.said(id, Revision);
    this.#storages?.said(id, Storage);
  }

  #drop(id: Guid, message: string): void {
    this.#log.info({ box: id }, message);
    const links = [...(this.#present.get(id)?.links ?? [])];
    this.#present.delete(id);
    this.catalogue.forget(id);
    for (const link of links) link.close();
    this.#storages?.forget(id);
    void this.#standIns?.close(id);
  }

  async #renew(): Promise<void> {
    const authority = this.#authority;
    if (authority === undefined) return;
    try {
      const own = await this.#certificates.own(authority);
      this.#own = own;
      this.#server?.setSecureContext({
        key: own.key,
        cert: own.certificate,
        ca: authority.certificate,
        minVersion: "TLSv1.3",
      });
    } catch (error) {
      this.#log.error(
        { reason: errorText(error) },
        "the hub's certificate cannot be made anew: the present one stays",
      );
    }
  }
}

function byRank(one: { readonly rank: string }, other: { readonly rank: string }): number {
  return one.rank < other.rank ? -1 : 1;
}

function newcomer(): Present {
  return { links: new Set(), health: "", figures: undefined, revision: undefined, silence: undefined };
}

/** Whether requests may go over it: the box has said what it is for. */
function isUsable(link: BoxLink): boolean {
  return link.isOpen && link.role !== undefined;
}

/** Whether a connection has shown the certificate of a hub of this authority: boxes have ids in their place. */
function isHub(socket: TLSSocket): boolean {
  return socket.authorized && socket.getPeerCertificate().subject.CN === HUB_NAME;
}
