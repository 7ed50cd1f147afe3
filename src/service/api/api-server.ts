import { rm } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { PasswordJudge } from "../../access/index.js";
import {
  AcmeCertificates,
  type AcmeNotice,
  type NameReachOptions,
  OpenChallenges,
} from "../../acme/index.js";
import type { ArchiveAccess, RecordedAccess } from "../../archive/index.js";
import { ByteBudget, type Guid, type Interval } from "../../base/index.js";
import {
  ConfigurationAnswers,
  type EventCounts,
  EventFeed,
  EventPages,
  EventRate,
  EventSearches,
  Exports,
  RtspMounts,
  type RtspNeeds,
} from "../../compat/index.js";
import { EVENT_TYPES, type EventInput } from "../../event/index.js";
import type { LastingFindings } from "../../finding/index.js";
import type { PeerLive } from "../../fleet/index.js";
import type { ApiFigures } from "../../health/index.js";
import {
  type CertificateFiles,
  type Headers,
  HttpServer,
  type HttpServerOptions,
  HttpsServer,
  Listener,
  type ListenerChange,
  type ListenerProblem,
  listenOn,
  type OpenListener,
  OwnCertificate,
  type PortSetting,
  reachableAddress,
  TrustedProxies,
} from "../../http/index.js";
import {
  type BoxesControl,
  CameraPictures,
  CardPlaces,
  type CertificatePlace,
  ChannelStates,
  deletedTimes,
  diskTask,
  type ExplainedGap,
  FileLinks,
  FleetServers,
  GapReasons,
  HlsSessions,
  isFileOfName,
  LinkDoor,
  LiveSockets,
  loggedPath,
  type MotionSearchCodec,
  MotionSearches,
  moveTask,
  type OidcControl,
  type OnvifService,
  PAGE_FOLDER,
  PageFiles,
  pageErrorHeaders,
  pageHeaders,
  SavedFiles,
  SeenBoxes,
  Strips,
  seenOverRtsp,
  servePeerLive,
  Timelines,
  taskEvent,
  UpdateTask,
} from "../../owner/index.js";
import {
  ARCHIVE_PLAYING_BYTES_MAX,
  LiveFeeds,
  LivePackagers,
  LiveSounds,
  presentRotations,
  RecordedPlaybacks,
} from "../../player/index.js";
import {
  HUB_DOOR,
  OpenStreams,
  RequestLogin,
  type RequestRefusal,
  Router,
  RouteTable,
  type ServerReach,
  SessionCookie,
  StrangerTime,
} from "../../route/index.js";
import type { User } from "../../site/index.js";
import { Tasks } from "../../task/index.js";
import { type ApiNeeds, ROUTES } from "./routes.js";

/** Requests of the hub at once, over both of its connections. */
const HUB_REQUESTS_MAX = 128;

export interface ApiSettings {
  /** Address to listen on: `0.0.0.0`, `::` (both families), or one of this machine's. */
  readonly listen: string;
  readonly httpPort: PortSetting;
  readonly httpsPort: PortSetting;
  /** Shown in /configex; 0: no RTSP server. A function is called each time. */
  readonly rtspPort: number | (() => number);
  /** Use another port if the wanted one is in use or privileged. */
  readonly portFallback: boolean;
  /** Origins that browsers may call from; `*` means any. */
  readonly corsOrigins: readonly string[];
  /** Type of the licence; the configuration API needs Enterprise or Ultra. */
  readonly productType: string;
  /** The data directory, which has the certificate of HTTPS. */
  readonly dataDir: string;
  /** Addresses and ranges of the reverse proxies that are believed about the client's address; none when absent. */
  readonly trustedProxies?: readonly string[];
  /** The path below which a proxy has the service; none when absent. */
  readonly pathPrefix?: string;
  /** PEM files for HTTPS; both or neither. */
  readonly tls?: CertificateFiles;
  /** The browser's page: its folder, that of the build when absent, and who may show it in a frame; `off`: none is served. */
  readonly page?: PageSettings | "off";
}

export interface PageSettings {
  readonly folder?: string;
  /** Origins, and `self`; nobody when absent. */
  readonly frameAncestors?: readonly string[];
}

