import { NvrdError, newGuid } from "../../../src/base/index.js";
import {
  type Camera,
  type ChangeOptions,
  DEFAULT_GROUP_PARTS,
  DEFAULT_SITE_PARTS,
  type FollowerPlace,
  GROUP_RIGHTS,
  type GroupRight,
  type Site,
  type SiteListener,
  type SiteStore,
  type StreamSettings,
  siteChange,
} from "../../../src/site/index.js";
import { Followers } from "../../../src/site/model/followers.js";

/** A SiteStore without a disk: for tests of rooms that only follow the configuration. */
export class MemorySite implements SiteStore {
  #current: Site;
  readonly #followers = new Followers();

  constructor(cameras: readonly Camera[] = []) {
    const groupId = newGuid();
    const rights = Object.fromEntries(
      GROUP_RIGHTS.map((right) => [right, right !== "IsAllForbidden"]),
    ) as Record<GroupRight, boolean>;
    this.#current = {
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

  get current(): Site {
    return this.#current;
  }

  async change(edit: (site: Site) => Site, options: ChangeOptions = {}): Promise<Site> {
    const previous = this.#current;
    const { expectedRevision } = options;
    if (expectedRevision !== undefined && expectedRevision !== previous.revision)
      throw new NvrdError("CONFLICT", "another revision is current");
    const edited = edit(previous);
    if (edited === previous) return previous;
    this.#current = { ...edited, revision: previous.revision + 1 };
    const change = siteChange(options.by ?? null, "changed");
    this.#followers.tell([this.#current, previous, change], (error) => {
      throw error;
    });
    return this.#current;
  }

  onChange(place: FollowerPlace, listener: SiteListener): void {
    this.#followers.add(place, listener);
  }

  setCameras(cameras: readonly Camera[]): Promise<Site> {
    return this.change((site) => ({ ...site, cameras }));
  }
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
