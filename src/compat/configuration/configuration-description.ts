import { hasRight, isAllForbidden, type Principal } from "../../access/index.js";
import { formatIsoTime, type Guid } from "../../base/index.js";
import { visibleCameras } from "../../player/index.js";
import {
  attribute,
  type Description,
  type Document,
  describedLater,
  element,
  jsonOnly,
  list,
  object,
  type ServerReach,
} from "../../route/index.js";
import {
  type Camera,
  GROUP_RIGHTS,
  type MapFolder,
  MOBILE_LEVELS,
  type MobileLevel,
  type MobileSettings,
  type RtspOutletSettings,
  type SecurityObject,
  type Site,
} from "../../site/index.js";
import {
  type ChannelFacts,
  describeChannel,
  describeChannelFacts,
  type KnownFormats,
} from "../channel/index.js";

const XML_PROTOCOL_VERSION = 2;

/**
 * Some programs cut this namespace out of the text before they read it, and find no channel where it is not there. In a
 * comment no reader of XML takes it for a namespace or for an element that it does not know.
 */
const NAMESPACE_MARK = ' xmlns="http://www.macroscop.com" ';

/** Another server, whose channels this one gives: a recorder of a hub. */
export interface OtherServer {
  readonly id: Guid;
  readonly name: string;
  /** Whether it is there now. */
  readonly isConnected: boolean;
  readonly channels: readonly ChannelFacts[];
  /** Its folders. */
  readonly root: OtherFolder;
}

export interface OtherFolder {
  readonly Id: Guid;
  readonly Name: string | null;
  readonly ChildSecObjects: readonly OtherFolder[];
  readonly ChildChannels: readonly Guid[];
}

/** Other servers, as the user may see them. */
export interface OtherServers {
  readonly servers: readonly OtherServer[];
  /** Of all their configurations; another one where anything in them is another. */
  readonly revision: number;
}

export interface ConfigurationView {
  readonly site: Site;
  readonly principal: Principal;
  readonly version: string;
  readonly productType: string;
  readonly reach: ServerReach;
  /** The recorders of the LAN that stand by this one: the same list while nothing changes. */
  readonly partners: readonly PartnerServer[];
  /** Paths of the routes: functions without a route are not reported, even if configured. */
  readonly servedPaths: ReadonlySet<string>;
  readonly timeZoneOffsetHours: number;
  /** See `ChannelView`. */
  readonly formats?: KnownFormats;
  /** Undefined: this server is alone. */
  readonly others?: OtherServers | undefined;
}

/** Another recorder that clients are shown. */
export interface PartnerServer extends Omit<ServerReach, "rtspPort"> {
  readonly id: Guid;
  readonly name: string;
}

/** The configuration in the members, names and order of the reference. */
export function describeConfiguration(view: ConfigurationView): Document {
  const { site, principal, reach } = view;
  const { useTimeZones } = site;
  const cameras = visibleCameras(site, principal);
  const visible = new Set(cameras.map((camera) => camera.id));
  const { servers, revision } = view.others ?? { servers: [], revision: 0 };
  return {
    root: "Configuration",
    jsonBlanks: true,
    comment: NAMESPACE_MARK,
    content: object(
      attribute("Id", site.id),
      attribute("SenderId", site.server.id),
      attribute("Revision", site.revision + revision, { json: "RevNum" }),
      attribute("Timestamp", formatIsoTime(site.appliedAtUs)),
      attribute("XMLProtocolVersion", XML_PROTOCOL_VERSION, { json: "XmlProtocolVersion" }),
      attribute("ServerVersion", view.version),
      attribute("ProductType", view.productType),
      attribute("UseTimeZones", useTimeZones, { json: null }),
      element("Servers", list("ServerInfo", describeServers(view))),
      element("Channels", list("ChannelInfo", { [Symbol.iterator]: () => describeChannels(cameras, view) })),
      element(
        "RootSecurityObject",
        describeSecurityObject(
          site.rootSecurityObject,
          visible,
          principal.group.seniorAdministrators,
          describedLater(servers, describeOtherRoot),
        ),
        { json: "RootSecObject" },
      ),
      element("UserGroup", describeGroup(principal)),
      element("MobileServerInfo", describeMobileServer(site.mobile, view)),
      element("RtspServerInfo", describeRtspServer(site.rtsp, reach)),
      element("MobileDevicesCapabilities", describeCapabilities(view)),
      jsonOnly("GisConfig", null),
      element("WorldMapConfig", object(element("Locations", describeMapFolder(site.mapLocations)))),
      jsonOnly("UseTimeZones", useTimeZones),
    ),
  };
}

