import { readVersion } from "../../base/index.js";
import { CONNECTIONS_MAX } from "../../http/index.js";
import type { ServiceLogReader } from "../../owner/index.js";
import { TextPictures } from "../../picture/index.js";
import type { Settings } from "../../settings/index.js";
import { ApiServer, type ApiServerOptions } from "../api/index.js";
import { descriptorShares } from "./descriptor-shares.js";
import type { HealthService } from "./health-service.js";
import { apiMemory, type MemoryShares } from "./memory-shares.js";
import type { PictureService } from "./picture-service.js";
import type { ArchiveService } from "./record/archive-service.js";

/** Parts that are passed to the API unchanged. */
type ApiParts = Omit<
  ApiServerOptions,
  | "archive"
  | "archiveChecks"
  | "channelBytes"
  | "connectionsMax"
  | "fileCodec"
  | "health"
  | "history"
  | "memory"
  | "monitoring"
  | "motionCodec"
  | "protection"
  | "removedTimes"
  | "serviceLog"
  | "settings"
  | "soundCodec"
  | "stills"
  | "support"
  | "texts"
  | "transcoding"
  | "version"
>;

export interface ApiServiceOptions {
  readonly settings: Settings;
  readonly parts: ApiParts;
  readonly archive: ArchiveService;
  readonly health: HealthService;
  readonly pictures: PictureService;
  readonly serviceLog: ServiceLogReader;
  readonly shares: MemoryShares;
  /** The port of the RTSP server; 0 if not listening. */
  readonly rtspPort: () => number;
}

/** Creates the API server. */
export function createApi(options: ApiServiceOptions): ApiServer {
  const { settings, parts, archive, health, pictures, serviceLog, shares, rtspPort } = options;
  const { listen, httpPort, httpsPort, portFallback, corsOrigins, productType, dataDir } = settings;
  const { tlsCertificate, tlsKey } = settings;
  const tls =
    tlsCertificate !== undefined && tlsKey !== undefined
      ? { tls: { certificateFile: tlsCertificate, keyFile: tlsKey } }
      : {};
  const api = new ApiServer({
    ...parts,
    settings: {
      ...{ listen, httpPort, httpsPort, rtspPort, portFallback },
      ...pageSettings(settings),
      ...{
        corsOrigins,
        trustedProxies: settings.trustedProxies,
        pathPrefix: settings.pathPrefix,
        productType,
        dataDir,
        ...tls,
      },
    },
    archive: archive.archive,
    protection: archive.protection,
    removedTimes: archive.removedTimes,
    channelBytes: archive.channelBytes,
    archiveChecks: archive,
    health: health.archive,
    monitoring: health.monitor,
    history: health.history,
    serviceLog,
    support: health,
    stills: pictures.stills,
    transcoding: pictures.transcoding,
    soundCodec: pictures.codec,
    motionCodec: pictures.codec,
    fileCodec: pictures.codec,
    texts: new TextPictures(),
    memory: apiMemory(shares),
    connectionsMax: Math.min(CONNECTIONS_MAX, descriptorShares(settings).http),
    version: readVersion(),
  });
  health.monitor.watchApi(() => api.figures());
  health.monitor.watchListeners(() => api.listenerProblems());
  return api;
}

function pageSettings({ page, pageFrameAncestors }: Settings): Pick<ApiServerOptions["settings"], "page"> {
  return { page: page === "off" ? "off" : { frameAncestors: pageFrameAncestors } };
}
