import { INTERLEAVED_HEADER_BYTES } from "../packetize/packetizer-batch.js";
import type { UdpPath } from "./udp-ports.js";

/** RTP and RTCP channel of a track on its connection. */
export type InterleavedChannels = readonly [number, number];

/** A viewer with fewer unsent bytes gets the next frame at once; otherwise the frame waits. */
export const UNSENT_BYTES_MAX = 256 * 1024;

/** Output of a session: the connection on which it was set up. */
export interface SessionOutput {
  /** Bytes written but not sent yet. */
  readonly queuedBytes: number;
  /** Descriptor of the connection's socket while packets may be sent past the output, before anything else; less than 0: not now. */
  sendableFd(): number;
  write(bytes: Buffer): void;
  /** Closes the connection when everything written is sent. */
  finish(reason: string): void;
}

/** Delivers one track's packets to its viewer. */
export interface TrackDelivery {
  /** The interleaved channel for RTP packets; unused with UDP. */
  readonly channel: number;
  /** The Transport header of the response to SETUP. */
  readonly transport: string;
  /** Whether it takes another frame now. */
  readonly hasRoom: boolean;
  /** Descriptor on which packets may be sent without `sendRtp` now; less than 0 where they may not. */
  readonly sendableFd: number;
  /** Contiguous packets, each with its interleaved header. */
  sendRtp(packets: Buffer): void;
  /** Whether the last argument of `sendRtp` is still in use: then it must not change. */
  readonly holdsPackets: boolean;
  sendRtcp(packet: Buffer): void;
  close(): void;
}

/** In the RTSP connection itself (RFC 2326, 10.12). */
export class InterleavedDelivery implements TrackDelivery {
  readonly channels: InterleavedChannels;
  readonly #output: SessionOutput;

  constructor(output: SessionOutput, channels: InterleavedChannels) {
    this.#output = output;
    this.channels = channels;
  }

  get channel(): number {
    return this.channels[0];
  }

  get transport(): string {
    return `RTP/AVP/TCP;unicast;interleaved=${this.channels.join("-")}`;
  }

  get hasRoom(): boolean {
    return this.#output.queuedBytes < UNSENT_BYTES_MAX;
  }

  get sendableFd(): number {
    return this.#output.sendableFd();
  }

  sendRtp(packets: Buffer): void {
    this.#output.write(packets);
  }

  /** Bytes that the socket accepted at once are copied by the kernel. */
  get holdsPackets(): boolean {
    return this.#output.queuedBytes > 0;
  }

  sendRtcp(packet: Buffer): void {
    const bytes = Buffer.allocUnsafe(INTERLEAVED_HEADER_BYTES + packet.length);
    bytes.writeUInt8(0x24, 0);
    bytes.writeUInt8(this.channels[1], 1);
    bytes.writeUInt16BE(packet.length, 2);
    packet.copy(bytes, INTERLEAVED_HEADER_BYTES);
    this.#output.write(bytes);
  }

  close(): void {
    // The channels are closed with the connection.
  }
}

/** In datagrams to the client's ports (RFC 2326, 12.39). */
export class UdpDelivery implements TrackDelivery {
  readonly channel = 0;
  readonly #path: UdpPath;

  constructor(path: UdpPath) {
    this.#path = path;
  }

  get transport(): string {
    const { clientPorts, serverPorts } = this.#path;
    return `RTP/AVP;unicast;client_port=${clientPorts.join("-")};server_port=${serverPorts.join("-")}`;
  }

  get hasRoom(): boolean {
    return this.#path.queuedBytes < UNSENT_BYTES_MAX;
  }

  /** Datagrams leave one by one, and paced. */
  get sendableFd(): number {
    return -1;
  }

  sendRtp(packets: Buffer): void {
    this.#path.sendRtp(packets);
  }

  /** Datagrams may be queued in Node. */
  get holdsPackets(): boolean {
    return true;
  }

  sendRtcp(packet: Buffer): void {
    this.#path.sendRtcp(packet);
  }

  close(): void {
    this.#path.close();
  }
}
