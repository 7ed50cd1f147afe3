import { type RtspMounts, withoutSecrets } from "../../api/index.js";
import { type Clock, errorText, type Log, NvrdError } from "../../base/index.js";
import { EVENT_TYPES, type EventLog } from "../../event/index.js";
import { Listener, type ListenerChange, type OpenListener, portsToTry } from "../../http/index.js";
import { RtspServer } from "../../rtsp/server/index.js";
import type { Settings } from "../../settings/index.js";
import type { Site, SiteStore } from "../../site/index.js";

/** Most RTSP connections at a time; a further one is closed at once. */
export const RTSP_CONNECTIONS_MAX = 512;

export interface RtspOutletOptions {
  readonly settings: Pick<Settings, "listen" | "rtspPort" | "portFallback">;
  readonly mounts: Pick<RtspMounts, "resolve">;
  readonly site: SiteStore;
  readonly events: Pick<EventLog, "raise">;
  /** RTSP_CONNECTIONS_MAX by default. */
  readonly connectionsMax?: number;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The service's RTSP server: listens where the configuration and the settings say, and follows their changes. A port
 * that cannot be had stops nothing: it is told by an event and tried each second.
 */
export class RtspOutlet {
  readonly #options: RtspOutletOptions;
  #listener: Listener | undefined;
  #wanted = 0;
  /** Told as an event, and not yet told to be over. */
  #isShut = false;
  /** One change after the other. */
  #changing: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: RtspOutletOptions) {
    this.#options = options;
    options.site.onChange("rtsp-outlet", () => this.#follow());
  }

  /** The port listened on; 0 while there is none. */
  get port(): number {
    return this.#listener?.port ?? 0;
  }

  /** Resolves when it listens, or it is known that the port cannot be had now. */
  start(): Promise<void> {
    this.#follow();
    return this.#changing;
  }

  /** Ends all viewers and closes the port. */
  stop(): Promise<void> {
    this.#stopped = true;
    this.#follow();
    return this.#changing;
  }

  #follow(): void {
    const { log } = this.#options;
    this.#changing = this.#changing
      .then(() => this.#change())
      .catch((error: unknown) => log.error({ reason: errorText(error) }, "the RTSP outlet did not change"));
  }

  async #change(): Promise<void> {
    const { settings, site, log } = this.#options;
    const wanted = this.#stopped ? 0 : wantedPort(settings.rtspPort, site.current);
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    const before = this.#listener;
    this.#listener = undefined;
    await before?.stop();
    if (wanted === 0) {
      if (!this.#stopped) log.info("RTSP is switched off");
      return;
    }
    const { clock } = this.#options;
    const listener = new Listener({
      name: "RTSP",
      subject: "RTSP outlet",
      open: () => this.#open(wanted),
      tell: (change) => this.#tell(change),
      clock,
      log,
    });
    this.#listener = listener;
    await listener.start({ keepTrying: true });
    if (listener.port === 0) return;
    log.info({ listen: settings.listen, port: listener.port }, "RTSP is listening");
    // What another port could not be had for is over with this one.
    if (this.#isShut) this.#tell({ name: "RTSP", shut: undefined });
  }

  #tell({ name, shut }: ListenerChange): void {
    this.#isShut = shut !== undefined;
    const { id: typeId } = this.#isShut ? EVENT_TYPES.rtspUnreachable : EVENT_TYPES.rtspReachable;
    this.#options.events.raise({ typeId, comment: shut === undefined ? name : `${name}: ${shut}` });
  }

  /** Rejects with NvrdError NOT_AVAILABLE when no port can be had. */
  async #open(wanted: number): Promise<OpenListener> {
    const { settings, log } = this.#options;
    let refusal: unknown;
    for (const port of portsToTry({ port: wanted, fallback: settings.portFallback })) {
      const server = this.#createServer(port);
      try {
        const taken = await server.start();
        if (taken.port !== wanted)
          log.warn({ wanted, port: taken.port }, "RTSP port is taken: another one is used");
        return { port: taken.port, stop: () => server.stop() };
      } catch (error) {
        refusal ??= error;
        await server.stop();
      }
    }
    const remedy = "choose another (rtspPort, PUT /configure/rtsp), or allow it and free it";
    throw new NvrdError("NOT_AVAILABLE", `port ${wanted} cannot be had (${errorText(refusal)}): ${remedy}`);
  }

  #createServer(port: number): RtspServer {
    const { settings, mounts, clock, log } = this.#options;
    return new RtspServer({
      listen: settings.listen,
      port,
      mounts: (resource, request) => mounts.resolve(resource, request),
      connectionsMax: this.#options.connectionsMax ?? RTSP_CONNECTIONS_MAX,
      udp: true,
      publicUri: withoutSecrets,
      clock,
      log,
    });
  }
}

/** The configuration's port, else the setting's; 0 where either switches it off. */
function wantedPort(setting: number, { rtsp }: Site): number {
  return setting === 0 || !rtsp.isEnabled ? 0 : (rtsp.tcpPort ?? setting);
}
