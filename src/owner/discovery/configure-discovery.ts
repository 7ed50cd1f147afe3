import {
  camerasOf,
  type DeviceDirectory,
  type DiscoveredDevice,
  deviceHostname,
  modelFor,
  type OpenProfile,
  type ScanQuestion,
  twinsOf,
} from "../../camera/index.js";
import { type DiscoveryItem, discoveryList } from "../../contract/answer/index.js";
import { discoveryQuery } from "../../contract/query/index.js";
import type { Query } from "../../http/index.js";
import { answerJson, describeQuery, jsonAnswer, type Route, readQuery, schemaOf } from "../../route/index.js";
import type { Camera, SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface DiscoveryNeeds {
  readonly site: SiteStore;
  /** What is on the network, added or not. */
  readonly devices: DeviceDirectory;
}

export const INTERFACE_LENGTH_MAX = discoveryQuery.interface.max;
export const HOSTS = discoveryQuery.address.said;

export const DISCOVERY_ROUTE: Route<DiscoveryNeeds> = {
  method: "GET",
  path: "/configure/discovery",
  login: "administration",
  startsWork: true,

  describe: {
    topic: "discovery",
    summary: "Lists the ONVIF devices on the networks of the recorder",
    text: [
      "The answer comes when the scan ends. A scan of the same interface and address that already runs is shared. Found devices are remembered for a day.",
    ],
    parameters: describeQuery(discoveryQuery),
    answer: jsonAnswer(schemaOf(discoveryList), "The devices, by address."),
    errors: { 404: "There is no such interface.", 503: "Too many other scans are running." },
    example: [
      'curl -fu "$AUTH" "$NVRD/configure/discovery?timeout=0"',
      'curl -fu "$AUTH" "$NVRD/configure/discovery?address=127.0.0.1&timeout=1"',
    ],
  },
  /** GET /configure/discovery: the devices on the networks of the recorder. */
  async endpoint(context) {
    const { needs, request } = context;
    const devices = await needs.devices.scan(readQuestion(request.query));
    return answerJson<readonly DiscoveryItem[]>(
      discoveryItems(devices, needs.site.current.cameras, needs.devices),
    );
  },
};

/** Devices, with whether they are already cameras. `known`: distinguishes cameras of one identity; absent: nothing is known of them. */
export function discoveryItems(
  devices: readonly DiscoveredDevice[],
  cameras: readonly Camera[],
  known?: Pick<DeviceDirectory, "isAnother">,
): DiscoveryItem[] {
  const perAddress = new Map<string, number>();
  for (const { address } of devices) perAddress.set(address, (perAddress.get(address) ?? 0) + 1);
  return devices.map((device) => {
    const { names, details, identity } = device;
    const hostname = deviceHostname(device);
    const sharesHost = (perAddress.get(device.address) ?? 0) > 1;
    const isAnother = (camera: Camera): boolean => known?.isAnother(device, camera) === true;
    const place = { identity, hostname, twins: twinsOf(device, devices), isAnother };
    const added = camerasOf(place, cameras, sharesHost);
    const manufacturer = details?.manufacturer || names.manufacturer;
    const model = details?.model || names.model;
    return {
      Name: names.name || `${manufacturer} ${model}`.trim(),
      Manufacturer: manufacturer,
      Model: model,
      Address: hostname,
      Identity: identity,
      Interface: device.interfaceName,
      Location: names.location,
      IsIdentityShared: device.isIdentityShared,
      Profiles: (details?.profiles ?? []).map(profileItem),
      AlreadyAdded: added.length > 0,
      ChannelIds: added.map(({ id }) => id),
      // The manufacturer is often only in the name.
      ModelId: modelFor(manufacturer || names.name, model).id,
    };
  });
}

function profileItem({ name, format, width, height }: OpenProfile): DiscoveryItem["Profiles"][number] {
  return { Name: name, VideoFormat: format, Width: width, Height: height };
}

function readQuestion(query: Query): ScanQuestion {
  const { timeout: timeoutSeconds, ...asked } = readQuery(query, discoveryQuery);
  return { ...asked, timeoutSeconds };
}