/** Parts of the endpoints that the server makes itself. */
type MadeHere =
  | "cameraPictures"
  | "cardPlaces"
  | "certificates"
  | "channelStates"
  | "configurationAnswers"
  | "corsOrigins"
  | "eventFeed"
  | "eventPages"
  | "eventRate"
  | "eventSearches"
  | "exports"
  | "fileLinks"
  | "files"
  | "hlsReadAhead"
  | "hlsSessions"
  | "hlsStreams"
  | "language"
  | "linkDoor"
  | "liveFeeds"
  | "liveSockets"
  | "liveSounds"
  | "motionSearches"
  | "mustChangePassword"
  | "oidc"
  | "onvif"
  | "openStreams"
  | "otherServers"
  | "page"
  | "passwordJudge"
  | "playbacks"
  | "productType"
  | "reach"
  | "seenBoxes"
  | "servedPaths"
  | "sessionCookie"
  | "strips"
  | "tasks"
  | "timelines";

/** What the endpoints need of the service, and what the server needs besides. */
export interface ApiServerOptions extends Omit<ApiNeeds & RtspNeeds, MadeHere> {
  readonly settings: ApiSettings;
  /** Most connections to each of its ports; by default as many as an HTTP server takes. */
  readonly connectionsMax?: number | undefined;
  /** Whether a user must choose another password before a session of it may do anything else; nobody when absent. */
  readonly mustChangePassword?: (user: User) => boolean;
  readonly archive: ArchiveAccess & RecordedAccess;
  readonly motionCodec: MotionSearchCodec;
  readonly lasting: Pick<LastingFindings, "lasting" | "onChange">;
  /** The recorder as an ONVIF device, while it is one; it never is when absent. */
  readonly onvif?: () => OnvifService | undefined;
  /** The provider of logins; there is none when absent. */
  readonly oidc?: OidcControl | undefined;
  /** What several servers with the same logins have together; undefined, or absent: this one is alone. */
  readonly loginsId?: () => string | undefined;
  readonly boxes: () => BoxesControl | undefined;
  /** Where names are looked at before a certificate is asked for them, unless as an authority does. */
  readonly nameReach?: Pick<NameReachOptions, "port" | "lookup">;
  /** What this server does not serve; it serves everything when absent. */
  readonly refusal?: RequestRefusal;
  readonly memory?: ApiMemory;
}

/** Limits for a machine with little memory; each has a default where it is used. */
export interface ApiMemory {
  /** Total size of bodies being received, separately for HTTP and HTTPS. */
  readonly bodiesBytesMax?: number | undefined;
  readonly answersBytesMax?: number | undefined;
  readonly exportsMax?: number | undefined;
  readonly packagingBytesMax?: number | undefined;
  readonly playingBytesMax?: number | undefined;
  /** Newest groups of pictures of the streams that are watched over the live socket. */
  readonly feedBytesMax?: number | undefined;
  /** What waits for clients of the live socket. */
  readonly socketWaitingBytesMax?: number | undefined;
}

/** Recordings as files: made while they are sent, and kept here. */
function fileParts(options: ApiServerOptions) {
  const { archive: recordings, events, version, memory = {}, settings, site, clock, log } = options;
  const { dataDir } = settings;
  const files = new SavedFiles({ dataDir, clock, log });
  const fileLinks = new FileLinks({ dataDir, site, files, clock, log });
  const linkDoor = new LinkDoor({ links: fileLinks, events, clock, log });
  site.onChange("rights", () => linkDoor.recheck());
  return {
    exports: new Exports({ recordings, events, clock, version, exportsMax: memory.exportsMax }),
    ...{ files, fileLinks, linkDoor },
  };
}

/** The clients of the live socket, and what is sent to them. */
function liveSocketParts(options: ApiServerOptions, reasons: GapReasons) {
  const { archive, transcoding, site, clock, log, memory = {} } = options;
  const rotationOf = presentRotations(site);
  const liveFeeds = new LiveFeeds({
    ...{ transcoding, rotationOf, clock, log },
    bytesMax: memory.feedBytesMax,
  });
  const playbacks = new RecordedPlaybacks({
    ...{ archive, transcoding, rotationOf, site, clock, log },
    nextFeed: () => liveFeeds.nextFeed(),
    gapReason: (channelId, fromUs, toUs) => reasons.reasonOf(channelId, fromUs, toUs),
  });
  const channelStates = new ChannelStates({
    site,
    streams: options.streams,
    findings: options.lasting,
    clock,
  });
  const seenBoxes = new SeenBoxes({ findings: options.lasting, clock });
  return {
    ...{ liveFeeds, playbacks, channelStates, seenBoxes },
    liveSockets: new LiveSockets(clock, memory.socketWaitingBytesMax),
  };
}

