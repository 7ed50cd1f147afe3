import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import type { ClientSocket, Dialer, Endpoint, SocketEvents } from "./client-socket.js";
import { NetworkSocket } from "./network-socket.js";
import { TunnelSocket } from "./tunnel-socket.js";

/** Connections over the machine's network. */
export class NetworkDialer implements Dialer {
  dial(endpoint: Endpoint, events: SocketEvents): ClientSocket {
    const { tunnel } = endpoint;
    if (tunnel === undefined) return new NetworkSocket(endpoint, events);
    return new TunnelSocket({ endpoint, tunnel, events, dial: (to, on) => new NetworkSocket(to, on) });
  }

  datagramSocket(family: 4 | 6): DatagramSocket {
    return createSocket({ type: family === 4 ? "udp4" : "udp6", reuseAddr: false });
  }
}
