import { Agent, type AgentOptions } from "node:https";
import { isIPv6 } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, connect } from "node:tls";
import { peerKeyOf } from "../../rtsp/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type { AcceptsKey } from "../description/device-access.js";

type Created = (error: Error | null, socket: Duplex) => void;

/** Connections of HTTPS that are given to a request only once the device's key is accepted: a request is sent as soon as it has one. */
export class KeyedAgent extends Agent {
  readonly #acceptsKey: AcceptsKey | undefined;

  /** `acceptsKey`: any key is accepted when absent. */
  constructor(options: AgentOptions, acceptsKey: AcceptsKey | undefined) {
    super(options);
    this.#acceptsKey = acceptsKey;
  }

  override createConnection(options: ConnectionOptions, created?: Created): Duplex | null | undefined {
    const acceptsKey = this.#acceptsKey;
    if (acceptsKey === undefined || created === undefined) return super.createConnection(options, created);
    const { host = "", port = 0 } = options;
    const socket = connect(options);
    const failed = (error: Error): void => created(error, socket);
    socket.once("error", failed);
    socket.once("secureConnect", () => {
      socket.off("error", failed);
      const key = peerKeyOf(socket);
      if (key !== undefined && acceptsKey(port, key)) {
        created(null, socket);
        return;
      }
      created(keyChanged(`${isIPv6(host) ? `[${host}]` : host}:${port}`), socket);
      socket.destroy();
    });
    return undefined;
  }
}

function keyChanged(place: string): CameraFailure {
  const words = `${place} shows another certificate than before, so the login is not sent to it: was the camera replaced, reset or given a new certificate? Then accept the new one in its settings; else another device is in its place`;
  return new CameraFailure("certificate-changed", words);
}
