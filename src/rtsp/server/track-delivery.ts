import { INTERLEAVED_HEADER_BYTES } from "../packetize/packetizer-batch.js";
import type { UdpPath } from "./udp-ports.js";

/** RTP and RTCP channel of a track on its connection. */
export type InterleavedChannels = readonly [number, number];

/** A viewer with fewer unsent bytes than this gets the next frame at once; else it waits. */
export const UNSENT_BYTES_MAX = 256 * 1024;

/** Where a session's bytes go: the connection it was set up on. */
export interface SessionOutput {
  /** Bytes that were written and are not sent yet. */
  readonly queuedBytes: number;
  write(bytes: Buffer): void;
  /** No more will come: closes the connection when what was written is sent. */
  finish(reason: string): void;
}

/** The way of one track's packets to its viewer. */
export interface TrackDelivery {
  /** The interleaved channel for packets; anything where there is none. */
  readonly channel: number;
  /** The Transport header that says so. */
  readonly transport: string;
  /** Whether it takes another frame now. */
  readonly hasRoom: boolean;
  /** Packets behind one another, each with its interleaved header. */
  sendRtp(packets: Buffer): void;
  /** Whether what `sendRtp` was given last is still to be read: it must not change. */
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

  sendRtp(packets: Buffer): void {
    this.#output.write(packets);
  }

  /** What the socket took at once is the kernel's. */
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
    // The channels end with their connection.
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

  sendRtp(packets: Buffer): void {
    this.#path.sendRtp(packets);
  }

  /** Datagrams may wait in the library. */
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
