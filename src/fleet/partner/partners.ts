import { mkdir, rm } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import {
  attentiveUs,
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  US_PER_MS,
  US_PER_SECOND,
} from "../../base/index.js";
import { type KeyAndCertificate, readKeyAndCertificate, writeKeyAndCertificate } from "../../http/index.js";
import { createPartnerCertificate } from "../join/certificates.js";
import { certificateHash, codeText, readCode } from "../join/code.js";
import { TOKEN_SECONDS, Tokens } from "../join/tokens.js";
import {
  askOver,
  type PartnerAnswer,
  type PartnerPlace,
  type PartnerQuestion,
} from "./partner-connection.js";
import { joinPartner } from "./partner-joining.js";
import { BEAT_MS, PartnerLink, type PartnerProblem } from "./partner-link.js";
import { PARTNERS_FOLDER, type Partner, PartnerList } from "./partner-list.js";
import {
  BEAT_PATH,
  type Beat,
  beat,
  HOSTS_MAX,
  type JoinRefusal,
  joinRequest,
  LEAVE_PATH,
  type Presence,
} from "./partner-messages.js";
import { type NoteWay, PartnerNotes } from "./partner-notes.js";
import { answerPartner, bodyOf, jsonOf, type PartnerCall, PartnerPort } from "./partner-port.js";

const FOLDER_MODE = 0o700;
/** A port that is not available is tried again after this. */
const RETRY_MS = 10_000;
/** A partner that was not heard for so long is shown as silent. */
const SHOWN_SILENT_US = 3 * US_PER_SECOND;

/** A partner as this box sees it. */
export interface PartnerState extends Partner {
  readonly isConnected: boolean;
  /** Since when it is heard, or is not, Unix µs. */
  readonly sinceUs: number;
  /** Why it is not heard; undefined: it is, or it is not known. */
  readonly problem: PartnerProblem | undefined;
  /** The error in words of the system; empty: none. */
  readonly detail: string;
  /** When it was heard last in the LAN, in `attentiveUs`; undefined: not since the start. */
  readonly heardUs: number | undefined;
  /** The same through the hub that both belong to, which is asked only while it is not heard in the LAN. */
  readonly relayedUs: number | undefined;
  /** It is heard through the hub alone. */
  readonly isRelayed: boolean;
  /** What it said last; undefined: nothing since the start. */
  readonly said: Beat | undefined;
}

/** What this box says of itself. */
export interface OwnFacts {
  readonly id: Guid;
  readonly name: string;
  readonly version: string;
  readonly httpPort: number;
  readonly httpsPort: number;
}

/** Takes requests of partners below a path. */
export type PartnerHandler = (call: PartnerCall) => Promise<void>;

export interface PartnersOptions {
  readonly dataDir: string;
  readonly listen: string;
  /** 0: this box has no partners. */
  readonly port: number;
  /** Most connections to it; default: as many as partners need. */
  readonly connectionsMax?: number;
  readonly own: () => OwnFacts;
  /** A partner was added, has left or was removed. */
  readonly onChange?: (change: "joined" | "left", partner: Partner) => void;
  readonly clock: Clock;
  readonly log: Log;
}

interface Present {
  readonly link: PartnerLink;
  /** In the LAN. */
  heardUs: number | undefined;
  /** Through the hub. */
  relayedUs: number | undefined;
  said: Beat | undefined;
  isConnected: boolean;
  sinceUs: number;
}

/** The boxes of a LAN that stand by this one: who they are, and requests to and from them. Without one there is no port and no timer. */
export class Partners {
  readonly #options: PartnersOptions;
  readonly #log: Log;
  readonly #directory: string;
  readonly #tokens: Tokens;
  readonly #list: PartnerList;
  readonly #present = new Map<Guid, Present>();
  readonly #handlers = new Map<string, PartnerHandler>();
  #recording: () => Beat["Recording"] = () => [];
  #notes: PartnerNotes | undefined;
  #own: KeyAndCertificate | undefined;
  #port: PartnerPort | undefined;
  #problem: string | undefined;
  #retry: ClockTimer | undefined;
  #closing: ClockTimer | undefined;
  #look: ClockTimer | undefined;
  #openUntilUs = 0;
  #isChanging = false;
  #isStopped = false;

