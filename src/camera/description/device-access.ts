import type { Clock } from "../../base/index.js";
import type { PeerKey } from "../../rtsp/index.js";
import type { ExternalPort } from "../../site/index.js";
import type { LoginClockSource, LoginMethod } from "./camera-failure.js";

/** Asked with the key that the device has proven to own, before anything is sent. False: the connection ends. */
export type AcceptsKey = (port: number, key: PeerKey) => boolean;

/** How a device is reached, and as whom. */
export interface DeviceAccess {
  /**
   * `host`, `host:port`, `[v6]:port`, or an http:// or https:// URL of the device service. Without a port, the ports that
   * cameras usually use are tried. Credentials in it are ignored.
   */
  readonly address: string;
  /** Empty: none. */
  readonly login: string;
  readonly password: string;
  readonly clock: Clock;
  /** TLS only; nothing is sent unencrypted. */
  readonly secureOnly?: boolean;
  /** Refuse certificates that no known authority signed. Off by default: cameras carry self-signed ones. */
  readonly verifyCertificate?: boolean;
  /** Over TLS: whether the device's key at `port` is the one that is expected; any is when absent. */
  readonly acceptsKey?: AcceptsKey | undefined;
  /** External ports, where a router maps the ports of the device. */
  readonly externalPorts?: readonly ExternalPort[];
  /** Milliseconds a call may take, connecting included; `CALL_MS_MAX` when absent. */
  readonly callTimeoutMs?: number;
  /** The password itself is never sent, whatever the device asks for: no Basic. */
  readonly digestOnly?: boolean;
  /** The method by which the device refused this login the last time: it is tried by another one. */
  readonly refusedMethod?: LoginMethod | undefined;
  /** The clocks by which it was stamped then: it is tried by another one, where the device has several. */
  readonly refusedClocks?: readonly LoginClockSource[] | undefined;
}