/** Those of this server, then those of the others. */
function* describeChannels(cameras: readonly Camera[], view: ConfigurationView): Generator<Description> {
  for (const camera of cameras) yield describeChannel(camera, view);
  for (const { channels } of view.others?.servers ?? [])
    for (const facts of channels) yield describeChannelFacts(facts);
}

/** This server, its partners, and those whose channels it gives: all that they have is asked here, so that their addresses are this server's. */
function describeServers({ site, reach, partners, others }: ConfigurationView): Description[] {
  const own = describeServer(site.server, reach);
  const ofLan = partners.map((each) => describeServer(each, each));
  if (others === undefined) return [own, ...ofLan];
  const isThere = (is: boolean): Description => object(jsonOnly("IsConnected", is));
  const ofOthers = others.servers.map((server) => ({
    members: [...describeServer(server, reach).members, ...isThere(server.isConnected).members],
  }));
  return [{ members: [...own.members, ...isThere(true).members] }, ...ofLan, ...ofOthers];
}

function describeServer(
  { id, name }: Pick<PartnerServer, "id" | "name">,
  reach: Omit<ServerReach, "rtspPort">,
): Description {
  const { address } = reach;
  const host = address.includes(":") ? `[${address}]` : address;
  const url =
    reach.httpPort === 0 ? `https://${host}:${reach.httpsPort}` : `http://${host}:${reach.httpPort}`;
  return object(
    attribute("Id", id),
    attribute("Name", name),
    attribute("Url", url),
    attribute("PrimaryIp", address),
    attribute("PrimaryPort", String(reach.httpPort)),
    attribute("PrimarySslPort", String(reach.httpsPort)),
    attribute("SecondaryIp", ""),
    attribute("SecondaryPort", "0"),
    attribute("SecondarySslPort", "0"),
    jsonOnly("ConnectionUrl", null),
  );
}

/** A folder of its own for each of the other servers, with its folders within. */
function describeOtherRoot({ name, root }: OtherServer): Description {
  return describeOtherFolder({ ...root, Name: name });
}

function describeOtherFolder({ Id, Name, ChildSecObjects, ChildChannels }: OtherFolder): Description {
  return describeFolder({
    id: Id,
    name: Name,
    folders: ChildSecObjects.map(describeOtherFolder),
    channels: ChildChannels,
  });
}

interface FolderFacts {
  readonly id: Guid;
  readonly name: string | null;
  readonly folders: Iterable<Description>;
  readonly channels: readonly Guid[];
}

function describeFolder({ id, name, folders, channels }: FolderFacts): Description {
  return object(
    attribute("Id", id),
    attribute("Name", name),
    element("ChildSecurityObjects", list("SecObjectInfo", folders), { json: "ChildSecObjects" }),
    element("ChildChannels", list("ChannelId", channels)),
  );
}

/** The tree without the channels that the user may not see; empty folders are shown only to administrators. */
function describeSecurityObject(
  node: SecurityObject,
  visible: ReadonlySet<string>,
  showEmpty: boolean,
  others: Iterable<Description> = [],
): Description {
  const children = node.children.filter((child) => showEmpty || holdsVisible(child, visible));
  return describeFolder({
    ...{ id: node.id, name: node.name },
    folders: {
      *[Symbol.iterator]() {
        for (const child of children) yield describeSecurityObject(child, visible, showEmpty);
        yield* others;
      },
    },
    channels: node.channelIds.filter((id) => visible.has(id)),
  });
}