  constructor(options: PartnersOptions) {
    this.#options = options;
    const { dataDir, clock } = options;
    this.#log = options.log.child({ part: "partners" });
    this.#directory = join(dataDir, PARTNERS_FOLDER);
    this.#tokens = new Tokens(clock);
    this.#list = new PartnerList({ directory: this.#directory, clock, log: this.#log });
  }

  /** Connects to the partners, if there are any. Never rejects for their sake. */
  async start(): Promise<void> {
    if (this.#list.all.length === 0 || this.#options.port === 0) return;
    this.#own = await this.#certificate();
    await this.#openPort().catch(() => undefined);
    for (const { id } of this.#list.all) this.#connect(id);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of [this.#retry, this.#closing, this.#look]) timer?.clear();
    for (const { link } of this.#present.values()) link.stop();
    this.#port?.stop();
    await this.#list.flush();
  }

  /** Why partners cannot come; undefined: they can, or there are none. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The port that is listened on; 0: none. */
  get listensOn(): number {
    return this.#port?.port ?? 0;
  }

  states(): readonly PartnerState[] {
    return this.#list.all.map((partner) => this.#stateOf(partner));
  }

  state(id: Guid): PartnerState | undefined {
    const partner = this.#list.get(id);
    return partner === undefined ? undefined : this.#stateOf(partner);
  }

  /** A code that makes one box a partner, and until when, Unix µs. Rejects with NvrdError CONFLICT or NOT_AVAILABLE. */
  async makeCode(): Promise<{ readonly code: string; readonly untilUs: number }> {
    this.#requirePort();
    if (this.#list.isFull) throw full();
    const { clock } = this.#options;
    await this.#open();
    const own = await this.#required();
    const [host = "127.0.0.1"] = this.#hosts();
    const authorityHash = certificateHash(own.certificate);
    const code = codeText("box", { host, port: this.listensOn, authorityHash, token: this.#tokens.make() });
    const openUs = TOKEN_SECONDS * US_PER_SECOND;
    this.#openUntilUs = clock.monotonicUs() + openUs;
    this.#closing?.clear();
    this.#closing = clock.setTimeout(() => this.#closeIfAlone(), openUs / US_PER_MS);
    return { code, untilUs: clock.nowUs() + openUs };
  }

  /** Becomes a partner of the box of a code. Rejects with NvrdError BAD_REQUEST, CONFLICT, FORBIDDEN or NOT_AVAILABLE. */
  async join(text: string): Promise<Partner> {
    this.#requirePort();
    const code = readCode("box", text);
    if (code === undefined)
      throw new NvrdError("BAD_REQUEST", "this is no code of another recorder", { hint: "copy all of it" });
    if (this.#list.isFull) throw full();
    return await this.#alone(async () => {
      const { clock } = this.#options;
      await this.#open();
      const own = await this.#required();
      const { host, port, authorityHash: certificate, token } = code;
      if (certificate === certificateHash(own.certificate)) throw ofThisBox();
      if (this.#list.byCertificate(certificate) !== undefined) throw known();
      const { id: Id } = this.#options.own();
      const place = { hosts: [host], port, certificate, own };
      const answer = await joinPartner(place, { Token: token, Id, ...this.#presence() }, clock);
      const partner = { ...partnerOf(answer.Id, answer, certificate), addedUs: clock.nowUs() };
      await this.#added({ ...partner, hosts: hostsOf(host, answer.Hosts) });
      return partner;
    }).finally(() => this.#closeIfAlone());
  }

  /** Ends the partnership with that box, and notifies it if it can be reached. Rejects with NvrdError NOT_FOUND, and with the disk's error. */
  async leave(id: Guid): Promise<Partner> {
    const removed = this.#list.get(id);
    if (removed === undefined)
      throw new NvrdError("NOT_FOUND", "there is no such partner", { hint: "see GET /api/fleet/partners" });
    await this.#present
      .get(id)
      ?.link.leave()
      .catch((error: unknown) => {
        this.#log.warn(
          { partner: removed.name, reason: errorText(error) },
          "the partner does not know that it is none any more: remove this recorder there",
        );
      });
    await this.#removed(id);
    return removed;
  }

  /** Asks a partner over the connection that is open. Rejects with NvrdError NOT_FOUND or NOT_AVAILABLE. */
  async ask(id: Guid, question: PartnerQuestion): Promise<PartnerAnswer> {
    const partner = this.#list.get(id);
    if (partner === undefined) throw new NvrdError("NOT_FOUND", "there is no such partner", { hint: "" });
    const session = this.#present.get(id)?.link.session;
    if (session === undefined)
      throw new NvrdError("NOT_AVAILABLE", `${partner.name} is not connected`, { hint: "" });
    return await askOver(session, question, this.#options.clock);
  }

  /** Where a partner is, for connections that somebody else opens (`connectPartner`), on any thread. Undefined: there is none. */
  place(id: Guid): PartnerPlace | undefined {
    const [partner, own] = [this.#list.get(id), this.#own];
    if (partner === undefined || own === undefined) return undefined;
    const { hosts, port, certificate } = partner;
    return { hosts, port, certificate, own };
  }

  /** Requests of partners to paths that begin so go to `handler`. */
  serve(prefix: string, handler: PartnerHandler): void {
    this.#handlers.set(prefix, handler);
  }

  /** What beats say that this box records. */
  useRecording(recording: () => Beat["Recording"]): void {
    this.#recording = recording;
  }

  /** Hears partners that are silent in the LAN through the hub that both belong to. */
  useNotes(way: NoteWay): void {
    this.#notes = new PartnerNotes({
      ...{ way, ownId: () => this.#options.own().id, own: () => this.#own, said: () => this.#beat() },
      certificateOf: (id) => this.#list.get(id)?.certificate,
      onBeat: (id, said, askedUs) => this.#relayed(id, said, askedUs),
      clock: this.#options.clock,
    });
  }

  #requirePort(): void {
    if (this.#options.port !== 0) return;
    throw new NvrdError("CONFLICT", "partners are switched off", {
      hint: "the setting partnerPort switches them on",
    });
  }

  async #alone<T>(run: () => Promise<T>): Promise<T> {
    if (this.#isChanging)
      throw new NvrdError("CONFLICT", "another partner is being added already", { hint: "" });
    this.#isChanging = true;
    try {
      return await run();
    } finally {
      this.#isChanging = false;
    }
  }

  #stateOf(partner: Partner): PartnerState {
    const present = this.#present.get(partner.id);
    const { heardUs, relayedUs, said, sinceUs = partner.addedUs } = present ?? {};
    const isConnected = this.#isHeard(heardUs);
    return {
      ...{ ...partner, isConnected, sinceUs, said, heardUs, relayedUs },
      isRelayed: !isConnected && this.#isHeard(relayedUs),
      problem: isConnected ? undefined : present?.link.problem,
      detail: isConnected ? "" : (present?.link.detail ?? ""),
    };
  }

  #isHeard(heardUs: number | undefined): boolean {
    return heardUs !== undefined && attentiveUs(this.#options.clock) - heardUs < SHOWN_SILENT_US;
  }

  #hosts(): readonly string[] {
    const { listen } = this.#options;
    if (listen !== "0.0.0.0" && listen !== "::") return [listen];
    const outside = Object.values(networkInterfaces())
      .flatMap((entries) => entries ?? [])
      .filter(({ internal, address }) => !internal && !address.startsWith("fe80:"));
    const addresses = [
      ...outside.filter(({ family }) => family === "IPv4"),
      ...outside.filter(({ family }) => family !== "IPv4"),
    ].map(({ address }) => address);
    return (addresses.length === 0 ? ["127.0.0.1"] : addresses).slice(0, HOSTS_MAX);
  }

  #presence(): Presence {
    const { name, version, httpPort, httpsPort } = this.#options.own();
    return {
      ...{ Name: name, Version: version, Hosts: [...this.#hosts()], Port: this.listensOn },
      ...{ HttpPort: httpPort, HttpsPort: httpsPort },
    };
  }

  #beat(): Beat {
    return { ...this.#presence(), Recording: this.#recording() };
  }

  async #required(): Promise<KeyAndCertificate> {
    this.#own ??= await this.#certificate();
    return this.#own;
  }

  /** Made when it is needed first. */
  async #certificate(): Promise<KeyAndCertificate> {
    const files = {
      keyFile: join(this.#directory, "key.pem"),
      certificateFile: join(this.#directory, "certificate.pem"),
    };
    const kept = await readKeyAndCertificate(files);
    if (kept !== undefined) return kept;
    const { own, clock } = this.#options;
    const made = await createPartnerCertificate(own().id, clock.nowUs() / US_PER_MS);
    await mkdir(this.#directory, { recursive: true, mode: FOLDER_MODE });
    await writeKeyAndCertificate(files, made);
    return made;
  }

  /** Listens, if it does not. Rejects with NvrdError NOT_AVAILABLE. */
  async #open(): Promise<void> {
    await this.#required();
    if (this.#port === undefined) await this.#openPort();
  }

  async #openPort(): Promise<void> {
    const { listen, port, connectionsMax, clock } = this.#options;
    const own = await this.#required();
    const opened = new PartnerPort({
      ...{ listen, port, own, clock, log: this.#log },
      ...(connectionsMax === undefined ? {} : { connectionsMax }),
      hosts: this.#list.all.flatMap(({ hosts }) => hosts),
      partnerOf: (certificate) => this.#list.byCertificate(certificate)?.id,
      onCall: (call) => this.#take(call),
      onJoin: (body, from) => this.#let(body, from),
    });
    try {
      await opened.start();
      this.#port = opened;
      this.#problem = undefined;
      this.#log.info({ port: opened.port }, "the port for partners is open");
    } catch (error) {
      this.#problem = errorText(error);
      this.#log.error({ reason: this.#problem }, "the port for partners is not open: it is tried again");
      this.#retry?.clear();
      const again = (): void => {
        if (!this.#isStopped && this.#port === undefined && this.#list.all.length > 0)
          void this.#openPort().catch(() => undefined);
      };
      this.#retry = clock.setTimeout(again, RETRY_MS);
      throw error;
    }
  }

  /** Without a partner, and without a code that counts, nothing is open. */
  #closeIfAlone(): void {
    if (this.#list.all.length > 0 || this.#options.clock.monotonicUs() < this.#openUntilUs) return;
    this.#port?.stop();
    this.#port = undefined;
    this.#problem = undefined;
    this.#look?.clear();
    this.#look = undefined;
  }

  #connect(id: Guid): void {
    const { clock } = this.#options;
    const link = new PartnerLink({
      place: () => this.#placeOf(id),
      said: () => this.#beat(),
      onBeat: (said) => this.#heard(id, said),
      onReached: (host) => {
        this.#list.note(id, { hosts: hostsOf(host, this.#list.get(id)?.hosts ?? []) });
      },
      clock,
    });
    this.#present.set(id, {
      link,
      heardUs: undefined,
      relayedUs: undefined,
      said: undefined,
      isConnected: false,
      sinceUs: clock.nowUs(),
    });
    this.#look ??= clock.setInterval(() => this.#lookAround(), BEAT_MS);
    link.start();
  }

  #placeOf(id: Guid): PartnerPlace {
    const place = this.place(id);
    if (place === undefined) throw new NvrdError("NOT_FOUND", "there is no such partner", { hint: "" });
    return place;
  }

  #heard(id: Guid, said: Beat, address?: string): void {
    const present = this.#present.get(id);
    const partner = this.#list.get(id);
    if (present === undefined || partner === undefined) return;
    present.heardUs = attentiveUs(this.#options.clock);
    present.said = said;
    // What answered last stays first; what it says now counts, and where it comes from.
    const [first] = partner.hosts;
    const saidHosts = address === undefined ? said.Hosts : [...said.Hosts, address];
    const hosts =
      first !== undefined && saidHosts.includes(first)
        ? hostsOf(first, saidHosts)
        : hostsOf(undefined, saidHosts);
    const { certificate: _certificate, id: _id, ...facts } = partnerOf(id, said, partner.certificate);
    this.#list.note(id, { ...facts, hosts });
    this.#lookAt(id, present);
  }

  #lookAround(): void {
    for (const [id, present] of this.#present) {
      this.#lookAt(id, present);
      this.#notes?.look(id, present.heardUs, present.relayedUs);
    }
  }

  #relayed(id: Guid, said: Beat, askedUs: number): void {
    const present = this.#present.get(id);
    if (present === undefined) return;
    present.relayedUs = Math.max(present.relayedUs ?? askedUs, askedUs);
    present.said = said;
  }

  #lookAt(id: Guid, present: Present): void {
    const isConnected = this.#isHeard(present.heardUs);
    if (isConnected === present.isConnected) return;
    present.isConnected = isConnected;
    present.sinceUs = this.#options.clock.nowUs();
    const { problem, detail } = present.link;
    const name = this.#list.get(id)?.name;
    this.#log.info({ partner: name, connected: isConnected, problem, detail }, "link to a partner");
  }

  async #take(call: PartnerCall): Promise<void> {
    const { partnerId, path, stream } = call;
    if (path === BEAT_PATH) {
      const body = await bodyOf(stream);
      const read = v.safeParse(beat, body === undefined ? undefined : jsonOf(body));
      if (read.success) this.#heard(partnerId, read.output, stream.session?.socket.remoteAddress);
      answerPartner(stream, read.success ? 200 : 400, this.#beat());
    } else if (path === LEAVE_PATH) {
      answerPartner(stream, 200, {});
      // The answer goes first.
      stream.once("close", () => void this.#removed(partnerId).catch(() => undefined));
    } else {
      const prefix = [...this.#handlers.keys()].find((each) => path.startsWith(each));
      const handler = prefix === undefined ? undefined : this.#handlers.get(prefix);
      if (handler === undefined)
        answerPartner(stream, 404, { ErrorMessage: "there is nothing at this path" });
      else await handler(call);
    }
  }

  /** Somebody has a code of this box. */
  async #let(
    body: unknown,
    from: { readonly certificate: string; readonly address: string },
  ): Promise<object | JoinRefusal> {
    const read = v.safeParse(joinRequest, body);
    if (!read.success) return "request";
    const { Token, Id: id, ...said } = read.output;
    const giveBack = this.#tokens.take(Token);
    if (giveBack === undefined) return "token";
    const reason = this.#reasonAgainst(id, from.certificate);
    if (reason !== undefined) {
      giveBack();
      return reason;
    }
    const partner = { ...partnerOf(id, said, from.certificate), addedUs: this.#options.clock.nowUs() };
    await this.#added({ ...partner, hosts: hostsOf(undefined, [...said.Hosts, plainAddress(from.address)]) });
    return { Id: this.#options.own().id, ...this.#presence() };
  }

  #reasonAgainst(id: Guid, certificate: string): JoinRefusal | undefined {
    if (id === this.#options.own().id) return "self";
    if (this.#list.get(id) !== undefined || this.#list.byCertificate(certificate) !== undefined)
      return "known";
    return this.#list.isFull ? "full" : undefined;
  }

  async #added(partner: Partner): Promise<void> {
    if (partner.id === this.#options.own().id) throw ofThisBox();
    if (this.#list.get(partner.id) !== undefined) throw known();
    await this.#list.add(partner);
    this.#connect(partner.id);
    this.#log.info({ partner: partner.name }, "a recorder is a partner now");
    this.#options.onChange?.("joined", partner);
  }

  async #removed(id: Guid): Promise<void> {
    const removed = await this.#list.remove(id);
    this.#present.get(id)?.link.stop();
    this.#present.delete(id);
    this.#port?.drop(id);
    if (removed === undefined) return;
    this.#log.info({ partner: removed.name }, "a recorder is no partner any more");
    this.#options.onChange?.("left", removed);
    if (this.#list.all.length === 0) await this.#forgetAll();
  }

  /** Of partners nothing remains, so that a new one meets a new key. */
  async #forgetAll(): Promise<void> {
    this.#openUntilUs = 0;
    this.#closeIfAlone();
    await this.#list.flush();
    await rm(this.#directory, { recursive: true, force: true });
    this.#own = undefined;
  }
}

function partnerOf(id: Guid, said: Presence, certificate: string): Omit<Partner, "addedUs"> {
  const { Name: name, Version: version, Hosts, Port: port, HttpPort: httpPort, HttpsPort: httpsPort } = said;
  return { id, name, version, certificate, hosts: [...Hosts], port, httpPort, httpsPort };
}

/** The addresses of a box, each once, `first` before all others. */
function hostsOf(first: string | undefined, others: readonly string[]): string[] {
  const all = [...(first === undefined ? [] : [first]), ...others].map(plainAddress);
  return [...new Set(all)].filter((host) => host !== "").slice(0, HOSTS_MAX);
}

/** An IPv4 address without the clothes of IPv6. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

function full(): NvrdError {
  return new NvrdError("CONFLICT", "there are as many partners as there can be", {
    hint: "remove one first",
  });
}

function known(): NvrdError {
  return new NvrdError("CONFLICT", "this recorder is a partner already", {
    hint: "remove it first: DELETE /api/fleet/partners/ID",
  });
}

function ofThisBox(): NvrdError {
  return new NvrdError("CONFLICT", "this is this recorder's own code", {
    hint: "paste it at the other recorder",
  });
}
