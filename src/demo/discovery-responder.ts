import { createSocket, type Socket } from "node:dgram";
import { type Clock, type ClockTimer, errorText, type Log, newGuid } from "../base/index.js";
import { soapEnvelope, xmlText } from "./onvif-answers.js";

/** WS-Discovery 2005/04, 2.4. */
const GROUP = "239.255.255.250";
const PORT = 3702;
const MULTICAST_HOPS = 1;
/** Larger datagrams are not read (SOAP-over-UDP 1.1, MAX_ENVELOPE_SIZE). */
const DATAGRAM_BYTES_MAX = 32_767;
const SCOPES_MAX = 16;
/**
 * An answer is sent after a random time up to this (WS-Discovery 2005/04, 3.1: APP_MAX_DELAY), so that not all come at
 * once.
 */
const ANSWER_DELAY_MS_MAX = 500;
/** Most delayed answers; further probes are ignored, as the client repeats them. */
const WAITING_MAX = 256;

const DISCOVERY = "http://schemas.xmlsoap.org/ws/2005/04/discovery";
const ADDRESSING = "http://schemas.xmlsoap.org/ws/2004/08/addressing";
/** Local names of the device's types. */
const TYPES = ["NetworkVideoTransmitter", "Device"];

export interface AnnouncedDevice {
  /** Endpoint reference, `urn:uuid:…`. */
  readonly identity: string;
  /** `onvif://www.onvif.org/…`. */
  readonly scopes: readonly string[];
  /** Address of its device service. */
  readonly serviceUrl: string;
}

export interface DiscoveryResponderOptions {
  /** IPv4 address to answer from. One of 127.0.0.0/8 answers only this machine, any other one only its network. */
  readonly listen: string;
  readonly devices: readonly AnnouncedDevice[];
  readonly clock: Clock;
  /** 0 to 1, for the delay of answers. */
  readonly random: () => number;
  readonly log: Log;
}

/**
 * Answers WS-Discovery for simulated cameras (ONVIF Core, 7). It is bound to the group's address with SO_REUSEADDR, so
 * that other programs on port 3702 of this machine still receive their datagrams.
 */
export class DiscoveryResponder {
  readonly #options: DiscoveryResponderOptions;
  readonly #waiting = new Set<ClockTimer>();
  #groupSocket: Socket | undefined;
  #sendSocket: Socket | undefined;

  constructor(options: DiscoveryResponderOptions) {
    this.#options = options;
  }

