import type { Access, Credentials, Principal } from "../../access/index.js";
import type { AlarmControl } from "../../alarm/index.js";
import type { ArchiveAccess, ProtectionAccess } from "../../archive/index.js";
import type { ByteBudget, Clock, Guid, Log, StreamType } from "../../base/index.js";
import type { DeviceDirectory, Ptz } from "../../camera/index.js";
import type { EventLog } from "../../event/index.js";
import type { ArchiveStatus, DiskStates, HealthFigures } from "../../health/index.js";
import type { LivePackagers } from "../../hls/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { Stills, Transcoding } from "../../picture/index.js";
import type { ManualRequest, ManualSwitch, RecordingState } from "../../recording/index.js";
import type { SiteStore } from "../../site/index.js";
import type { StorageControl } from "../../storage/index.js";
import type { UpdateState, Upload } from "../../update/index.js";
import type { ConfigurationAnswers } from "../configuration/configuration-answers.js";
import type { EventFeed } from "../event/event-feed.js";
import type { EventRate } from "../event/event-rate.js";
import type { EventSearches } from "../event/event-searches.js";
import type { Exports } from "../export/exports.js";
import type { HlsSessions } from "../hls/hls-sessions.js";
import type { LiveSounds } from "../video/live-sound.js";
import type { OpenStreams } from "./open-streams.js";
import type { ApiRequest, RequestContent } from "../../http/request.js";
import type { Answer, ApiResponse } from "../../http/response.js";
import type { ServerReach } from "./server-reach.js";
import type { SoundCodec } from "../video/sound-part.js";

/** What the endpoints work with. */
export interface Services {
  readonly site: SiteStore;
  readonly access: Access;
  readonly archive: ArchiveAccess;
  /** The evidence lock. */
  readonly protection: ProtectionAccess;
  readonly streams: StreamDirectory;
  readonly transcoding: Transcoding;
  readonly stills: Stills;
  /** Pictures that cameras make themselves; none when absent. */
  readonly snapshots?: SnapshotSource;
  /** Converts sound. */
  readonly soundCodec: SoundCodec;
  /** Sound of the live streams that is being converted for viewers. */
  readonly liveSounds: LiveSounds;
  /** Live streams that are packaged for HLS. */
  readonly hlsStreams: LivePackagers;
  /** Of what is read ahead of recordings that are played by HLS. */
  readonly hlsReadAhead: ByteBudget;
  /** Names of what is played by HLS. */
  readonly hlsSessions: HlsSessions;
  readonly recording: RecordingStates;
  readonly health: HealthStates;
  /** The machine's disks. */
  readonly disks: DiskStates;
  readonly monitoring: HealthQuestions;
  readonly support: SupportBundles;
  /** The disks in the hands of their owner. */
  readonly storage: StorageControl;
  /** What is on the network, added or not. */
  readonly devices: DeviceDirectory;
  readonly ptz: Ptz;
  readonly alarms: AlarmControl;
  readonly events: EventLog;
  readonly updates: Updates;
  readonly eventFeed: EventFeed;
  readonly eventSearches: EventSearches;
  readonly eventRate: EventRate;
  readonly exports: Exports;
  readonly openStreams: OpenStreams;
  readonly configurationAnswers: ConfigurationAnswers;
  /** Paths of the routes, as the route table spells them. */
  readonly servedPaths: ReadonlySet<string>;
  readonly clock: Clock;
  readonly log: Log;
  /** Version of the software, shown in /configex. */
  readonly version: string;
  /** Type of the licence: the configuration API needs Enterprise or Ultra. */
  readonly productType: string;
  /** The addresses and ports this server is reached at. */
  readonly reach: ServerReach;
}

/** Which channels are being recorded, and what users may say about it. */
export interface RecordingStates {
  /** True while the channel's frames go to the disk. */
  isRecording(channelId: Guid): boolean;
  state(channelId: Guid): RecordingState;
  /** Who switched the channel's recording on; undefined when nobody did. */
  manualSwitch(channelId: Guid): ManualSwitch | undefined;
  /** Resolves with whether it is kept over a restart. Rejects with NvrdError CONFLICT where the mode has no such part. */
  switchManually(request: ManualRequest): Promise<boolean>;
}

/** Asks a camera for a picture of its own making (ONVIF GetSnapshotUri, or what its maker has). */
export interface SnapshotSource {
  /**
   * The JPEG of a channel's stream, not larger than SNAPSHOT_BYTES_MAX. Rejects with NvrdError NOT_SUPPORTED when the
   * camera has none, NOT_AVAILABLE, with words for an installer, when it does not give it.
   */
  snapshot(channelId: Guid, streamType: StreamType, signal: AbortSignal): Promise<Uint8Array>;
}

/** Most bytes of a camera's snapshot. */
export const SNAPSHOT_BYTES_MAX = 8 * 1024 * 1024;

/** Updates of the whole system. */
export interface Updates {
  readonly state: UpdateState;
  /** As `Updater.receive`. `by`: who sends it, for the log. */
  receive(upload: Upload, by: string): Promise<UpdateState>;
}

/** How the recorder is, as last looked at; asking costs nothing. */
export interface HealthStates {
  readonly status: ArchiveStatus;
}

/** All that is known of the recorder, for monitoring. */
export interface HealthQuestions {
  /** The same to all who ask within a second. Never rejects. */
  figures(): Promise<HealthFigures>;
}

/** Makes what a maker of nvrd needs to understand a recorder from afar. */
export interface SupportBundles {
  /** A tar archive, gzipped, without secrets. Who asks while one is made gets that one. */
  create(): Promise<Uint8Array>;
}

/** One authenticated request on its way to its endpoint. */
export interface RequestContext {
  readonly services: Services;
  readonly request: ApiRequest;
  /** For endpoints that stream; others answer by what they return. */
  readonly response: ApiResponse;
  readonly principal: Principal;
  readonly credentials: Credentials;
  /** The values of the path's `{…}` parts. */
  readonly pathValues: ReadonlyMap<string, string>;
  readonly log: Log;
}

/** One authenticated request that has come before. */
export type KeptContext = Pick<RequestContext, "services" | "principal"> & {
  readonly content: RequestContent;
};

/** Answers what is kept, at once; undefined: the endpoint answers. Must not begin any work. */
export type KeptAnswer = (context: KeptContext) => Answer | undefined;

/** A request that a name in its path lets in. */
export type NamedContext = Omit<RequestContext, "principal" | "credentials">;

/** Returned by an endpoint that answers through the response itself. */
export const STREAMED = Symbol("streamed");

export type EndpointResult = Answer | typeof STREAMED;

export type Endpoint = (context: RequestContext) => EndpointResult | Promise<EndpointResult>;

export type NamedEndpoint = (context: NamedContext) => EndpointResult | Promise<EndpointResult>;
