import type { Principal } from "../access/index.js";
import { formatIsoTime, STREAM_TYPES } from "../base/index.js";
import { deviceModel } from "../camera/index.js";
import {
  type Camera,
  GROUP_RIGHTS,
  isOnMap,
  type MapFolder,
  MOBILE_LEVELS,
  type MobileLevel,
  type MobileSettings,
  type RtspOutletSettings,
  type SecurityObject,
  type Site,
  type UserGroup,
} from "../site/index.js";
import { archiveStreamKey, visibleCameras } from "./channel-selection.js";
import {
  attribute,
  type Description,
  type Document,
  element,
  jsonOnly,
  list,
  type Member,
  object,
} from "./description.js";
import type { ServerReach } from "./services.js";

const XML_PROTOCOL_VERSION = 2;

/** Whether this version answers /mobile: what is not served is not claimed, however it is configured. */
const MOBILE_SERVED = false;
/** The same of the RTSP outlet. */
const RTSP_SERVED = false;

export interface ConfigurationView {
  readonly site: Site;
  readonly principal: Principal;
  readonly version: string;
  readonly productType: string;
  readonly reach: ServerReach;
  readonly timeZoneOffsetHours: number;
}

/** The configuration in the members, names and order of rest-api.md, Configuration, and wire-compat.md, section 2. */
export function describeConfiguration(view: ConfigurationView): Document {
  const { site, principal, reach } = view;
  const { useTimeZones } = site;
  const visible = new Set(visibleCameras(site, principal).map((camera) => camera.id));
  return {
    root: "Configuration",
    content: object(
      attribute("Id", site.id),
      attribute("SenderId", site.server.id),
      attribute("Revision", site.revision, { json: "RevNum" }),
      attribute("Timestamp", formatIsoTime(site.appliedAtUs)),
      attribute("XMLProtocolVersion", XML_PROTOCOL_VERSION, { json: "XmlProtocolVersion" }),
      attribute("ServerVersion", view.version),
      attribute("ProductType", view.productType),
      attribute("UseTimeZones", useTimeZones, { json: null }),
      element("Servers", list("ServerInfo", [describeServer(site, reach)])),
      element(
        "Channels",
        list(
          "ChannelInfo",
          visibleCameras(site, principal).map((camera) => describeChannel(camera, view)),
        ),
      ),
      element(
        "RootSecurityObject",
        describeSecurityObject(site.rootSecurityObject, visible, principal.group.seniorAdministrators),
        { json: "RootSecObject" },
      ),
      element("UserGroup", describeGroup(principal.group)),
      element("MobileServerInfo", describeMobileServer(site.mobile, reach)),
      element("RtspServerInfo", describeRtspServer(site.rtsp, reach)),
      element("MobileDevicesCapabilities", describeCapabilities()),
      jsonOnly("GisConfig", null),
      element("WorldMapConfig", object(element("Locations", describeMapFolder(site.mapLocations)))),
      jsonOnly("UseTimeZones", useTimeZones),
    ),
  };
}

