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
import { discoveryQuery } from "../../contract/query/index.js";
import type { Query } from "../../http/index.js";
import {
  answerJson,
  describeQuery,
  FLAG,
  GUID,
  type JsonSchema,
  jsonAnswer,
  listOf,
  meaning,
  NUMBER,
  objectOf,
  type Route,
  readQuery,
  TEXT,
} from "../../route/index.js";
import type { Camera } from "../../site/index.js";
import type { DiscoveryNeeds } from "./needs.js";

export const INTERFACE_LENGTH_MAX = discoveryQuery.interface.max;
export const HOSTS = discoveryQuery.address.said;

/** A device as GET /configure/discovery and `nvrd discover --json` show it. */
export interface DiscoveryItem {
  readonly Name: string;
  readonly Manufacturer: string;
  readonly Model: string;
  /** The value for Hostname. */
  readonly Address: string;
  readonly Identity: string;
  readonly Interface: string;
  readonly Location: string;
  /** Other addresses claim the same identity; only one of them can be the device. */
  readonly IsIdentityShared: boolean;
  /** Those that it shows without a login. */
  readonly Profiles: readonly {
    readonly Name: string;
    readonly VideoFormat: string;
    readonly Width: number;
    readonly Height: number;
  }[];
  readonly AlreadyAdded: boolean;
  readonly ChannelIds: readonly string[];
  readonly ModelId: string;
}

const PROFILE = objectOf({ Name: TEXT, VideoFormat: TEXT, Width: NUMBER, Height: NUMBER });

/** A device that was found. */
export const DISCOVERY_ITEM: JsonSchema = objectOf({
  Name: TEXT,
  Manufacturer: TEXT,
  Model: TEXT,
  Address: meaning("The value for `Hostname`.", TEXT),
  Identity: meaning("The endpoint reference; empty if unknown.", TEXT),
  Interface: TEXT,
  Location: TEXT,
  IsIdentityShared: meaning("Another address claims the same identity.", FLAG),
  Profiles: meaning("The profiles reported without a login.", listOf(PROFILE)),
  AlreadyAdded: FLAG,
  ChannelIds: listOf(GUID),
  ModelId: meaning("The model it would get.", GUID),
});

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
    answer: jsonAnswer(listOf(DISCOVERY_ITEM), "The devices, by address."),
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
    return answerJson(discoveryItems(devices, needs.site.current.cameras, needs.devices));
  },
};

/** Devices, with whether they are already cameras. `known`: tells cameras of one identity apart; absent: nothing is known of them. */
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
