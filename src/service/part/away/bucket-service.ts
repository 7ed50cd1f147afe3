import path from "node:path";
import type { BucketReader } from "../../../away/index.js";
import { type Clock, type Log, NvrdError } from "../../../base/index.js";
import type { FoundFindings } from "../../../finding/index.js";
import type { StreamDirectory } from "../../../live/index.js";
import type { SiteRevisions } from "../../../owner/index.js";
import type { Settings } from "../../../settings/index.js";
import { readIdentity, type Site, type SiteStore } from "../../../site/index.js";
import type { ApiServerOptions } from "../../api/index.js";
import type { ArchiveService } from "../record/archive-service.js";
import { invalidSetting, lineOf, textOf } from "../setting-files.js";
import { BucketSite, READ_ONLY_HINT } from "./bucket-site.js";

const RETRY_MS = 3000;
/** Requests that change something of this server alone. Everything else that changes something is refused. */
const OWN_CHANGES =
  /^\/(?:archive_events|api\/(?:events|findings\/seen|session|sessions|password|setup|motionsearch|system|network|clock|alarms|push|update)(?:\/.*)?|configure\/(?:users|groups|views|alarms|mobile|rtsp|monitoring|locations)(?:\/.*)?|onvif\/.+)$/;
/** What is said of channels and recordings: nothing, before the bucket was listed. */
const OF_BUCKET =
  /^\/(?:configex|archivefragments|video|site|mobile|hls|exportarchive|command|api\/(?:channels|views|timeline|strip|live|findings|motionsearch|protected|archive)|onvif|configure\/(?:channels|securityobjects))(?:\/.*)?$/;

/** Nothing is looked for on the network. */
const OF_DEVICES = /^\/configure\/discovery(?:\/.*)?$/;

export const NO_LIVE = "this server shows recordings from a bucket, and has no live video";

export interface BucketServiceOptions {
  readonly settings: Settings;
  readonly own: SiteStore & SiteRevisions;
  readonly archive: ArchiveService;
  readonly clock: Clock;
  readonly log: Log;
}

/** The archive of a server is a bucket: its channels, its recordings, and what such a server refuses. */
export class BucketService {
  readonly site: BucketSite;
  /** No channel has a live stream. */
  readonly streams: StreamDirectory = { stream: () => undefined, absence: NO_LIVE };
  readonly #options: BucketServiceOptions;
  #reader: BucketReader | undefined;

  constructor(options: BucketServiceOptions) {
    this.#options = options;
    const { bucketEndpoint = "", bucketName = "", bucketPrefix = "" } = options.settings;
    const place = [bucketEndpoint, bucketName, bucketPrefix];
    this.site = new BucketSite({ own: options.own, place, log: options.log });
  }

  /** Throws NvrdError SETTINGS_INVALID where the data directory is that of a recorder. */
  requireNoCameras(): void {
    const { settings, own } = this.#options;
    if (own.current.cameras.length === 0) return;
    throw invalidSetting(
      "bucketEndpoint",
      `${settings.dataDir} is the data directory of a recorder with cameras: use another`,
    );
  }

  /** Throws NvrdError SETTINGS_INVALID where a file of the settings cannot be used. */
  async start(): Promise<void> {
    const { settings, archive, clock, log } = this.#options;
    const { bucketEndpoint = "", bucketName = "", bucketAccessKeyId = "", bucketProxy = "" } = settings;
    const target = {
      ...{
        endpoint: bucketEndpoint.replace(/\/$/, ""),
        bucket: bucketName,
        prefix: settings.bucketPrefix ?? "",
      },
      ...{ region: settings.bucketRegion, style: settings.bucketStyle, accessKeyId: bucketAccessKeyId },
      ...{ secretAccessKey: lineOf("bucketSecretKeyFile", settings.bucketSecretKeyFile), sessionToken: "" },
      ...{ authority: textOf("bucketCaFile", settings.bucketCaFile), proxy: bucketProxy },
    };
    const { BucketReader } = await import("../../../away/index.js");
    const reader = new BucketReader({
      ...{ target, clock, log, identity: identityOf(settings.bucketIdentityFile) },
      cacheDirectory: path.join(settings.dataDir, "bucket"),
      cacheBytesMax: settings.bucketCacheBytes,
      onChange: () => this.site.show(reader.boxes),
    });
    this.#reader = reader;
    archive.archive.setAway([reader.recordings]);
    reader.start();
  }

  async stop(): Promise<void> {
    await this.#reader?.stop();
  }

  /** What the recorders of the bucket saw, in place of what this server sees. */
  readonly findings: Pick<FoundFindings, "search" | "get" | "state"> = {
    search: async (query) => await this.#found.search(query),
    get: async (id) => await this.#found.get(id),
    state: () => this.#found.state(),
  };

  get #found(): FoundFindings {
    const found = this.#reader?.findings;
    if (found === undefined) throw new Error("the bucket is not read yet");
    return found;
  }

  get name(): string {
    return this.#options.settings.bucketName ?? "";
  }

  /** Why the bucket cannot be listed or read; undefined while it can. */
  get problem(): string | undefined {
    return this.#reader?.problem;
  }

  /** Why a request is not answered by its endpoint; undefined: it is. */
  readonly refusal: NonNullable<ApiServerOptions["refusal"]> = ({ path: asked, type, changes }) => {
    if ((changes && !OWN_CHANGES.test(asked)) || OF_DEVICES.test(asked))
      return new NvrdError(
        "FORBIDDEN",
        "this server shows recordings from a bucket, and changes none of it",
        {
          hint: READ_ONLY_HINT,
        },
      );
    const isTime = asked === "/command" && type === "gettime";
    return OF_BUCKET.test(asked) && !isTime ? this.#fault : undefined;
  };

  get #fault(): NvrdError | undefined {
    if (this.#reader !== undefined) return this.#reader.fault;
    return new NvrdError("NOT_AVAILABLE", "the bucket is not read yet", { retryAfterMs: RETRY_MS });
  }
}

/** For checks of this server's configuration: which channels there are only the bucket knows. */
export function withoutChannels(site: Site): Site {
  const groups = site.groups.map((group) => ({
    ...group,
    realtimeChannels: group.realtimeChannels === "all" ? ("all" as const) : [],
    archiveChannels: group.archiveChannels === "all" ? ("all" as const) : [],
  }));
  return { ...site, groups, views: [] };
}

function identityOf(file: string | undefined): string {
  if (file === undefined) return "";
  const text = lineOf("bucketIdentityFile", file);
  if (readIdentity(text) === undefined)
    throw invalidSetting("bucketIdentityFile", `${file} has no private key of age`);
  return text;
}
