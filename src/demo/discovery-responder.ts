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
/** An answer is sent after a random time up to this (WS-Discovery 2005/04, 3.1: APP_MAX_DELAY), lest all come at once. */
const ANSWER_DELAY_MS_MAX = 500;
/** Answers that wait; further probes are left, as the caller asks again. */
const WAITING_MAX = 256;

const DISCOVERY = "http://schemas.xmlsoap.org/ws/2005/04/discovery";
const ADDRESSING = "http://schemas.xmlsoap.org/ws/2004/08/addressing";
/** Local names of what the device is. */
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
  /** IPv4 address that it answers from; one of 127.0.0.0/8 answers this machine alone, any other one its network alone. */
  readonly listen: string;
  readonly devices: readonly AnnouncedDevice[];
  readonly clock: Clock;
  /** 0 to 1, for the delay of answers. */
  readonly random: () => number;
  readonly log: Log;
}

/**
 * Answers WS-Discovery for simulated cameras (ONVIF Core, 7). It is bound to the group's address with SO_REUSEADDR, so
 * that others on port 3702 of this machine keep what is sent to them.
 */
export class DiscoveryResponder {
  readonly #options: DiscoveryResponderOptions;
  readonly #waiting = new Set<ClockTimer>();
  #ear: Socket | undefined;
  #mouth: Socket | undefined;

  constructor(options: DiscoveryResponderOptions) {
    this.#options = options;
  }

  /** Listens and says Hello; rejects with the system's error where there is no multicast. */
  async start(): Promise<void> {
    const { listen } = this.#options;
    const mouth = this.#open(false);
    this.#mouth = mouth;
    await bind(mouth, 0, listen);
    mouth.setMulticastInterface(listen);
    mouth.setMulticastTTL(MULTICAST_HOPS);
    const ear = this.#open(true);
    this.#ear = ear;
    await bind(ear, PORT, GROUP);
    ear.addMembership(GROUP, listen);
    ear.on("message", (datagram, from) => this.#hear(datagram, from.address, from.port));
    await this.#announce("Hello");
  }

  /** Says Bye and leaves. */
  async stop(): Promise<void> {
    const [ear, mouth] = [this.#ear, this.#mouth];
    this.#ear = undefined;
    for (const timer of this.#waiting) timer.clear();
    this.#waiting.clear();
    if (ear !== undefined) {
      await this.#announce("Bye");
      await close(ear);
    }
    this.#mouth = undefined;
    if (mouth !== undefined) await close(mouth);
  }

  #open(reuseAddr: boolean): Socket {
    const socket = createSocket({ type: "udp4", reuseAddr });
    socket.on("error", (error) =>
      this.#options.log.debug({ error: errorText(error) }, "discovery responder"),
    );
    return socket;
  }

  /** Linux hands a group's datagrams of every interface to whoever is bound to it: those of elsewhere are left. */
  #hear(datagram: Buffer, address: string, port: number): void {
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

  /** Resolves when it is sent, or cannot be: datagrams get lost, and the caller asks again. */
  #send(text: string, port: number, address: string): Promise<void> {
    return new Promise((resolve) => {
      const { log } = this.#options;
      if (this.#mouth === undefined) return resolve();
      this.#mouth.send(text, port, address, (error) => {
        if (error !== null) log.debug({ error: errorText(error) }, "discovery answer not sent");
        resolve();
      });
    });
  }
}

function isLoopback(address: string): boolean {
  return address.startsWith("127.");
}

/** Without types a probe asks for everything. */
function asksForCamera(probe: string): boolean {
  const types = (textOf("Types", probe) ?? "").split(/\s+/).filter((type) => type !== "");
  return types.every((type) => TYPES.includes(type.slice(type.indexOf(":") + 1)));
}

/** Each scope that is asked for must be the beginning of one of the device's (WS-Discovery 2005/04, 5.1). */
function hasScopes({ scopes }: AnnouncedDevice, probe: string): boolean {
  const wanted = (textOf("Scopes", probe) ?? "").split(/\s+/, SCOPES_MAX).filter((scope) => scope !== "");
  return wanted.every((one) => scopes.some((scope) => scope === one || scope.startsWith(`${one}/`)));
}

/** An element's text, by its local name: what a probe holds is short. */
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