function gapReasons(options: ApiServerOptions): GapReasons {
  const { events, site, archive, clock, removedTimes, recording } = options;
  return new GapReasons({
    ...{ events, site, archive, clock },
    deletedTimes: (channelId) => deletedTimes(removedTimes.of(channelId)),
    isRecording: (channelId) => recording.isRecording(channelId),
  });
}

function certificatePlace(options: ApiServerOptions, tasks: Tasks, httpPort: () => number): CertificatePlace {
  const { settings, clock, log, wallClock: knowledge, events, nameReach } = options;
  const { httpsPort, tls, dataDir, listen } = settings;
  const challenges = new OpenChallenges();
  if (httpsPort === 0 || tls !== undefined)
    return { files: httpsPort === 0 ? undefined : tls, own: undefined, acme: undefined, challenges };
  const own = new OwnCertificate({ dataDir, address: reachableAddress(listen), clock, log });
  const onNotice = (notice: AcmeNotice) => events.raise(acmeEvent(notice));
  const acme = new AcmeCertificates({
    ...{ dataDir, certificate: own, challenges, tasks, knowledge, httpPort, onNotice, clock, log },
  });
  return { files: own.files, own, acme, challenges, ...(nameReach === undefined ? {} : { nameReach }) };
}

/** A hub gives the channels of its recorders too. */
function otherServers({ boxes }: ApiServerOptions): ApiNeeds["otherServers"] {
  const servers = new FleetServers(boxes);
  return (principal) => servers.of(principal);
}

/** What a hub's user changes here is an event here, whoever else reports it. */
function hubActs({
  events,
}: ApiServerOptions): (user: User, request: { method: string; path: string }) => void {
  return ({ id, name }, { method, path }) => {
    const initiator = { type: 1, id, name } as const;
    events.raise({ typeId: EVENT_TYPES.hubUserActed.id, comment: `${method} ${path}`, initiator });
  };
}

/** By nobody: it is the recorder that asks. */
function acmeEvent(notice: AcmeNotice): EventInput {
  if (notice.what === "obtained")
    return { typeId: EVENT_TYPES.certificateChanged.id, comment: notice.facts.names.join(", ") };
  const { names, failure } = notice;
  return {
    typeId: EVENT_TYPES.certificateNotObtained.id,
    comment: `${names.join(", ")}: ${failure.message}`,
  };
}

/** All long work in one list, whichever part does it. */
function longWork({ clock, log, events, storage, updates }: ApiServerOptions): Tasks {
  const tasks = new Tasks({ clock, log, onNotice: (notice) => events.raise(taskEvent(notice)) });
  const update = new UpdateTask();
  tasks.observe(() => diskTask(storage.work));
  tasks.observe(() => moveTask(storage));
  tasks.observe(() => update.read(updates.state));
  return tasks;
}

function timelineParts(options: ApiServerOptions, reasons: GapReasons) {
  const { archive, events, stills, motionCodec: codec, protection, clock, log } = options;
  return {
    strips: new Strips({ archive, stills, clock }),
    motionSearches: new MotionSearches({ archive, events, stills, codec, clock, log }),
    timelines: new Timelines({ archive, protection, events, reasons, clock }),
  };
}

/** The HTTP API over HTTP and HTTPS. */
export class ApiServer {
  readonly #options: ApiServerOptions;
  /** The mounts of the RTSP server, with the same rights and limits on open streams as the HTTP API. */
  readonly rtspMounts: RtspMounts;
  /** What strangers may have of the main thread, at the doors of the API and of the RTSP server. */
  readonly strangers: StrangerTime;
  readonly #routes = new RouteTable<ApiNeeds>(ROUTES);
  readonly #router: Router<ApiNeeds>;
  readonly #eventFeed: EventFeed;
  readonly #reasons: GapReasons;
  readonly #hlsSessions: HlsSessions;
  readonly #hlsStreams: LivePackagers;
  readonly #files: ReturnType<typeof fileParts>;
  readonly #motionSearches: MotionSearches;
  readonly #tasks: Tasks;
  readonly #passwordJudge: PasswordJudge;
  readonly #openStreams: OpenStreams;
  readonly #errorHeaders: (path: string) => Headers;
  readonly #live: ReturnType<typeof liveSocketParts>;
  readonly #http: Listener | undefined;
  readonly #https: Listener | undefined;
  readonly #certificates: CertificatePlace;
  #reach: ServerReach = { address: "", httpPort: 0, httpsPort: 0, rtspPort: 0 };

