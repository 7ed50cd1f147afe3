import { hasRight, isAllForbidden, type Principal } from "../../access/index.js";
import { formatIsoTime, type Guid } from "../../base/index.js";
import { visibleCameras } from "../../player/index.js";
import {
  attribute,
  type Description,
  type Document,
  element,
  jsonOnly,
  list,
  type Member,
  object,
  type ServerReach,
} from "../../route/index.js";
import {
  GROUP_RIGHTS,
  type MapFolder,
  MOBILE_LEVELS,
  type MobileLevel,
  type MobileSettings,
  type RtspOutletSettings,
  type SecurityObject,
  type Site,
} from "../../site/index.js";
import { describeChannel, type KnownFormats } from "../channel/index.js";

const XML_PROTOCOL_VERSION = 2;

/**
 * Some programs cut this namespace out of the text before they read it, and find no channel where it is not there. In a
 * comment no reader of XML takes it for a namespace or for an element that it does not know.
 */
const NAMESPACE_MARK = ' xmlns="http://www.macroscop.com" ';

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
}

/** Another recorder that clients are told of. */
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
  return {
    root: "Configuration",
    jsonBlanks: true,
    comment: NAMESPACE_MARK,
    content: object(
      attribute("Id", site.id),
      attribute("SenderId", site.server.id),
      attribute("Revision", site.revision, { json: "RevNum" }),
      attribute("Timestamp", formatIsoTime(site.appliedAtUs)),
      attribute("XMLProtocolVersion", XML_PROTOCOL_VERSION, { json: "XmlProtocolVersion" }),
      attribute("ServerVersion", view.version),
      attribute("ProductType", view.productType),
      attribute("UseTimeZones", useTimeZones, { json: null }),
      element(
        "Servers",
        list("ServerInfo", [
          describeServer(site.server, reach),
          ...view.partners.map((each) => describeServer(each, each)),
        ]),
      ),
      element(
        "Channels",
        list(
          "ChannelInfo",
          cameras.map((camera) => describeChannel(camera, view)),
        ),
      ),
      element(
        "RootSecurityObject",
        describeSecurityObject(site.rootSecurityObject, visible, principal.group.seniorAdministrators),
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

/** The tree without the channels that the user may not see; empty folders are shown only to administrators. */
function describeSecurityObject(
  node: SecurityObject,
  visible: ReadonlySet<string>,
  showEmpty: boolean,
): Description {
  const children = node.children.filter((child) => showEmpty || holdsVisible(child, visible));
  const identity: Member[] = [attribute("Id", node.id), attribute("Name", node.name)];
  return object(
    ...identity,
    element(
      "ChildSecurityObjects",
      list(
        "SecObjectInfo",
        children.map((child) => describeSecurityObject(child, visible, showEmpty)),
      ),
      { json: "ChildSecObjects" },
    ),
    element(
      "ChildChannels",
      list(
        "ChannelId",
        node.channelIds.filter((id) => visible.has(id)),
      ),
    ),
  );
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
