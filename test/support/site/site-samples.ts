import { createLog, type Guid, type Log, newGuid, SystemClock } from "../../../src/base/index.js";
import {
  type Camera,
  LmdbSiteStore,
  type LmdbSiteStoreOptions,
  type Site,
  type StreamSettings,
} from "../../../src/site/index.js";

export const silentLog: Log = createLog({ level: "silent" });

const stream = (enabled: boolean): StreamSettings => ({
  enabled,
  format: "H264",
  additionalParams: "",
  rotationMode: "None",
  roles: [],
});

/** A valid camera of `site`. */
export function sampleCamera(site: Site, change: Partial<Camera> = {}): Camera {
  return {
    id: newGuid(),
    name: "Gate",
    description: "",
    disabled: false,
    ownerServerId: site.server.id,
    connection: {
      modelId: newGuid(),
      hostname: "rtsp://192.0.2.1/stream",
      login: "viewer",
      password: "camera-password",
      soundReceivingEnabled: false,
      ptzEnabled: false,
      streams: {
        Main: { ...stream(true), roles: ["Archive"] },
        Alternative: stream(false),
        SecondAlternative: stream(false),
        ThirdAlternative: stream(false),
      },
    },
    archive: {
      archivingDisabled: false,
      archivingMode: "AlwaysOn",
      archivingSoundDisabled: true,
      minDays: 0,
      maxDays: 0,
    },
    latitude: null,
    longitude: null,
    ...change,
  };
}

/** An edit that adds one camera and puts it into the root folder. */
export function addCamera(change: Partial<Camera> = {}): (site: Site) => Site {
  return (site) => {
    const camera = sampleCamera(site, change);
    const channelIds: readonly Guid[] = [...site.rootSecurityObject.channelIds, camera.id];
    return {
      ...site,
      cameras: [...site.cameras, camera],
      rootSecurityObject: { ...site.rootSecurityObject, channelIds },
    };
  };
}

/** A started store on `directory`. The caller stops it. */
export async function startStore(
  directory: string,
  options: Partial<LmdbSiteStoreOptions> = {},
): Promise<LmdbSiteStore> {
  const store = new LmdbSiteStore({ directory, clock: new SystemClock(), log: silentLog, ...options });
  await store.start();
  return store;
}
