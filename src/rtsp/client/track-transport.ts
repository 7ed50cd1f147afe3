import type { Socket as DatagramSocket } from "node:dgram";
import { isIPv6 } from "node:net";
import { type Clock, type ClockTimer, errorText, type Log, US_PER_SECOND } from "../../base/index.js";
import { NumberReading, type SessionNumbers } from "../rtp/number-reading.js";
import { ReorderBuffer } from "../rtp/reorder-buffer.js";
import type { ReadAllowance } from "./read-allowance.js";
import type { PacketReceiver, RtspConnection } from "./rtsp-connection.js";
import { RtspFailure, unexpectedFailure } from "./rtsp-failure.js";
import type { TransportHeader } from "./session-headers.js";
import type { Dialer } from "./socket/client-socket.js";
import { setReceiving } from "./socket/direct-receive.js";

export type TransportKind = "tcp" | "udp";

/** Where the packets of one track go. */
export interface TrackSinks {
  readonly rtp: PacketReceiver;
  readonly rtcp: PacketReceiver;
}

/** Carries one track's RTP and RTCP packets. */
export interface TrackTransport {
  readonly kind: TransportKind;
  /** The Transport header of the SETUP request. */
  readonly request: string;
  /** The channel of RTP within the connection; undefined over UDP. */
  readonly channel?: number;
  /** Applies the server's Transport header: packets are delivered from here on. Throws RtspFailure if it is unusable. */
  accept(answer: TransportHeader | undefined, sinks: TrackSinks): void;
  sendRtcp(packet: Buffer): void;
  /** Sends a packet of sound to the camera; drops it if the camera does not read. */
  sendRtp(packet: Buffer): void;
  close(): void;
  /** What is wrong with its packets, for the installer; undefined: nothing that is known. */
  readonly trouble?: string | undefined;
}

/** RTP and RTCP in the RTSP connection itself (RFC 2326, 10.12). */
export class InterleavedTransport implements TrackTransport {
  readonly kind = "tcp";
  readonly request: string;
  readonly #connection: RtspConnection;
  #channels: readonly [number, number];

  constructor(connection: RtspConnection, trackIndex: number) {
    this.#connection = connection;
    this.#channels = [2 * trackIndex, 2 * trackIndex + 1];
    this.request = `RTP/AVP/TCP;unicast;interleaved=${this.#channels.join("-")}`;
  }

  get channel(): number {
    return this.#channels[0];
  }

  accept(answer: TransportHeader | undefined, sinks: TrackSinks): void {
    if (answer?.isUdp === true) {
      throw new RtspFailure("transport", "the camera answered a request for TCP with another transport");
    }
    this.#channels = answer?.interleaved ?? this.#channels;
    this.#connection.addReceiver(this.#channels[0], sinks.rtp);
    this.#connection.addReceiver(this.#channels[1], sinks.rtcp);
  }

  sendRtcp(packet: Buffer): void {
    this.#connection.sendPacket(this.#channels[1], packet);
  }

  sendRtp(packet: Buffer): void {
    this.#connection.sendPacket(this.#channels[0], packet);
  }

  close(): void {
    // The channels are closed with the connection, by the session.
  }
}

/** Receive buffer requested for each RTP socket: a 4K key frame in one burst. Linux caps it at rmem_max. */
export const UDP_RECEIVE_BUFFER_BYTES = 2 * 1024 * 1024;
/** Attempts to find an even port with the odd one above it free (RFC 3550, 11). */
const PORT_ATTEMPTS_MAX = 32;
/**
 * Packets of strangers that a pair of ports reads in a second. With more, the sockets are connected to the peer, and the
 * others cost nothing any more. That is not done before, because some cameras change the port that they send from.
 */
export const STRANGERS_PER_SECOND_MAX = 500;
/** An RTP packet without payload: opens a path through stateful firewalls and NAT. */
const PUNCH_PACKET = Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

/** How long a pair of ports rests in a flood of strangers before the camera's first packet. */
const STRANGERS_REST_MS = 100;

const PORT_MAX = 0xffff;

/** RTP or RTCP. */
type TrackPort = 0 | 1;

interface Peer {
  readonly address: string;
  readonly port: number;
}

export interface UdpTransportOptions {
  readonly dialer: Dialer;
  readonly clock: Clock;
  readonly log: Log;
  /** Address of the RTSP server: packets from elsewhere are dropped. */
  readonly remoteAddress: string;
  readonly allowance: ReadAllowance;
  /** The payload types that are announced for the track; default: all. */
  readonly payloadTypes?: ReadonlySet<number>;
  /** The numbers of all tracks of the session; absent where packets are protected, numbers included. */
  readonly numbers?: SessionNumbers | undefined;
  /** The camera only takes packets: nothing is sent to it before it plays, and it must say where to. */
  readonly isBackChannel?: boolean;
  /** A socket failed; the session cannot continue. */
  onFailure(failure: RtspFailure): void;
}

