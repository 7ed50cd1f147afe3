import { newGuid } from "../../../src/base/index.js";
import {
  type Camera,
  DEFAULT_GROUP_PARTS,
  DEFAULT_SITE_PARTS,
  GROUP_RIGHTS,
  type GroupRight,
  type Site,
  type StreamSettings,
} from "../../../src/site/index.js";
import { SiteInMemory } from "./site-in-memory.js";

/** The configuration of tests of rooms that only follow it. */
export class MemorySite extends SiteInMemory {
  constructor(cameras: readonly Camera[] = []) {
    super(siteOf(cameras), ownedHere);
  }

  setCameras(cameras: readonly Camera[]): Promise<Site> {
    return this.change((site) => ({
      ...site,
      cameras,
      rootSecurityObject: { ...site.rootSecurityObject, channelIds: cameras.map(({ id }) => id) },
    }));
  }
}

/** Cameras of these tests name no owner of their own. */
function ownedHere(site: Site): Site {
  const cameras = site.cameras.map((camera) => ({ ...camera, ownerServerId: site.server.id }));
  return { ...site, cameras };
}

function siteOf(cameras: readonly Camera[]): Site {
  const groupId = newGuid();
  const rights = Object.fromEntries(
    GROUP_RIGHTS.map((right) => [right, right !== "IsAllForbidden"]),
  ) as Record<GroupRight, boolean>;
  return {
    id: newGuid(),
    revision: 1,
    appliedAtUs: 1_700_000_000_000_000,
    server: { id: newGuid(), name: "test" },
    cameras,
    rootSecurityObject: {
      id: newGuid(),
      name: null,
      children: [],
      channelIds: cameras.map((camera) => camera.id),
    },
    groups: [
      {
        id: groupId,
        name: "Senior administrators",
        comment: null,
        seniorAdministrators: true,
        ptzPriority: "Highest",
        ...DEFAULT_GROUP_PARTS,
        rights,
        realtimeChannels: "all",
        archiveChannels: "all",
      },
    ],
    users: [{ id: newGuid(), name: "root", groupId, secret: null }],
    ...DEFAULT_SITE_PARTS,
  };
}

const OFF: StreamSettings = {
  enabled: false,
  format: "H264",
  additionalParams: "",
  rotationMode: "None",
  roles: [],
};

/** A camera of the model "RTSP/RTP device" that records always. */
export function testCamera(fields: Partial<Camera> = {}): Camera {
  return {
    id: newGuid(),
    name: "Camera",
    description: "",
    disabled: false,
    ownerServerId: newGuid(),
    connection: {
      modelId: newGuid(),
      hostname: "rtsp://127.0.0.1:9/main",
      login: "",
      password: "",
      soundReceivingEnabled: true,
      ptzEnabled: false,
      streams: {
        Main: { ...OFF, enabled: true, roles: ["Archive", "DesktopClient"] },
        Alternative: OFF,
        SecondAlternative: OFF,
        ThirdAlternative: OFF,
      },
    },
    archive: {
      archivingDisabled: false,
      archivingMode: "AlwaysOn",
      archivingSoundDisabled: false,
      minDays: 0,
      maxDays: 0,
    },
    latitude: null,
    longitude: null,
    ...fields,
  };
}
