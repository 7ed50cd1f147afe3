import { createSocket, type Socket } from "node:dgram";
import ipaddr from "ipaddr.js";
import { type Clock, type ClockTimer, errorText, type Log, newGuid } from "../../base/index.js";
import {
  DatagramBudget,
  isLinkLocal,
  isStillMember,
  joinGroup,
  type LanAddress,
  SYSTEM_NETWORK,
} from "../../camera/index.js";
import { soapEnvelope, xmlText } from "../soap/soap-message.js";
import { type DiscoveryQuestion, readQuestion } from "./discovery-request.js";

/** WS-Discovery 2005/04, 2.4. */
const GROUP = "239.255.255.250";
const GROUP_IPV6 = "ff02::c";
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
  /** Address of its device service, for who reaches it at an address of this machine; IPv6 without brackets and zone. */
  serviceUrl(ownAddress: string): string;
}

/** An address to answer from. A link-local one needs its interface. */
export type OwnAddress = Pick<LanAddress, "address" | "prefixLength"> & {
  readonly interfaceName?: string;
  /** Further addresses of a link-local one's interface, which clients may use. */
  readonly further?: readonly string[];
};

export interface DiscoveryResponderOptions {
  /**
   * Addresses to answer from. One of 127.0.0.0/8 answers only this machine, another IPv4 address only its network, and a
   * link-local IPv6 address only link-local ones of its interface.
   */
  readonly addresses: () => readonly OwnAddress[];
  readonly devices: () => readonly AnnouncedDevice[];
  readonly clock: Clock;
  /** 0 to 1, for the delay of answers. */
  readonly random: () => number;
  readonly log: Log;
}

/**
 * Answers WS-Discovery for devices of this machine (ONVIF Core, 7), and announces them. It is bound to the groups' addresses with
 * SO_REUSEADDR, so that other programs on port 3702 of this machine still receive their datagrams.
 */
export class DiscoveryResponder {
  readonly #options: DiscoveryResponderOptions;
  readonly #budget: DatagramBudget;
  readonly #waiting = new Set<ClockTimer>();
  /** What answers are sent from, by own address. */
  readonly #senders = new Map<string, { readonly own: OwnAddress; readonly socket: Socket }>();
  /** What questions come to: one for IPv4, and one for each interface with IPv6, because its group has a zone. */
  readonly #groups = new Map<string, Socket>();
  #isRunning = false;
  #timer: ClockTimer | undefined;
  #refreshing: Promise<void> = Promise.resolve();

  constructor(options: DiscoveryResponderOptions) {
    this.#options = options;
    this.#budget = new DatagramBudget(options.clock);
  }

  /** Listens and sends Hello; rejects with the system's error without multicast. */
  async start(): Promise<void> {
    this.#isRunning = true;
    const own = this.#options.addresses();
    for (const one of own.filter(({ address }) => !address.includes(":"))) await this.#enter(one);
    // Who has no IPv6 multicast is announced over IPv4 all the same.
    await this.#refresh();
    this.#timer = this.#options.clock.setInterval(() => this.#refreshSoon(), REFRESH_MS);
  }

  /** Sends Bye and closes the sockets. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#timer?.clear();
    for (const timer of this.#waiting) timer.clear();
    this.#waiting.clear();
    await this.#refreshing;
    for (const key of [...this.#senders.keys()]) {
      await this.#announce("Bye", key);
      await this.#leave(key);
    }
  }

  #refreshSoon(): void {
    this.#refreshing = this.#refreshing.then(() => this.#refresh());
  }

  /** Addresses and interfaces come and go, by DHCP for example, and memberships with them. */
  async #refresh(): Promise<void> {
    const now = this.#options.addresses();
    for (const [key, { own }] of [...this.#senders])
      if (!now.some((each) => keyOf(each) === key) || !this.#isMember(own)) await this.#forget(groupOf(own));
    for (const own of now) {
      if (this.#senders.has(keyOf(own)) || !this.#isRunning) continue;
      try {
        await this.#enter(own);
      } catch (error) {
        const { address } = own;
        this.#options.log.debug({ address, error: errorText(error) }, "not announced at this address");
      }
    }
  }

  async #enter(own: OwnAddress): Promise<void> {
    const key = keyOf(own);
    const socket = this.#open(own, false);
    this.#senders.set(key, { own, socket });
    try {
      await bind(socket, 0, key);
      socket.setMulticastInterface(multicastInterface(own));
      socket.setMulticastTTL(MULTICAST_HOPS);
      await this.#join(own);
    } catch (error) {
      await this.#leave(key);
      throw error;
    }
    await this.#announce("Hello", key);
  }

  async #join(own: OwnAddress): Promise<void> {
    const group = groupOf(own);
    const socket = this.#groups.get(group) ?? (await this.#listen(own, group));
    joinGroup(socket, plainGroupOf(own), multicastInterface(own));
  }

  #isMember(own: OwnAddress): boolean {
    const socket = this.#groups.get(groupOf(own));
    return socket !== undefined && isStillMember(socket, plainGroupOf(own), multicastInterface(own));
  }