/** RTP and RTCP on a pair of UDP ports, with RTP put back into sequence. */
export class UdpTransport implements TrackTransport {
  readonly kind = "udp";
  readonly request: string;
  readonly #options: UdpTransportOptions;
  readonly #rtp: DatagramSocket;
  readonly #rtcp: DatagramSocket;
  #address: string;
  #serverPorts: readonly [number, number] | undefined;
  #reorder: ReorderBuffer | undefined;
  #reading: NumberReading | undefined;
  #foreignPackets = 0;
  /** Since the second began. */
  readonly #strangers = { sinceUs: 0, count: 0 };
  /** Where the camera's packets come from, of RTP and RTCP. */
  readonly #peers: (Peer | undefined)[] = [];
  /** Which of the sockets take the camera's packets alone. */
  readonly #closed: ("asked" | "yes" | undefined)[] = [];
  #rest: ClockTimer | undefined;

  /** Binds a pair of ports. Throws RtspFailure when none is free. */
  static async open(options: UdpTransportOptions): Promise<UdpTransport> {
    const family = isIPv6(options.remoteAddress) ? 6 : 4;
    const spare: DatagramSocket[] = [];
    try {
      for (let attempt = 0; attempt < PORT_ATTEMPTS_MAX; attempt += 1) {
        const rtp = options.dialer.datagramSocket(family);
        const port = await bind(rtp, 0);
        const rtcp = options.dialer.datagramSocket(family);
        if (port !== undefined && port % 2 === 0 && (await bind(rtcp, port + 1)) !== undefined) {
          return new UdpTransport(options, rtp, rtcp, port);
        }
        // Kept until the search ends, so that the kernel does not give the same port again.
        spare.push(rtp, rtcp);
      }
    } finally {
      for (const socket of spare) socket.close();
    }
    throw new RtspFailure("transport", "no pair of UDP ports is free on this machine");
  }

  private constructor(options: UdpTransportOptions, rtp: DatagramSocket, rtcp: DatagramSocket, port: number) {
    this.#options = options;
    this.#rtp = rtp;
    this.#rtcp = rtcp;
    this.#address = options.remoteAddress;
    this.request = `RTP/AVP;unicast;client_port=${port}-${port + 1}`;
    for (const socket of [rtp, rtcp]) {
      socket.on("error", (error) => {
        // Heard of by sockets that take one peer's packets alone: it does not listen where reports go.
        if ("code" in error && error.code === "ECONNREFUSED") return;
        options.onFailure(
          new RtspFailure("closed", `a UDP socket failed: ${errorText(error)}`, { cause: error }),
        );
      });
    }
    try {
      rtp.setRecvBufferSize(UDP_RECEIVE_BUFFER_BYTES);
    } catch (error) {
      options.log.debug({ error: errorText(error) }, "UDP receive buffer stays at the system's default");
    }
  }

  /** Packets dropped because they came from an address other than the camera's. */
  get foreignPackets(): number {
    return this.#foreignPackets;
  }

