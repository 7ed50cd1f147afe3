import { createSocket, type Socket } from "node:dgram";
import ipaddr from "ipaddr.js";
import { type Clock, type ClockTimer, errorText, type Log, newGuid } from "../base/index.js";
import { DatagramBudget, type LanAddress, SYSTEM_NETWORK } from "../camera/index.js";
import { type DiscoveryQuestion, readQuestion } from "./discovery-request.js";
import { soapEnvelope, xmlText } from "./soap-message.js";

/** WS-Discovery 2005/04, 2.4. */
const GROUP = "239.255.255.250";
const PORT = 3702;
const MULTICAST_HOPS = 1;
/**
 * An answer is sent after a random time up to this (WS-Discovery 2005/04, 3.1: APP_MAX_DELAY), so that not all come at
 * once.
 */
const ANSWER_DELAY_MS_MAX = 500;
/** Most delayed answers; further questions are ignored, as the client repeats them. */
const WAITING_MAX = 256;
/** How often the machine's addresses are looked at. */
const REFRESH_MS = 15_000;

const DISCOVERY = "http://schemas.xmlsoap.org/ws/2005/04/discovery";
const ADDRESSING = "http://schemas.xmlsoap.org/ws/2004/08/addressing";

export interface AnnouncedDevice {
  /** Endpoint reference, `urn:uuid:…`. */
  readonly identity: string;
  /** `onvif://www.onvif.org/…`. */
  readonly scopes: readonly string[];
  /** Address of its device service, for who reaches it at an address of this machine. */
  serviceUrl(ownAddress: string): string;
}

type OwnAddress = Pick<LanAddress, "address" | "prefixLength">;

export interface DiscoveryResponderOptions {
  /** IPv4 addresses to answer from. One of 127.0.0.0/8 answers only this machine, any other one only its network. */
  readonly addresses: () => readonly OwnAddress[];
  readonly devices: () => readonly AnnouncedDevice[];
  readonly clock: Clock;
  /** 0 to 1, for the delay of answers. */
  readonly random: () => number;
  readonly log: Log;
}

/**
 * Answers WS-Discovery for devices of this machine (ONVIF Core, 7), and announces them. It is bound to the group's address with
 * SO_REUSEADDR, so that other programs on port 3702 of this machine still receive their datagrams.
 */
export class DiscoveryResponder {
  readonly #options: DiscoveryResponderOptions;
  readonly #budget: DatagramBudget;
  readonly #waiting = new Set<ClockTimer>();
  /** What answers are sent from, by own address. */
  readonly #senders = new Map<string, { readonly own: OwnAddress; readonly socket: Socket }>();
  #groupSocket: Socket | undefined;
  #timer: ClockTimer | undefined;
  #refreshing: Promise<void> = Promise.resolve();

  constructor(options: DiscoveryResponderOptions) {
    this.#options = options;
    this.#budget = new DatagramBudget(options.clock);
  }

  /** Listens and sends Hello; rejects with the system's error without multicast. */
  async start(): Promise<void> {
    const groupSocket = this.#open(true);
    this.#groupSocket = groupSocket;
    await bind(groupSocket, PORT, GROUP);
    groupSocket.on("message", (datagram, from) => this.#onDatagram(datagram, from.address, from.port));
    for (const own of this.#options.addresses()) await this.#enter(own);
    this.#timer = this.#options.clock.setInterval(() => this.#refreshSoon(), REFRESH_MS);
  }

  /** Sends Bye and closes the sockets. */
  async stop(): Promise<void> {
    const groupSocket = this.#groupSocket;
    this.#groupSocket = undefined;
    this.#timer?.clear();
    for (const timer of this.#waiting) timer.clear();
    this.#waiting.clear();
    await this.#refreshing;
    for (const { own } of [...this.#senders.values()]) {
      await this.#announce("Bye", own.address);
      await this.#leave(own.address);
    }
    if (groupSocket !== undefined) await close(groupSocket);
  }

  #refreshSoon(): void {
    this.#refreshing = this.#refreshing.then(() => this.#refresh());
  }

  /** Addresses come and go, by DHCP for example. The kernel drops a membership together with its address. */
  async #refresh(): Promise<void> {
    const now = this.#options.addresses();
    for (const address of [...this.#senders.keys()])
      if (!now.some((own) => own.address === address)) await this.#leave(address);
    for (const own of now) {
      if (this.#senders.has(own.address) || this.#groupSocket === undefined) continue;
      try {
        await this.#enter(own);
      } catch (error) {
        const { address } = own;
        this.#options.log.debug({ address, error: errorText(error) }, "not announced at this address");
      }
    }
  }

  async #enter(own: OwnAddress): Promise<void> {
    const socket = this.#open(false);
    this.#senders.set(own.address, { own, socket });
    try {
      await bind(socket, 0, own.address);
      socket.setMulticastInterface(own.address);
      socket.setMulticastTTL(MULTICAST_HOPS);
      this.#join(own.address);
    } catch (error) {
      await this.#leave(own.address);
      throw error;
    }
    await this.#announce("Hello", own.address);
  }

  #join(address: string): void {
    try {
      this.#groupSocket?.addMembership(GROUP, address);
    } catch (error) {
      // Two addresses of one interface share one membership.
      if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    }
  }

  async #leave(address: string): Promise<void> {
    const sender = this.#senders.get(address);
    this.#senders.delete(address);
    if (sender !== undefined) await close(sender.socket);
  }

  #open(reuseAddr: boolean): Socket {
    const socket = createSocket({ type: "udp4", reuseAddr });
    socket.on("error", (error) =>
      this.#options.log.debug({ error: errorText(error) }, "discovery responder"),
    );
    return socket;
  }

  /** Linux delivers a group's datagrams from every interface: those from other networks are ignored. */
  #onDatagram(datagram: Buffer, address: string, port: number): void {
    const own = this.#ownFor(address);
    if (own === undefined || !this.#budget.takes(address, datagram.length)) return;
    const { question, tokens } = readQuestion(datagram);
    const answers = question === undefined ? [] : this.#answers(question, own);
    this.#budget.charge(address, { tokens, devices: answers.length });
    for (const answer of answers) this.#answerLater(answer, { own, address, port });
  }

  #answers(question: DiscoveryQuestion, own: string): readonly string[] {
    const relates = `<a:RelatesTo>${xmlText(question.messageId)}</a:RelatesTo><a:To>${ADDRESSING}/role/anonymous</a:To>`;
    const [kind, one] =
      question.kind === "probe"
        ? (["ProbeMatches", "ProbeMatch"] as const)
        : (["ResolveMatches", "ResolveMatch"] as const);
    return this.#options
      .devices()
      .filter((device) => isMeant(device, question))
      .map((device) =>
        message(kind, relates, `<d:${kind}><d:${one}>${deviceXml(device, own)}</d:${one}></d:${kind}>`),
      );
  }

