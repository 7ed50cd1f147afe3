import type { DeviceServices } from "../description/device-description.js";
import { NAMESPACES } from "../soap/soap-envelope.js";
import type { XmlElement } from "../xml/xml-element.js";
import type { AddressCorrection } from "./address-correction.js";

export interface ServiceList {
  readonly services: DeviceServices;
  /** The events part of GetCapabilities; undefined with GetServices, which does not have it. */
  readonly eventCapabilities: XmlElement | undefined;
}

const BY_NAMESPACE: ReadonlyMap<string, keyof DeviceServices> = new Map([
  [NAMESPACES.media, "media"],
  [NAMESPACES.media2, "media2"],
  [NAMESPACES.ptz, "ptz"],
  [NAMESPACES.events, "events"],
  [NAMESPACES.imaging, "imaging"],
  [NAMESPACES.deviceIo, "deviceIo"],
  [NAMESPACES.analytics, "analytics"],
  [NAMESPACES.search, "search"],
  [NAMESPACES.replay, "replay"],
]);

/** Elements of GetCapabilitiesResponse, and of the `Extension` in it. */
const BY_CAPABILITY: ReadonlyMap<string, keyof DeviceServices> = new Map([
  ["Media", "media"],
  ["PTZ", "ptz"],
  ["Events", "events"],
  ["Imaging", "imaging"],
  ["Analytics", "analytics"],
  ["DeviceIO", "deviceIo"],
  ["Media2", "media2"],
  ["Search", "search"],
  ["Replay", "replay"],
]);

/** Maximum number of services read. */
const SERVICES_MAX = 64;

/** What either list names; where both do, `one` counts. */
export function unitedServices(one: ServiceList, other: ServiceList): ServiceList {
  return {
    services: { ...other.services, ...one.services },
    // What GetCapabilities says of events belongs to the address it gives for them.
    eventCapabilities: one.services.events === undefined ? other.eventCapabilities : one.eventCapabilities,
  };
}

/** Reads GetServicesResponse (ONVIF Core, 8.1.2.2). The first of a namespace counts. */
export function servicesOf(
  response: XmlElement,
  deviceAddress: string,
  correction: AddressCorrection,
): ServiceList {
  const entries = response
    .children("Service")
    .slice(0, SERVICES_MAX)
    .map((service) => ({
      // Some devices append a slash.
      namespace: service.text("Namespace").replace(/\/+$/, ""),
      address: service.at("XAddr")?.rawText ?? "",
    }));
  const own = entries.find((entry) => entry.namespace === NAMESPACES.device);
  if (own !== undefined) correction.learnDevice(own.address);
  const found = entries.map((entry) => [BY_NAMESPACE.get(entry.namespace), entry.address] as const);
  return { services: gather(found, deviceAddress, correction), eventCapabilities: undefined };
}

/** Reads GetCapabilitiesResponse (ONVIF Core, 8.1.2.3), which older devices have instead of GetServices. */
export function capabilityServicesOf(
  response: XmlElement,
  deviceAddress: string,
  correction: AddressCorrection,
): ServiceList {
  const capabilities = response.child("Capabilities");
  const own = capabilities?.at("Device", "XAddr")?.rawText ?? "";
  if (own !== "") correction.learnDevice(own);
  const found = [capabilities, capabilities?.child("Extension")].flatMap((parent) =>
    [...BY_CAPABILITY].map(([name, service]) => [service, parent?.at(name, "XAddr")?.rawText ?? ""] as const),
  );
  return {
    services: gather(found, deviceAddress, correction),
    eventCapabilities: capabilities?.child("Events"),
  };
}

function gather(
  found: readonly (readonly [keyof DeviceServices | undefined, string])[],
  device: string,
  correction: AddressCorrection,
): DeviceServices {
  const services: { -readonly [Name in keyof DeviceServices]: string } & { device: string } = { device };
  for (const [name, address] of found) {
    if (name === undefined || name === "device" || services[name] !== undefined) continue;
    // Some devices report one address per interface, separated by spaces.
    const corrected = correction.http(address.trim().split(/\s+/, 1)[0] ?? "");
    if (corrected !== undefined) services[name] = corrected;
  }
  return services;
}