  accept(answer: TransportHeader | undefined, sinks: TrackSinks): void {
    if (answer?.isTcp === true) {
      throw new RtspFailure("transport", "the camera answered a request for UDP with TCP");
    }
    if (answer?.source !== undefined && isSameFamily(answer.source, this.#address))
      this.#address = answer.source;
    this.#serverPorts = answer?.serverPort;
    if (this.#options.isBackChannel === true && this.#serverPorts === undefined)
      throw new RtspFailure("transport", "the camera does not say which UDP port takes the sound");
    const reorder = new ReorderBuffer({
      clock: this.#options.clock,
      ssrc: answer?.ssrc,
      payloadTypes: this.#options.payloadTypes,
      deliver: (buffer, start, end) => sinks.rtp.receive(buffer, start, end),
    });
    this.#reorder = reorder;
    const push = (packet: Buffer): void => reorder.push(packet, 0, packet.length);
    const { numbers, clock } = this.#options;
    if (numbers === undefined) this.#listen(0, push);
    else {
      const reading = new NumberReading({ clock, session: numbers, deliver: push });
      this.#reading = reading;
      this.#listen(0, (packet) => reading.push(packet));
    }
    this.#listen(1, (packet) => sinks.rtcp.receive(packet, 0, packet.length));
    if (this.#options.isBackChannel !== true) this.#send(0, PUNCH_PACKET);
  }

  sendRtcp(packet: Buffer): void {
    this.#send(1, packet);
  }

  sendRtp(packet: Buffer): void {
    this.#send(0, packet);
  }

  close(): void {
    this.#rest?.clear();
    this.#reading?.close();
    this.#reorder?.close();
    for (const socket of [this.#rtp, this.#rtcp]) {
      socket.removeAllListeners("message");
      socket.close();
    }
  }

  #listen(index: TrackPort, take: (packet: Buffer) => void): void {
    this.#socket(index).on("message", (packet, sender) => {
      if (!this.#isCamera(sender.address)) {
        this.#countStranger();
        return;
      }
      const { allowance } = this.#options;
      if (this.#peers[index]?.port !== sender.port) this.#peers[index] = sender;
      allowance.beginTurn();
      allowance.spend(1);
      try {
        take(packet);
      } catch (error) {
        // A bug in nvrd or a subscriber ends this session, not the process.
        this.#options.onFailure(unexpectedFailure(this.#address, error));
      }
      const restMs = allowance.endTurn();
      if (restMs > 0) this.#pause(restMs);
    });
  }

  #socket(index: TrackPort): DatagramSocket {
    return index === 0 ? this.#rtp : this.#rtcp;
  }

  /** Strangers are not charged to the camera. */
  #countStranger(): void {
    this.#foreignPackets += 1;
    const nowUs = this.#options.clock.monotonicUs();
    const strangers = this.#strangers;
    if (nowUs - strangers.sinceUs >= US_PER_SECOND) {
      strangers.sinceUs = nowUs;
      strangers.count = 0;
    }
    strangers.count += 1;
    if (strangers.count <= STRANGERS_PER_SECOND_MAX) return;
    for (const index of [0, 1] as const) this.#shutOut(index);
    // Where the camera is not known yet, there is nothing that resting would lose.
    if (this.#peers[0] === undefined && this.#closed[0] === undefined) this.#pause(STRANGERS_REST_MS);
  }

  /** From now on the kernel drops what does not come from where the camera sends. */
  #shutOut(index: TrackPort): void {
    if (this.#closed[index] !== undefined) return;
    const port = this.#serverPorts?.[index];
    const peer = this.#peers[index] ?? (port ? { address: this.#address, port } : undefined);
    if (peer === undefined) return;
    this.#closed[index] = "asked";
    this.#socket(index).connect(peer.port, peer.address, () => {
      this.#closed[index] = "yes";
    });
  }

  /** Leaves what comes to the kernel, which keeps as much as its buffers hold and drops the rest. */
  #pause(restMs: number): void {
    if (this.#rest !== undefined) return;
    for (const socket of [this.#rtp, this.#rtcp]) setReceiving(socket, false);
    this.#rest = this.#options.clock.setTimeout(() => {
      this.#rest = undefined;
      for (const socket of [this.#rtp, this.#rtcp]) setReceiving(socket, true);
    }, restMs);
  }

  #isCamera(address: string): boolean {
    return address === this.#address || address === this.#options.remoteAddress;
  }

  /** Where the camera takes packets: as it says, otherwise where its own come from. */
  #portOf(index: TrackPort): number {
    const port = this.#serverPorts?.[index] || this.#peers[index]?.port;
    const beside = this.#peers[0]?.port ?? 0;
    // RFC 3550, 11: RTCP has the port above that of RTP.
    return port ?? (index === 1 && beside > 0 && beside < PORT_MAX ? beside + 1 : 0);
  }

  #send(index: TrackPort, packet: Buffer): void {
    const port = this.#portOf(index);
    // While the socket is being connected to the peer, neither way of sending is sure.
    if (port === 0 || this.#closed[index] === "asked") return;
    const done = (error: Error | null): void => {
      // The stream does not depend on reports: one that cannot be sent is only logged.
      if (error !== null)
        this.#options.log.debug({ error: error.message }, "UDP packet to the camera not sent");
    };
    if (this.#closed[index] === "yes") this.#socket(index).send(packet, done);
    else this.#socket(index).send(packet, port, this.#address, done);
  }
}

function isSameFamily(address: string, other: string): boolean {
  const isIpv4 = /^\d{1,3}(\.\d{1,3}){3}$/.test(address);
  return isIpv4 ? !isIPv6(other) : isIPv6(address) && isIPv6(other);
}

/** The port bound to, undefined when it is taken. */
function bind(socket: DatagramSocket, port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const onError = (): void => resolve(undefined);
    socket.once("error", onError);
    socket.bind(port, () => {
      socket.off("error", onError);
      resolve(socket.address().port);
    });
  });
}