  /** The own address on the network of a client: of other networks nobody is answered. */
  #ownFor(address: string): string | undefined {
    if (!ipaddr.IPv4.isValidFourPartDecimal(address)) return undefined;
    const client = ipaddr.IPv4.parse(address);
    for (const { own } of this.#senders.values())
      if (own.address === address || client.match(ipaddr.IPv4.parse(own.address), own.prefixLength))
        return own.address;
    return undefined;
  }

  #answerLater(
    text: string,
    { own, address, port }: { readonly own: string; readonly address: string; readonly port: number },
  ): void {
    if (this.#waiting.size >= WAITING_MAX) return;
    const { clock, random } = this.#options;
    const timer = clock.setTimeout(() => {
      this.#waiting.delete(timer);
      void this.#send(own, text, port, address);
    }, random() * ANSWER_DELAY_MS_MAX);
    this.#waiting.add(timer);
  }

  async #announce(kind: "Hello" | "Bye", own: string): Promise<void> {
    const to = "<a:To>urn:schemas-xmlsoap-org:ws:2005:04:discovery</a:To>";
    const texts = this.#options
      .devices()
      .map((device) => message(kind, to, `<d:${kind}>${deviceXml(device, own)}</d:${kind}>`));
    await Promise.all(texts.map((text) => this.#send(own, text, PORT, GROUP)));
  }

  /** Resolves when it is sent or has failed: datagrams may be lost, and the client repeats its question. */
  #send(own: string, text: string, port: number, address: string): Promise<void> {
    return new Promise((resolve) => {
      const socket = this.#senders.get(own)?.socket;
      if (socket === undefined) return resolve();
      socket.send(text, port, address, (error) => {
        if (error !== null) this.#options.log.debug({ error: errorText(error) }, "discovery answer not sent");
        resolve();
      });
    });
  }
}

/** The addresses of a server that listens on `listen`. */
export function answeringAddresses(listen: string): readonly OwnAddress[] {
  const all = SYSTEM_NETWORK.addresses().filter(({ family }) => family === "IPv4");
  if (listen === "0.0.0.0" || listen === "::") return all;
  const own = all.filter(({ address }) => address === listen);
  // Every address of the loopback network is this machine's, though only the first is listed.
  return own.length === 0 && listen.startsWith("127.") ? [{ address: listen, prefixLength: 8 }] : own;
}

/** Each requested scope must be a prefix of one of the device's (WS-Discovery 2005/04, 5.1). */
function isMeant({ identity, scopes }: AnnouncedDevice, question: DiscoveryQuestion): boolean {
  if (question.kind === "resolve") return question.identity.toLowerCase() === identity.toLowerCase();
  return question.scopes.every((one) => scopes.some((scope) => scope === one || scope.startsWith(`${one}/`)));
}

function deviceXml(device: AnnouncedDevice, own: string): string {
  const { identity, scopes } = device;
  return (
    `<a:EndpointReference><a:Address>${xmlText(identity)}</a:Address></a:EndpointReference>` +
    "<d:Types>dn:NetworkVideoTransmitter tds:Device</d:Types>" +
    `<d:Scopes>${xmlText(scopes.join(" "))}</d:Scopes><d:XAddrs>${xmlText(device.serviceUrl(own))}</d:XAddrs>` +
    "<d:MetadataVersion>1</d:MetadataVersion>"
  );
}

function message(action: string, headers: string, content: string): string {
  const namespaces = `xmlns:a="${ADDRESSING}" xmlns:d="${DISCOVERY}" xmlns:dn="http://www.onvif.org/ver10/network/wsdl"`;
  const header = `<a:MessageID>urn:uuid:${newGuid()}</a:MessageID><a:Action>${DISCOVERY}/${action}</a:Action>${headers}`;
  return soapEnvelope(content, { header, namespaces });
}

function bind(socket: Socket, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(port, address, () => {
      socket.off("error", reject);
      resolve();
    });
  });
}

function close(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.close(() => resolve()));
}