function describeServer(site: Site, reach: ServerReach): Description {
  const { address } = reach;
  const host = address.includes(":") ? `[${address}]` : address;
  const url =
    reach.httpPort === 0 ? `https://${host}:${reach.httpsPort}` : `http://${host}:${reach.httpPort}`;
  return object(
    attribute("Id", site.server.id),
    attribute("Name", site.server.name),
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

/** The attributes' order is part of the contract: one program reads them by index (wire-compat.md, section 2). */
function describeChannel(camera: Camera, view: ConfigurationView): Description {
  const { principal } = view;
  const model = deviceModel(camera.connection.modelId);
  const archiveStreamType = archiveStreamKey(camera).streamType;
  const archiveStream = camera.connection.streams[archiveStreamType];
  return object(
    attribute("Id", camera.id),
    attribute("Name", camera.name),
    attribute("Description", camera.description),
    attribute("DeviceInfo", model === undefined ? "" : `${model.manufacturer} ${model.name}`),
    attribute("AttachedToServer", camera.ownerServerId),
    attribute("IsDisabled", camera.disabled),
    attribute("IsSoundOn", camera.connection.soundReceivingEnabled),
    attribute("IsArchivingEnabled", !camera.archive.archivingDisabled),
    attribute("IsSoundArchivingEnabled", !camera.archive.archivingSoundDisabled),
    attribute("AllowedRealtime", principal.mayWatchRealtime(camera.id)),
    attribute("AllowedArchive", principal.mayWatchArchive(camera.id)),
    attribute("IsPtzOn", camera.connection.ptzEnabled && model?.ptzSupported === true),
    attribute("IsTransmitSoundOn", false),
    attribute("ArchiveMode", camera.archive.archivingMode),
    attribute("ArchiveStreamType", archiveStreamType),
    attribute("ArchiveVideoFormat", archiveStream.format),
    attribute("ArchiveRotationMode", archiveStream.rotationMode),
    attribute("IsFaceAnalystEnabled", false, { json: "IsFaceRecOn" }),
    attribute("IsPeopleCountingOn", false),
    attribute("IsObjectCountingOn", false),
    attribute("TimeZoneOffset", view.timeZoneOffsetHours),
    element("Streams", list("StreamInfo", describeStreams(camera))),
    element("UserScenarios", list("UserScenario", describeScenarios(camera, view.site))),
    element("GeoPosition", describePosition(camera)),
  );
}

function describeStreams(camera: Camera): Description[] {
  const { streams } = camera.connection;
  return STREAM_TYPES.filter((type) => streams[type].enabled).map((type) =>
    object(
      attribute("StreamType", type),
      attribute("StreamFormat", streams[type].format),
      attribute("RotationMode", streams[type].rotationMode),
    ),
  );
}

function describeScenarios(camera: Camera, site: Site): Description[] {
  return site.userScenarios
    .filter(({ channelIds }) => channelIds.includes(camera.id))
    .map(({ id, name, needConfirmation }) =>
      object(attribute("Id", id), attribute("Name", name), attribute("NeedConfirmation", needConfirmation)),
    );
}

function describePosition(camera: Camera): Description | null {
  if (!isOnMap(camera)) return null;
  return object(
    attribute("Latitude", camera.latitude),
    attribute("Longitude", camera.longitude),
    attribute("Azimuth", 0),
  );
}

/** The tree without the channels a user may not see; folders of which nothing is left are shown to administrators only. */
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

/** Child elements, GridTypesAllowed first (wire-compat.md, section 2). */
function describeGroup(group: UserGroup): Description {
  return object(
    element("GridTypesAllowed", list("GridTypes", group.gridTypes)),
    element("Id", group.id),
    jsonOnly("Comment", group.comment),
    element("Name", group.name),
    element("PtzPriority", group.ptzPriority),
    ...GROUP_RIGHTS.map((right) => element(right, group.rights[right])),
  );
}

function describeMobileServer(mobile: MobileSettings, reach: ServerReach): Description {
  const size = ({ width, height }: MobileLevel): string => `${width} x ${height}`;
  return object(
    attribute("IsEnabled", MOBILE_SERVED && mobile.isEnabled),
    attribute("IsProxyEnabled", mobile.isProxyEnabled),
    attribute("IsMobilePushEnabled", mobile.isMobilePushEnabled),
    attribute("Port", mobile.port ?? reach.httpPort),
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
            attribute("IsEnabled", MOBILE_SERVED && level.isEnabled),
            attribute("FpsLimit", level.fpsLimit),
            attribute("UsePFrames", level.usePFrames),
            attribute("Type", type),
          );
        }),
      ),
    ),
  );
}

/** The outlet is on where it is configured and has a port. */
function describeRtspServer(rtsp: RtspOutletSettings, reach: ServerReach): Description {
  return object(
    attribute("IsEnabled", RTSP_SERVED && rtsp.isEnabled && reach.rtspPort !== 0),
    attribute("TcpPort", rtsp.tcpPort ?? reach.rtspPort),
    attribute("IsMjpegEnabled", RTSP_SERVED && rtsp.isMjpegEnabled),
  );
}

/** What this version serves of what mobile programs may ask for. */
function describeCapabilities(): Description {
  return object(
    element("Archive", true),
    element("Ptz", false),
    element("Hls", false),
    element("AppleMobilePush", false),
    element("AndroidMobilePush", false),
    element("Profiles", false),
    element("UserScenarios", false),
    element("SmartAssistant", false),
    element("Gis", false),
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
