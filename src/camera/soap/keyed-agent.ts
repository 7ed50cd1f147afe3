import { Agent, type AgentOptions } from "node:https";
import { isIPv6 } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { keyChangedWords, peerKeyOf } from "../../rtsp/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type { AcceptsKey } from "../description/device-access.js";

/** Longest time until a device has proven its key. */
const HANDSHAKE_MS_MAX = 10_000;

type Created = (error: Error | null, socket: Duplex) => void;

/**
 * Connections of HTTPS that are given to a request only once the device's key is accepted: a request is sent as soon as it has one.
 * Any key is accepted when `acceptsKey` is absent.
 */
export function keyedAgent(options: AgentOptions, acceptsKey: AcceptsKey | undefined): Agent {
  const agent = new Agent(options);
  if (acceptsKey !== undefined)
    agent.createConnection = (to: ConnectionOptions, created?: Created): undefined => {
      connectKeyed(to, acceptsKey, created ?? (() => undefined));
    };
  return agent;
}

/** A connection of its own; what is written is sent once the device's key is accepted. */
export function keyedSocket(options: ConnectionOptions, acceptsKey: AcceptsKey | undefined): TLSSocket {
  if (acceptsKey === undefined) return connect(options);
  const socket = connect(options);
  socket.cork();
  check(socket, options, acceptsKey, (error) => (error === null ? socket.uncork() : socket.destroy(error)));
  return socket;
}

function connectKeyed(options: ConnectionOptions, acceptsKey: AcceptsKey, created: Created): void {
  check(connect(options), options, acceptsKey, created);
}

function check(
  socket: TLSSocket,
  { host = "", port = 0 }: ConnectionOptions,
  acceptsKey: AcceptsKey,
  created: Created,
): void {
  const failed = (error: Error): void => created(error, socket);
  socket.once("error", failed);
  // Nobody else knows of the connection until then.
  socket.setTimeout(HANDSHAKE_MS_MAX, () => socket.destroy(new Error("the TLS handshake takes too long")));
  socket.once("secureConnect", () => {
    socket.setTimeout(0);
    socket.removeAllListeners("timeout");
    socket.off("error", failed);
    const key = peerKeyOf(socket);
    if (key !== undefined && acceptsKey(port, key)) {
      created(null, socket);
      return;
    }
    const words = keyChangedWords(`${isIPv6(host) ? `[${host}]` : host}:${port}`);
    created(new CameraFailure("certificate-changed", words), socket);
    socket.destroy();
  });
}