  /** All addresses of a group enter again: what their sockets have lost with an interface, they keep to their end. */
  async #forget(group: string): Promise<void> {
    for (const [key, { own }] of [...this.#senders]) if (groupOf(own) === group) await this.#leave(key);
  }

  async #listen(own: OwnAddress, group: string): Promise<Socket> {
    const socket = this.#open(own, true);
    try {
      await bind(socket, PORT, group);
    } catch (error) {
      await close(socket);
      throw error;
    }
    socket.on("message", (datagram, from) => this.#onDatagram(datagram, from.address, from.port));
    this.#groups.set(group, socket);
    return socket;
  }

  async #leave(key: string): Promise<void> {
    const sender = this.#senders.get(key);
    this.#senders.delete(key);
    if (sender === undefined) return;
    await close(sender.socket);
    const group = groupOf(sender.own);
    const isNeeded = [...this.#senders.values()].some(({ own }) => groupOf(own) === group);
    if (isNeeded) return;
    const socket = this.#groups.get(group);
    this.#groups.delete(group);
    if (socket !== undefined) await close(socket);
  }

  #open({ address }: OwnAddress, reuseAddr: boolean): Socket {
    const socket = createSocket({ type: address.includes(":") ? "udp6" : "udp4", reuseAddr });
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

  #answers(question: DiscoveryQuestion, own: OwnAddress): readonly string[] {
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
  #ownFor(address: string): OwnAddress | undefined {
    const all = [...this.#senders.values()].map(({ own }) => own);
    if (address.includes(":")) {
      if (!isLinkLocal(address)) return undefined;
      const zone = address.split("%")[1];
      return all.find((own) => own.address.includes(":") && own.interfaceName === zone);
    }
    if (!ipaddr.IPv4.isValidFourPartDecimal(address)) return undefined;
    const client = ipaddr.IPv4.parse(address);
    return all
      .filter((own) => !own.address.includes(":"))
      .find(
        (own) => own.address === address || client.match(ipaddr.IPv4.parse(own.address), own.prefixLength),
      );
  }

  #answerLater(
    text: string,
    { own, address, port }: { readonly own: OwnAddress; readonly address: string; readonly port: number },
  ): void {
    if (this.#waiting.size >= WAITING_MAX) return;
    const { clock, random } = this.#options;
    const timer = clock.setTimeout(() => {
      this.#waiting.delete(timer);
      void this.#send(keyOf(own), text, port, address);
    }, random() * ANSWER_DELAY_MS_MAX);
    this.#waiting.add(timer);
  }

  async #announce(kind: "Hello" | "Bye", key: string): Promise<void> {
    const own = this.#senders.get(key)?.own;
    if (own === undefined) return;
    const to = "<a:To>urn:schemas-xmlsoap-org:ws:2005:04:discovery</a:To>";
    const texts = this.#options
      .devices()
      .map((device) => message(kind, to, `<d:${kind}>${deviceXml(device, own)}</d:${kind}>`));
    await Promise.all(texts.map((text) => this.#send(key, text, PORT, groupOf(own))));
  }

  /** Resolves when it is sent or has failed: datagrams may be lost, and the client repeats its question. */
  #send(key: string, text: string, port: number, address: string): Promise<void> {
    return new Promise((resolve) => {
      const socket = this.#senders.get(key)?.socket;
      if (socket === undefined) return resolve();
      socket.send(text, port, address, (error) => {
        if (error !== null) this.#options.log.debug({ error: errorText(error) }, "discovery answer not sent");
        resolve();
      });
    });
  }
}

/** What names a sender, and what its socket is bound to. */
function keyOf({ address, interfaceName = "" }: OwnAddress): string {
  return isLinkLocal(address) ? `${address}%${interfaceName}` : address;
}

function groupOf({ address, interfaceName = "" }: OwnAddress): string {
  return address.includes(":") ? `${GROUP_IPV6}%${interfaceName}` : GROUP;
}

function plainGroupOf({ address }: OwnAddress): string {
  return address.includes(":") ? GROUP_IPV6 : GROUP;
}

function multicastInterface({ address, interfaceName = "" }: OwnAddress): string {
  return address.includes(":") ? `::%${interfaceName}` : address;
}

/** The addresses of a server that listens on `listen`: those of IPv6 where it listens on all of them. */
export function answeringAddresses(listen: string): readonly OwnAddress[] {
  const all = SYSTEM_NETWORK.addresses().filter(({ family }) => family === "IPv4");
  if (listen === "0.0.0.0") return all;
  if (listen === "::") return [...all, ...linkLocalAddresses()];
  const own = all.filter(({ address }) => address === listen);
  // Every address of the loopback network is this machine's, though only the first is listed.
  return own.length === 0 && listen.startsWith("127.") ? [{ address: listen, prefixLength: 8 }] : own;
}

function linkLocalAddresses(): readonly OwnAddress[] {
  const others = SYSTEM_NETWORK.ipv6Networks();
  return SYSTEM_NETWORK.addresses()
    .filter(({ family }) => family === "IPv6")
    .map((own) => ({
      ...own,
      further: others
        .filter(({ interfaceName }) => interfaceName === own.interfaceName)
        .map(({ address }) => address),
    }));
}

/** Each requested scope must be a prefix of one of the device's (WS-Discovery 2005/04, 5.1). */
function isMeant({ identity, scopes }: AnnouncedDevice, question: DiscoveryQuestion): boolean {
  if (question.kind === "resolve") return question.identity.toLowerCase() === identity.toLowerCase();
  return question.scopes.every((one) => scopes.some((scope) => scope === one || scope.startsWith(`${one}/`)));
}

function deviceXml(device: AnnouncedDevice, { address, further = [] }: OwnAddress): string {
  const { identity, scopes } = device;
  const urls = [...further, address].map((one) => device.serviceUrl(one));
  return (
    `<a:EndpointReference><a:Address>${xmlText(identity)}</a:Address></a:EndpointReference>` +
    "<d:Types>dn:NetworkVideoTransmitter tds:Device</d:Types>" +
    `<d:Scopes>${xmlText(scopes.join(" "))}</d:Scopes><d:XAddrs>${xmlText(urls.join(" "))}</d:XAddrs>` +
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
