import { networkInterfaces } from "node:os";
import { type Clock, localZoneName, US_PER_MS } from "../base/index.js";
import { recorderIdentity } from "../camera/index.js";
import type { SiteStore } from "../site/index.js";
import { XMLNS } from "./soap/namespaces.js";
import {
  type DevicePlace,
  type DeviceService,
  forEverybody,
  forUser,
  type OpenCall,
  type Operation,
  serviceAddress,
} from "./soap/operation.js";
import { dateTimeContent, textElement, xmlText } from "./soap/soap-message.js";

export const MANUFACTURER = "nvrd";
const MODEL = "nvrd";
const SERVICE_NAME = "device_service";

export interface DeviceFacts {
  readonly site: Pick<SiteStore, "current">;
  readonly clock: Clock;
  readonly version: string;
  /** Ports of the recorder; 0: off. */
  readonly ports: () => { readonly httpPort: number; readonly httpsPort: number; readonly rtspPort: number };
}

/** What the device says of itself (ONVIF Core Specification, 8). `others`: its other services, in the order of the list. */
export function deviceService(facts: DeviceFacts, others: readonly DeviceService[]): DeviceService {
  const service: DeviceService = {
    name: SERVICE_NAME,
    prefix: "tds",
    version: { major: 26, minor: 6 },
    capabilities: CAPABILITIES,
    legacyCapability: (address) => ({ name: "Device", xml: legacyDevice(address) }),
    operations: new Map<string, Operation>([
      ["GetSystemDateAndTime", forEverybody(() => systemTime(facts.clock))],
      ["GetServices", forEverybody((call) => servicesOf([service, ...others], call))],
      ["GetServiceCapabilities", forEverybody(() => CAPABILITIES)],
      ["GetCapabilities", forEverybody((call) => capabilitiesOf([service, ...others], call))],
      ["GetEndpointReference", forEverybody(() => textElement("tds:GUID", deviceIdentity(facts)))],
      ["GetHostname", forEverybody(() => hostname(facts))],
      ["GetDeviceInformation", forUser(() => information(facts))],
      ["GetScopes", forUser(() => deviceScopes(facts).map(scopeXml).join(""))],
      ["GetDiscoveryMode", forUser(() => textElement("tds:DiscoveryMode", "Discoverable"))],
      ["GetNetworkInterfaces", forUser(interfacesXml)],
      ["GetNetworkProtocols", forUser(() => protocols(facts))],
    ]),
  };
  return service;
}

/** The endpoint reference of the recorder. */
export function deviceIdentity({ site }: Pick<DeviceFacts, "site">): string {
  return recorderIdentity(site.current.server);
}

/** What the device is, for those who look for devices (ONVIF Core Specification, 7.3.2.2). */
export function deviceScopes({ site }: Pick<DeviceFacts, "site">): readonly string[] {
  const name = encodeURIComponent(site.current.server.name.slice(0, 64) || MODEL);
  return ["Profile/Streaming", "type/Network_Video_Transmitter", `name/${name}`, `hardware/${MODEL}`].map(
    (scope) => `onvif://www.onvif.org/${scope}`,
  );
}

const CAPABILITIES =
  "<tds:Capabilities>" +
  '<tds:Network IPFilter="false" ZeroConfiguration="false" IPVersion6="false" DynDNS="false" Dot11Configuration="false"' +
  ' HostnameFromDHCP="false" NTP="0" DHCPv6="false"/>' +
  '<tds:Security TLS1.0="false" TLS1.1="false" TLS1.2="false" OnboardKeyGeneration="false" AccessPolicyConfig="false"' +
  ' DefaultAccessPolicy="false" Dot1X="false" RemoteUserHandling="false" X.509Token="false" SAMLToken="false"' +
  ' KerberosToken="false" UsernameToken="true" HttpDigest="true" RELToken="false"/>' +
  '<tds:System DiscoveryResolve="true" DiscoveryBye="true" RemoteDiscovery="false" SystemBackup="false"' +
  ' SystemLogging="false" FirmwareUpgrade="false" HttpFirmwareUpgrade="false" HttpSystemBackup="false"' +
  ' HttpSystemLogging="false" HttpSupportInformation="false" StorageConfiguration="false"/>' +
  "</tds:Capabilities>";