  /** Listens and sends Hello; rejects with the system's error without multicast. */
  async start(): Promise<void> {
    const { listen } = this.#options;
    const sendSocket = this.#open(false);
    this.#sendSocket = sendSocket;
    await bind(sendSocket, 0, listen);
    sendSocket.setMulticastInterface(listen);
    sendSocket.setMulticastTTL(MULTICAST_HOPS);
    const groupSocket = this.#open(true);
    this.#groupSocket = groupSocket;
    await bind(groupSocket, PORT, GROUP);
    groupSocket.addMembership(GROUP, listen);
    groupSocket.on("message", (datagram, from) => this.#onDatagram(datagram, from.address, from.port));
    await this.#announce("Hello");
  }

  /** Sends Bye and closes the sockets. */
  async stop(): Promise<void> {
    const [groupSocket, sendSocket] = [this.#groupSocket, this.#sendSocket];
    this.#groupSocket = undefined;
    for (const timer of this.#waiting) timer.clear();
    this.#waiting.clear();
    if (groupSocket !== undefined) {
      await this.#announce("Bye");
      await close(groupSocket);
    }
    this.#sendSocket = undefined;
    if (sendSocket !== undefined) await close(sendSocket);
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
    if (datagram.length > DATAGRAM_BYTES_MAX) return;
    if (isLoopback(address) !== isLoopback(this.#options.listen)) return;
    const probe = datagram.toString("utf8");
    if (!/<(?:[\w.-]{1,32}:)?Probe[\s/>]/.test(probe) || !asksForCamera(probe)) return;
    const id = textOf("MessageID", probe) ?? "";
    for (const device of this.#options.devices) {
      if (!hasScopes(device, probe)) continue;
      const match = `<d:ProbeMatches><d:ProbeMatch>${deviceXml(device)}</d:ProbeMatch></d:ProbeMatches>`;
      const headers = `<a:RelatesTo>${xmlText(id)}</a:RelatesTo><a:To>${ADDRESSING}/role/anonymous</a:To>`;
      this.#answerLater(message("ProbeMatches", headers, match), port, address);
    }
  }

  #answerLater(text: string, port: number, address: string): void {
    if (this.#waiting.size >= WAITING_MAX) return;
    const { clock, random } = this.#options;
    const timer = clock.setTimeout(() => {
      this.#waiting.delete(timer);
      void this.#send(text, port, address);
    }, random() * ANSWER_DELAY_MS_MAX);
    this.#waiting.add(timer);
  }

  async #announce(kind: "Hello" | "Bye"): Promise<void> {
    const to = "<a:To>urn:schemas-xmlsoap-org:ws:2005:04:discovery</a:To>";
    const { devices } = this.#options;
    const texts = devices.map((device) => message(kind, to, `<d:${kind}>${deviceXml(device)}</d:${kind}>`));
    await Promise.all(texts.map((text) => this.#send(text, PORT, GROUP)));
  }

  /** Resolves when it is sent or has failed: datagrams may be lost, and the client repeats its probe. */
  #send(text: string, port: number, address: string): Promise<void> {
    return new Promise((resolve) => {
      const { log } = this.#options;
      if (this.#sendSocket === undefined) return resolve();
      this.#sendSocket.send(text, port, address, (error) => {
        if (error !== null) log.debug({ error: errorText(error) }, "discovery answer not sent");
        resolve();
      });
    });
  }
}

function isLoopback(address: string): boolean {
  return address.startsWith("127.");
}

/** A probe without types asks for all devices. */
function asksForCamera(probe: string): boolean {
  const types = (textOf("Types", probe) ?? "").split(/\s+/).filter((type) => type !== "");
  return types.every((type) => TYPES.includes(type.slice(type.indexOf(":") + 1)));
}

/** Each requested scope must be a prefix of one of the device's (WS-Discovery 2005/04, 5.1). */
function hasScopes({ scopes }: AnnouncedDevice, probe: string): boolean {
  const wanted = (textOf("Scopes", probe) ?? "").split(/\s+/, SCOPES_MAX).filter((scope) => scope !== "");
  return wanted.every((one) => scopes.some((scope) => scope === one || scope.startsWith(`${one}/`)));
}

/** An element's text, by its local name; texts in a probe are short. */
function textOf(name: string, xml: string): string | undefined {
  return new RegExp(`<(?:[\\w.-]{1,32}:)?${name}(?:\\s[^>]{0,512})?>([^<]{0,1024})<`).exec(xml)?.[1]?.trim();
}

function deviceXml({ identity, scopes, serviceUrl }: AnnouncedDevice): string {
  return (
    `<a:EndpointReference><a:Address>${xmlText(identity)}</a:Address></a:EndpointReference>` +
    "<d:Types>dn:NetworkVideoTransmitter tds:Device</d:Types>" +
    `<d:Scopes>${xmlText(scopes.join(" "))}</d:Scopes><d:XAddrs>${xmlText(serviceUrl)}</d:XAddrs>` +
    "<d:MetadataVersion>1</d:MetadataVersion>"
  );
}

function message(action: string, headers: string, content: string): string {
  const namespaces = `xmlns:a="${ADDRESSING}" xmlns:d="${DISCOVERY}" xmlns:dn="http://www.onvif.org/ver10/network/wsdl" xmlns:tds="http://www.onvif.org/ver10/device/wsdl"`;
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
