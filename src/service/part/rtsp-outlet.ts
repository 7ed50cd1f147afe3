import { type Clock, errorText, type Log, NvrdError } from "../../base/index.js";
import { type RtspMounts, withoutSecrets } from "../../compat/index.js";
import { EVENT_TYPES, type EventLog } from "../../event/index.js";
import {
  Listener,
  type ListenerChange,
  type ListenerProblem,
  type OpenListener,
  portsToTry,
} from "../../http/index.js";
import { RtspServer, type Strangers } from "../../rtsp/server/index.js";
import type { Settings } from "../../settings/index.js";
import type { Site, SiteStore } from "../../site/index.js";

/** Maximum number of RTSP connections; further ones are closed at once. */
export const RTSP_CONNECTIONS_MAX = 512;

export interface RtspOutletOptions {
  readonly settings: Pick<Settings, "listen" | "rtspPort" | "portFallback">;
  readonly mounts: Pick<RtspMounts, "resolve">;
  readonly site: SiteStore;
  readonly events: Pick<EventLog, "raise">;
  /** RTSP_CONNECTIONS_MAX by default. */
  readonly connectionsMax?: number;
  readonly strangers: Strangers;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The RTSP server of the service. It listens on the port in the configuration or the settings, and follows changes. An
 * unavailable port is reported by an event and retried every second.
 */
export class RtspOutlet {
  readonly #options: RtspOutletOptions;
  #listener: Listener | undefined;
  #wanted = 0;
  /** An event has reported that it is not listening, and none yet that it is again. */
  #isShut = false;
  /** Serializes changes. */
  #changing: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: RtspOutletOptions) {
    this.#options = options;
    options.site.onChange("rtsp-outlet", () => this.#follow());
  }

  /** The port listened on; 0 if not listening. */
  get port(): number {
    return this.#listener?.port ?? 0;
  }

  /** What is wrong with its port now. */
  get problems(): readonly ListenerProblem[] {
    const problem = this.#listener?.problem;
    return problem === undefined ? [] : [problem];
  }

  /** Resolves when it is listening, or the port is unavailable. */
  start(): Promise<void> {
    this.#follow();
    return this.#changing;
  }

  /** Disconnects all viewers and closes the port. */
  stop(): Promise<void> {
    this.#stopped = true;
    this.#follow();
    return this.#changing;
  }

  #follow(): void {
    const { log } = this.#options;
    this.#changing = this.#changing
      .then(() => this.#change())
      .catch((error: unknown) =>
        log.error({ reason: errorText(error) }, "the RTSP server could not be reconfigured"),
      );
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
      report: (change) => this.#reportListener(change),
      clock,
      log,
    });
    this.#listener = listener;
    await listener.start({ keepTrying: true });
    if (listener.port === 0) return;
    log.info({ listen: settings.listen, port: listener.port }, "RTSP is listening");
    // A failure of the previous port ends now.
    if (this.#isShut) this.#reportListener({ name: "RTSP", shut: undefined });
  }

  #reportListener({ name, shut }: ListenerChange): void {
    this.#isShut = shut !== undefined;
    const { id: typeId } = this.#isShut ? EVENT_TYPES.rtspUnreachable : EVENT_TYPES.rtspReachable;
    this.#options.events.raise({ typeId, comment: shut === undefined ? name : `${name}: ${shut}` });
  }

  /** Rejects with NvrdError NOT_AVAILABLE if no port is available. */
  async #open(wanted: number): Promise<OpenListener> {
    const { settings, log } = this.#options;
    let refusal: unknown;
    for (const port of portsToTry({ port: wanted, fallback: settings.portFallback })) {
      const server = this.#createServer(port);
      try {
        const taken = await server.start();
        if (taken.port !== wanted)
          log.warn(
            { wanted, port: taken.port, reason: errorText(refusal) },
            "the RTSP port is not available: another one is used",
          );
        return { port: taken.port, stop: () => server.stop() };
      } catch (error) {
        refusal ??= error;
        await server.stop();
      }
    }
    const remedy = "choose another (rtspPort, PUT /configure/rtsp), free it, or grant the privilege";
    throw new NvrdError(
      "NOT_AVAILABLE",
      `port ${wanted} is not available (${errorText(refusal)}): ${remedy}`,
    );
  }

  #createServer(port: number): RtspServer {
    const { settings, mounts, clock, log } = this.#options;
    return new RtspServer({
      listen: settings.listen,
      port,
      mounts: (resource, request) => mounts.resolve(resource, request),
      connectionsMax: this.#options.connectionsMax ?? RTSP_CONNECTIONS_MAX,
      strangers: this.#options.strangers,
      udp: true,
      publicUri: withoutSecrets,
      clock,
      log,
    });
  }
}

/** The port in the configuration, otherwise in the settings; 0 if either switches it off. */
function wantedPort(setting: number, { rtsp }: Site): number {
  return setting === 0 || !rtsp.isEnabled ? 0 : (rtsp.tcpPort ?? setting);
}