function systemTime(clock: Clock): string {
  const date = new Date(clock.nowUs() / US_PER_MS);
  return (
    "<tds:SystemDateAndTime><tt:DateTimeType>NTP</tt:DateTimeType><tt:DaylightSavings>false</tt:DaylightSavings>" +
    `<tt:TimeZone>${textElement("tt:TZ", posixZone(date))}</tt:TimeZone>` +
    `<tt:UTCDateTime>${dateTimeContent(date)}</tt:UTCDateTime>` +
    `<tt:LocalDateTime>${dateTimeContent(new Date(date.getTime() - date.getTimezoneOffset() * 60_000))}</tt:LocalDateTime>` +
    "</tds:SystemDateAndTime>"
  );
}

/** The present offset as POSIX writes a zone, west of Greenwich positive: `<CET>-1`, `<+0530>-5:30`. */
function posixZone(date: Date): string {
  const west = date.getTimezoneOffset();
  const sign = west < 0 ? "-" : "";
  const [hours, minutes] = [Math.trunc(Math.abs(west) / 60), Math.abs(west) % 60];
  if (west === 0 && localZoneName() === "UTC") return "UTC0";
  const name = `${west > 0 ? "-" : "+"}${String(hours).padStart(2, "0")}${minutes === 0 ? "" : String(minutes).padStart(2, "0")}`;
  return `<${name}>${sign}${hours}${minutes === 0 ? "" : `:${String(minutes).padStart(2, "0")}`}`;
}

function servicesOf(services: readonly DeviceService[], { content, place }: OpenCall): string {
  const withCapabilities = /^(?:true|1)$/i.test(content.text("IncludeCapability"));
  return services
    .map(
      ({ name, prefix, version, capabilities }) =>
        `<tds:Service>${textElement("tds:Namespace", XMLNS[prefix])}` +
        textElement("tds:XAddr", serviceAddress(place, name)) +
        (withCapabilities ? `<tds:Capabilities>${capabilities}</tds:Capabilities>` : "") +
        `<tds:Version><tt:Major>${version.major}</tt:Major><tt:Minor>${version.minor}</tt:Minor></tds:Version></tds:Service>`,
    )
    .join("");
}

/** The order of tt:Capabilities. */
const LEGACY_ORDER = ["Device", "Events", "Media", "PTZ"];

function capabilitiesOf(services: readonly DeviceService[], { place, content }: OpenCall): string {
  const categories = content.children("Category").map((category) => category.text());
  const isWanted = (name: string): boolean =>
    categories.length === 0 || categories.includes("All") || categories.includes(name);
  const known = services.flatMap((service) => {
    const capability = service.legacyCapability?.(serviceAddress(place, service.name));
    return capability === undefined ? [] : [capability];
  });
  const basic = LEGACY_ORDER.filter(isWanted).map(
    (name) => known.find((one) => one.name === name)?.xml ?? "",
  );
  const extension = known.filter(({ name }) => !LEGACY_ORDER.includes(name)).map(({ xml }) => xml);
  const extended =
    extension.length === 0 || !isWanted("All") ? "" : `<tt:Extension>${extension.join("")}</tt:Extension>`;
  return `<tds:Capabilities>${basic.join("")}${extended}</tds:Capabilities>`;
}