function holdsVisible(node: SecurityObject, visible: ReadonlySet<string>): boolean {
  return (
    node.channelIds.some((id) => visible.has(id)) ||
    node.children.some((child) => holdsVisible(child, visible))
  );
}

/** Child elements, GridTypesAllowed first. The rights are the user's effective ones. */
function describeGroup(principal: Principal): Description {
  const { group } = principal;
  return object(
    element("GridTypesAllowed", list("GridTypes", group.gridTypes)),
    element("Id", group.id),
    jsonOnly("Comment", group.comment),
    element("Name", group.name),
    element("PtzPriority", group.ptzPriority),
    ...GROUP_RIGHTS.map((right) =>
      element(right, right === "IsAllForbidden" ? isAllForbidden(principal) : hasRight(principal, right)),
    ),
  );
}

function describeMobileServer(mobile: MobileSettings, view: ConfigurationView): Description {
  const { reach, servedPaths } = view;
  const isServed = servedPaths.has("/mobile");
  const size = ({ width, height }: MobileLevel): string => `${width} x ${height}`;
  return object(
    attribute("IsEnabled", isServed && mobile.isEnabled),
    // This version is no proxy and pushes nothing, however it is configured.
    attribute("IsProxyEnabled", false),
    attribute("IsMobilePushEnabled", false),
    attribute("Port", mobile.port ?? (reach.httpPort || reach.httpsPort)),
    attribute("UsePFrames", mobile.usePFrames),
    attribute("FpsLimit", mobile.fpsLimit),
    attribute("LowResolution", size(mobile.levels.Low)),
    attribute("MiddleResolution", size(mobile.levels.Middle)),
    attribute("HighResolution", size(mobile.levels.High)),
    element(
      "Resolutions",
      list(
        "ResolutionInfo",
        MOBILE_LEVELS.map((type) => {
          const level = mobile.levels[type];
          return object(
            attribute("Width", level.width),
            attribute("Height", level.height),
            attribute("IsEnabled", isServed && level.isEnabled),
            attribute("FpsLimit", level.fpsLimit),
            attribute("UsePFrames", level.usePFrames),
            attribute("Type", type),
          );
        }),
      ),
    ),
  );
}

/** The RTSP server is on if it is configured and listening. */
function describeRtspServer(rtsp: RtspOutletSettings, { rtspPort }: ServerReach): Description {
  const isServed = rtsp.isEnabled && rtspPort !== 0;
  return object(
    attribute("IsEnabled", isServed),
    attribute("TcpPort", rtspPort === 0 ? (rtsp.tcpPort ?? 0) : rtspPort),
    attribute("IsMjpegEnabled", isServed && rtsp.isMjpegEnabled),
  );
}

/**
 * The functions for mobile programs that this version has, derived from its routes. Push messages and the assistant have no
 * route in this API.
 */
function describeCapabilities({ servedPaths }: ConfigurationView): Description {
  return object(
    element("Archive", servedPaths.has("/archivefragments")),
    element("Ptz", servedPaths.has("/ptz")),
    element("Hls", servedPaths.has("/hls")),
    element("AppleMobilePush", false),
    element("AndroidMobilePush", false),
    element("Profiles", servedPaths.has("/command")),
    element("UserScenarios", servedPaths.has("/api/scenarios")),
    element("SmartAssistant", false),
    // The map's places and the cameras' positions are in this answer.
    element("Gis", true),
  );
}

function describeMapFolder(folder: MapFolder): Description {
  const locations = folder.locations.map((location) =>
    object(
      element("Name", location.name),
      element("Latitude", location.latitude),
      element("Longitude", location.longitude),
      element("Zoom", location.zoom),
    ),
  );
  return object(
    element("Name", folder.name),
    element("ChildLocations", list("Location", locations)),
    element("ChildFolders", list("Folder", folder.folders.map(describeMapFolder))),
  );
}
