import type { XmlElement } from "../../camera/index.js";
import type { Prefix } from "./namespaces.js";
import type { OnvifUser } from "./onvif-user.js";

/** Where the client reaches the device: addresses in answers are made from what it asked. */
export interface DevicePlace {
  /** `http://host:port`. */
  readonly origin: string;
  /** Without port; an IPv6 address in brackets. */
  readonly hostname: string;
}

/** A question that needs no login. */
export interface OpenCall {
  readonly content: XmlElement;
  readonly place: DevicePlace;
}

export interface UserCall extends OpenCall {
  readonly user: OnvifUser;
  /** Of the user; see `LoginCredentials`. */
  readonly address: string;
  /** The part of the path after the service's name, for what a service made itself. */
  readonly part: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** What is within the element of the answer. Throws SoapFault. */
type Answer = string | Promise<string>;

/** An operation for everybody (ONVIF Core Specification, 5.9.4.3: PRE_AUTH), or for a user. */
export type Operation =
  | { readonly login: "none"; answer(call: OpenCall): Answer }
  | { readonly login: "user"; answer(call: UserCall): Answer };

/** One service of the device. */
export interface DeviceService {
  /** Last part of its path. */
  readonly name: string;
  readonly prefix: Prefix;
  readonly version: { readonly major: number; readonly minor: number };
  readonly operations: ReadonlyMap<string, Operation>;
  /** The prefix of an answer's element where it is not the service's: operations of WS-Notification. */
  readonly foreign?: ReadonlyMap<string, Prefix>;
  /** `Capabilities` of the service, complete. */
  readonly capabilities: string;
  /** Its element in the answer of GetCapabilities, if that has one: `place` gives its address. */
  legacyCapability?(address: string): { readonly name: string; readonly xml: string };
}

export function forEverybody(answer: (call: OpenCall) => Answer): Operation {
  return { login: "none", answer };
}

export function forUser(answer: (call: UserCall) => Answer): Operation {
  return { login: "user", answer };
}

/** All services have their paths below this one. */
export const ONVIF_PATH = "/onvif";

export function serviceAddress(place: DevicePlace, name: string): string {
  return `${place.origin}${ONVIF_PATH}/${name}`;
}