function legacyDevice(address: string): string {
  return (
    `<tt:Device>${textElement("tt:XAddr", address)}` +
    "<tt:Network><tt:IPFilter>false</tt:IPFilter><tt:ZeroConfiguration>false</tt:ZeroConfiguration>" +
    "<tt:IPVersion6>false</tt:IPVersion6><tt:DynDNS>false</tt:DynDNS></tt:Network>" +
    "<tt:System><tt:DiscoveryResolve>true</tt:DiscoveryResolve><tt:DiscoveryBye>true</tt:DiscoveryBye>" +
    "<tt:RemoteDiscovery>false</tt:RemoteDiscovery><tt:SystemBackup>false</tt:SystemBackup>" +
    "<tt:SystemLogging>false</tt:SystemLogging><tt:FirmwareUpgrade>false</tt:FirmwareUpgrade>" +
    "<tt:SupportedVersions><tt:Major>2</tt:Major><tt:Minor>60</tt:Minor></tt:SupportedVersions></tt:System>" +
    "<tt:Security><tt:TLS1.1>false</tt:TLS1.1><tt:TLS1.2>false</tt:TLS1.2>" +
    "<tt:OnboardKeyGeneration>false</tt:OnboardKeyGeneration><tt:AccessPolicyConfig>false</tt:AccessPolicyConfig>" +
    "<tt:X.509Token>false</tt:X.509Token><tt:SAMLToken>false</tt:SAMLToken>" +
    "<tt:KerberosToken>false</tt:KerberosToken><tt:RELToken>false</tt:RELToken></tt:Security></tt:Device>"
  );
}

function hostname({ site }: DeviceFacts): string {
  const name = site.current.server.name.replace(/[^A-Za-z0-9-]+/g, "-").replace(/^-+|-+$/g, "");
  return `<tds:HostnameInformation><tt:FromDHCP>false</tt:FromDHCP>${textElement("tt:Name", name || MODEL)}</tds:HostnameInformation>`;
}

function information({ site, version }: DeviceFacts): string {
  return [
    ["Manufacturer", MANUFACTURER],
    ["Model", MODEL],
    ["FirmwareVersion", version],
    ["SerialNumber", site.current.server.id],
    ["HardwareId", MODEL],
  ]
    .map(([name, value = ""]) => textElement(`tds:${name}`, value))
    .join("");
}

function scopeXml(scope: string): string {
  return `<tds:Scopes><tt:ScopeDef>Fixed</tt:ScopeDef>${textElement("tt:ScopeItem", scope)}</tds:Scopes>`;
}

/** The networks of the machine, with their IPv4 addresses. Whether an address came by DHCP is not known here. */
function interfacesXml(): string {
  return Object.entries(networkInterfaces())
    .flatMap(([name, addresses = []]) => {
      const own = addresses.filter(({ family, internal }) => family === "IPv4" && !internal);
      const [first] = own;
      if (first === undefined) return [];
      const manual = own.map(({ address, cidr }) => {
        const bits = Number(cidr?.split("/")[1] ?? 32);
        return `<tt:Manual>${textElement("tt:Address", address)}<tt:PrefixLength>${bits}</tt:PrefixLength></tt:Manual>`;
      });
      return [
        `<tds:NetworkInterfaces token="${xmlText(name)}"><tt:Enabled>true</tt:Enabled>` +
          `<tt:Info>${textElement("tt:Name", name)}${textElement("tt:HwAddress", first.mac)}</tt:Info>` +
          `<tt:IPv4><tt:Enabled>true</tt:Enabled><tt:Config>${manual.join("")}<tt:DHCP>false</tt:DHCP></tt:Config></tt:IPv4>` +
          "</tds:NetworkInterfaces>",
      ];
    })
    .join("");
}

function protocols({ ports }: DeviceFacts): string {
  const { httpPort, httpsPort, rtspPort } = ports();
  return [
    { name: "HTTP", port: httpPort },
    { name: "HTTPS", port: httpsPort },
    { name: "RTSP", port: rtspPort },
  ]
    .map(
      ({ name, port }) =>
        `<tds:NetworkProtocols><tt:Name>${name}</tt:Name><tt:Enabled>${port !== 0}</tt:Enabled><tt:Port>${port}</tt:Port></tds:NetworkProtocols>`,
    )
    .join("");
}

/** The address of the device service, as it is announced. */
export function deviceAddress(place: DevicePlace): string {
  return serviceAddress(place, SERVICE_NAME);
}