  constructor(options: ApiServerOptions) {
    this.#options = options;
    const { settings, site, access, events, clock, log } = options;
    this.strangers = new StrangerTime({ access, clock });
    this.#tasks = longWork(options);
    this.#certificates = certificatePlace(options, this.#tasks, () => this.reach.httpPort);
    this.#http = settings.httpPort === 0 ? undefined : this.#listener("HTTP", () => this.#openHttp());
    this.#https = settings.httpsPort === 0 ? undefined : this.#listener("HTTPS", () => this.#openHttps());
    this.#eventFeed = new EventFeed({ events, site, access, clock });
    this.#hlsSessions = new HlsSessions(clock);
    const { memory = {} } = options;
    this.#files = fileParts(options);
    this.#openStreams = new OpenStreams({ site, access, clock, log });
    options.sessions.onEnd(() => this.#openStreams.recheckSoon());
    this.#hlsStreams = livePackagers(options);
    const reach = (): ServerReach => this.reach;
    const mustChangePassword = options.mustChangePassword ?? (() => false);
    const sessionCookie = new SessionCookie(() => options.loginsId?.() ?? site.current.server.id);
    const login = new RequestLogin({ access, cookie: sessionCookie, mustChangePassword, clock });
    this.#reasons = gapReasons(options);
    const timeline = timelineParts(options, this.#reasons);
    this.#motionSearches = timeline.motionSearches;
    this.#live = liveSocketParts(options, this.#reasons);
    this.#passwordJudge = new PasswordJudge(clock);
    const needs = {
      ...options,
      openStreams: this.#openStreams,
      liveSounds: new LiveSounds(options.soundCodec, log),
      hlsStreams: this.#hlsStreams,
      hlsReadAhead: new ByteBudget(memory.playingBytesMax ?? ARCHIVE_PLAYING_BYTES_MAX),
      hlsSessions: this.#hlsSessions,
      ...this.#live,
      ...{ corsOrigins: settings.corsOrigins, eventFeed: this.#eventFeed },
      eventSearches: new EventSearches(events, site),
      eventPages: new EventPages(),
      eventRate: new EventRate(clock),
      ...this.#files,
      ...timeline,
      ...{ tasks: this.#tasks, cardPlaces: new CardPlaces(), otherServers: otherServers(options) },
      cameraPictures: new CameraPictures({ stills: options.stills, clock }),
      configurationAnswers: new ConfigurationAnswers(clock, memory.answersBytesMax),
      servedPaths: this.#routes.paths,
      productType: settings.productType,
      ...{ sessionCookie, mustChangePassword, passwordJudge: this.#passwordJudge },
      oidc: () => options.oidc,
      get onvif() {
        return options.onvif?.();
      },
      get language() {
        return options.firstRun.language;
      },
      page: this.#readPage(),
      certificates: this.#certificates,
      get reach() {
        return reach();
      },
    } satisfies ApiNeeds & RtspNeeds;
    this.rtspMounts = new RtspMounts(needs, (asked) => seenOverRtsp(needs, asked));
    this.#errorHeaders = errorHeadersOf(settings);
    const { productType, corsOrigins } = settings;
    const common = {
      ...{ access, login, cookie: sessionCookie, clock, log, productType, corsOrigins, loggedPath },
      ...{ errorHeaders: this.#errorHeaders, refusal: options.refusal, strangers: this.strangers },
      ...{ actedThroughHub: hubActs(options) },
    };
    this.#router = new Router<ApiNeeds>({ routes: this.#routes, needs, ...common });
  }

  /** Counters of /event since the start. */
  get eventCounts(): EventCounts {
    return this.#eventFeed.counts;
  }

  /** Number of live HLS requests refused because of memory. */
  get packagingRefusals(): number {
    return this.#hlsStreams.refusals;
  }

  /** Counters of requests and answers since the start. */
  figures(): ApiFigures {
    const { listeners, dropped } = this.#eventFeed.counts;
    return {
      requests: this.#router.counts.read(),
      openStreams: this.#openStreams.size,
      viewers: this.#openStreams.viewers(),
      eventListeners: listeners,
      eventsNotSent: dropped,
      liveSocket: {
        ...this.#live.liveSockets.figures(),
        streams: this.#live.liveFeeds.size,
        transcodedStreams: this.#live.liveFeeds.transcodedSize,
      },
      certificateProblem: this.#certificates.acme?.problem,
    };
  }

  /** What is wrong with its ports now. */
  listenerProblems(): readonly ListenerProblem[] {
    return [this.#http?.problem, this.#https?.problem].filter((problem) => problem !== undefined);
  }

  /** The present address and ports of the server. */
  get reach(): ServerReach {
    const { rtspPort } = this.#options.settings;
    const now = {
      address: reachableAddress(this.#options.settings.listen),
      httpPort: this.#http?.port ?? 0,
      httpsPort: this.#https?.port ?? 0,
      rtspPort: typeof rtspPort === "function" ? rtspPort() : rtspPort,
    };
    // The same object while nothing changes, because cached answers of /configex refer to it.
    if (!isDeepStrictEqual(now, this.#reach)) this.#reach = now;
    return this.#reach;
  }

  /** Long work, for parts of the service that do some. */
  get tasks(): Tasks {
    return this.#tasks;
  }

  /** Why times without recordings of a channel have none: their parts, in order. Rejects as the event log does. */
  async explainGaps(channelId: Guid, holes: readonly Interval[]): Promise<readonly ExplainedGap[]> {
    const camera = this.#options.site.current.cameras.find(({ id }) => id === channelId);
    const [first] = holes;
    if (camera === undefined || first === undefined) return [];
    const within = { fromUs: first.fromUs, toUs: this.#options.clock.nowUs() };
    const reasons = await this.#reasons.of(camera, within);
    return holes.flatMap((hole) => reasons.explain(hole));
  }

  /** Why a time without recordings of a channel has none. */
  async gapReason(channelId: Guid, fromUs: number, toUs: number): Promise<string> {
    return await this.#reasons.reasonOf(channelId, fromUs, toUs);
  }

  /**
   * Listens; returns the ports in use, 0 for one that is off. Rejects with NvrdError NOT_AVAILABLE if a port is not available,
   * SETTINGS_INVALID if the certificate cannot be used; nothing listens then. With `keepTrying` it does not reject: an
   * unavailable port is 0, is reported as an event, and retried every second.
   */
  async start(options: { readonly keepTrying: boolean } = { keepTrying: false }): Promise<ServerReach> {
    const { settings, log } = this.#options;
    try {
      await this.#http?.start(options);
      await this.#https?.start(options);
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#certificates.acme?.start();
    void this.#files.files.start();
    void this.#files.fileLinks.start();
    const { httpPort, httpsPort } = this.reach;
    log.info({ listen: settings.listen, httpPort, httpsPort }, "API is listening");
    return this.reach;
  }

  /** What is open is checked again: what a hub may do has changed. */
  recheckStreams(): void {
    this.#openStreams.recheckSoon();
  }

  /** Serves viewers at another hub what is watched here of a recorder. */
  async servePeerLive(live: PeerLive): Promise<void> {
    const { boxes, clock, version } = this.#options;
    await servePeerLive({ boxes, clock, version, ...this.#live }, live);
  }

  /**
   * Answers requests of the hub at a unix socket too, with what a request says of its user: nobody but the link to the hub may reach
   * it. Rejects with NvrdError NOT_AVAILABLE.
   */
  async openHubDoor(path: string): Promise<{ stop(): Promise<void> }> {
    await rm(path, { force: true });
    const server = new HttpServer({
      ...this.#answering(),
      door: HUB_DOOR,
      // One address for all of them; how many there are is bounded by the link.
      requestsPerAddressMax: HUB_REQUESTS_MAX,
    });
    try {
      server.listenUnix(path);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return { stop: () => server.stop() };
  }

  /**
   * The same API over other parts and with files of its own, at no port: what stands in for another recorder. `openHubDoor` makes a door to it.
   */
  beside(parts: Partial<Omit<ApiServerOptions, "settings">>, dataDir: string): ApiServer {
    const settings = { ...this.#options.settings, httpPort: 0, httpsPort: 0, page: "off", dataDir } as const;
    return new ApiServer({ ...this.#options, ...parts, settings });
  }

  /** Stops accepting, ends open streams, closes all connections. */
  async stop(): Promise<void> {
    this.#hlsSessions.endAll();
    this.#motionSearches.stop();
    this.#tasks.stop();
    this.#passwordJudge.stop();
    await this.#certificates.acme?.stop();
    await Promise.all([this.#http?.stop(), this.#https?.stop()]);
    this.#files.exports.stop();
    this.#files.files.stop();
    this.#files.fileLinks.stop();
    this.#files.linkDoor.stop();
  }

  #readPage(): PageFiles | undefined {
    const { settings, log } = this.#options;
    const { page = {} } = settings;
    if (page === "off") return undefined;
    const { folder = PAGE_FOLDER, frameAncestors = [] } = page;
    return PageFiles.read({ folder, headers: pageHeaders(frameAncestors), log });
  }

  #listener(name: string, open: () => Promise<OpenListener>): Listener {
    const { clock, log } = this.#options;
    return new Listener({ name, open, report: (change) => this.#reportListener(change), clock, log });
  }

  #reportListener({ name, shut }: ListenerChange): void {
    const typeId = (shut === undefined ? EVENT_TYPES.apiReachable : EVENT_TYPES.apiUnreachable).id;
    this.#options.events.raise({ typeId, comment: shut === undefined ? name : `${name}: ${shut}` });
  }

  /** How any of its servers answers. */
  #answering() {
    const { clock, log } = this.#options;
    return {
      errorHeaders: this.#errorHeaders,
      handler: (request, response) => this.#router.handle(request, response),
      cachedAnswers: (id, content) => this.#router.kept(id, content),
      streamsBody: (raw) => this.#routes.streamsBody(raw),
      bodyBytesMax: (raw) => this.#routes.bodyBytesMax(raw),
      comesOnce: isFileOfName,
      bodiesBytesMax: this.#options.memory?.bodiesBytesMax,
      ...{ clock, log },
    } satisfies HttpServerOptions;
  }

  #createServer(tls?: CertificateFiles): HttpServer {
    const { settings } = this.#options;
    return new HttpServer({
      ...this.#answering(),
      trustedProxies: new TrustedProxies(settings.trustedProxies ?? []),
      ...(settings.pathPrefix === undefined ? {} : { pathPrefix: settings.pathPrefix }),
      connectionsMax: this.#options.connectionsMax,
      knowsAddress: (address) => this.#options.access.knowsAddress(address),
      spent: (address, ms) => this.strangers.spent(address, ms),
      drops: (address) => this.strangers.drops(address),
      ...(tls === undefined ? {} : { tls }),
    });
  }

  #openHttp(): Promise<OpenListener> {
    return this.#listen(this.#createServer(), this.#options.settings.httpPort);
  }

  async #openHttps(): Promise<OpenListener> {
    const { clock, log, settings } = this.#options;
    const create = (files: CertificateFiles) => this.#createServer(files);
    const { own, files } = this.#certificates;
    if (files === undefined) throw new Error("HTTPS is off");
    await own?.ensure();
    const renew = own === undefined ? {} : { renew: () => own.renewIfDue() };
    const server = await HttpsServer.open({ files, create, clock, log, ...renew });
    return { ...(await this.#listen(server, settings.httpsPort)), fault: () => server.fault };
  }

  async #listen(server: HttpServer | HttpsServer, port: PortSetting): Promise<OpenListener> {
    const { settings, log } = this.#options;
    try {
      const wanted = { host: settings.listen, port, fallback: settings.portFallback };
      return { port: listenOn(server, wanted, log), stop: () => server.stop() };
    } catch (error) {
      await server.stop();
      throw error;
    }
  }
}

/** The page's paths have its headers also on errors. */
function errorHeadersOf({ page }: ApiSettings): (path: string) => Headers {
  return pageErrorHeaders(page === "off" ? [] : (page?.frameAncestors ?? []));
}

function livePackagers({
  soundCodec,
  transcoding,
  site,
  clock,
  log,
  memory,
}: ApiServerOptions): LivePackagers {
  const bytesMax = memory?.packagingBytesMax;
  return new LivePackagers({
    ...{ codec: soundCodec, transcoding, rotationOf: presentRotations(site), clock, log },
    bytesMax,
  });
}
