import type { ServerHttp2Session } from "node:http2";
import { connect, type TLSSocket } from "node:tls";
import { type Clock, type ClockTimer, errorText, US_PER_MS } from "../../base/index.js";
import { HUB_NAME } from "../join/hub-name.js";
import type { Gate } from "./gate.js";
import type { HubPlaceName } from "./hub-places.js";
import type { LinkProblem, LinkRole, LinkState, LinkTarget } from "./link-messages.js";
import { RedialWait } from "./redial-wait.js";

/** From the first packet to the end of the handshake. */
const CONNECT_MS_MAX = 20_000;
/** The hub is asked so often whether it is there, and has so long to answer. */
const PING_MS = 20_000;
const PONG_MS_MAX = 15_000;
/** A connection that the hub ends so soon was refused: with TLS 1.3 it sees the certificate after the box's handshake. */
const REFUSED_WITHIN_MS = 5_000;

export interface DialerOptions {
  readonly target: Omit<LinkTarget, "places">;
  readonly place: HubPlaceName;
  readonly role: LinkRole;
  readonly gate: Gate;
  readonly onState: (state: LinkState) => void;
  readonly random?: () => number;
  readonly clock: Clock;
}

/** One connection from a box to its hub, opened anew whenever it ends. */
export class Dialer {
  readonly #options: DialerOptions;
  readonly #wait: RedialWait;
  #socket: TLSSocket | undefined;
  #timer: ClockTimer | undefined;
  #pings: ClockTimer | undefined;
  /** Monotonic; undefined: not connected. */
  #connectedUs: number | undefined;
  #problem: LinkProblem | undefined;
  #isStopped = false;

  constructor(options: DialerOptions) {
    this.#options = options;
    this.#wait = new RedialWait(options.random);
  }

  start(): void {
    this.#dial();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.clear();
    this.#socket?.destroy();
  }

  #dial(): void {
    const { target, place, clock } = this.#options;
    const { host, port } = place;
    const { authority, certificate, key } = target;
    const socket = connect({
      ...{ host, port, ca: authority, cert: certificate, key, servername: HUB_NAME },
      ...{ minVersion: "TLSv1.3", ALPNProtocols: ["h2"] },
    });
    this.#socket = socket;
    this.#problem = undefined;
    let fault = "";
    socket.setNoDelay(true);
    this.#timer = clock.setTimeout(() => socket.destroy(new Error("no answer")), CONNECT_MS_MAX);
    socket.on("error", (error) => {
      fault = errorText(error);
      if (isForeign(error)) this.#problem = "foreign";
    });
    socket.on("secureConnect", () => this.#connected(socket));
    socket.on("close", () => this.#ended(fault));
  }

  #connected(socket: TLSSocket): void {
    const { clock, gate, role, onState } = this.#options;
    this.#timer?.clear();
    this.#connectedUs = clock.monotonicUs();
    const session = gate.serve(socket, role);
    this.#pings = clock.setInterval(() => this.#ping(session, socket), PING_MS);
    onState({ isConnected: true, problem: undefined, detail: "" });
  }

  #ping(session: ServerHttp2Session, socket: TLSSocket): void {
    if (session.destroyed) return;
    const late = this.#options.clock.setTimeout(() => {
      this.#problem = "silent";
      socket.destroy();
    }, PONG_MS_MAX);
    const isSent = session.ping(() => late.clear());
    if (!isSent) late.clear();
  }

  #ended(fault: string): void {
    const { clock, onState } = this.#options;
    this.#timer?.clear();
    this.#pings?.clear();
    const connectedUs = this.#connectedUs;
    this.#connectedUs = undefined;
    if (this.#isStopped) return;
    const lastedMs = connectedUs === undefined ? 0 : (clock.monotonicUs() - connectedUs) / US_PER_MS;
    const problem = this.#problem ?? problemOf(connectedUs !== undefined, lastedMs);
    onState({ isConnected: false, problem, detail: fault });
    this.#timer = clock.setTimeout(() => this.#dial(), this.#wait.next(lastedMs));
  }
}

function problemOf(wasConnected: boolean, lastedMs: number): LinkProblem {
  if (!wasConnected) return "unreachable";
  return lastedMs < REFUSED_WITHIN_MS ? "refused" : "ended";
}

/** Whether a certificate that is not of the hub's authority answers, or one that is not a hub's. */
function isForeign(error: NodeJS.ErrnoException): boolean {
  return /^(?:SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_|ERR_TLS_CERT|INVALID_PURPOSE)/.test(error.code ?? "");
}
