import type { Access, Credentials, Principal } from "../access/index.js";
import { whenKnown } from "../archive/index.js";
import { type Clock, type Log, NvrdError, noteWait, noteWork, US_PER_MS } from "../base/index.js";
import type { RequestCount } from "../health/index.js";
import {
  type Answer,
  type ApiRequest,
  type ApiResponse,
  answerError,
  answerMessage,
  corsHeaders,
  type Headers,
  type RequestContent,
  shown,
} from "../http/index.js";
import type { User } from "../site/index.js";
import { languageOf, refusalIn } from "./answer/refusal-words.js";
import { JsonBodies } from "./body/json-body.js";
import {
  type CachedAnswer,
  type EndpointResult,
  LoggedInRequest,
  OpenRequest,
  STREAMED,
} from "./endpoint/context.js";
import { requireRoute } from "./endpoint/rights.js";
import { isOpenRoute, type LoginRoute, type OpenRoute, type Route } from "./endpoint/route.js";
import type { RouteMatch, RouteTable } from "./endpoint/route-table.js";
import { untilGone } from "./endpoint/until-gone.js";
import { requireWelcomePage } from "./login/foreign-page.js";
import { isOfHub } from "./login/hub-login.js";
import { isOfPage, withoutDialog } from "./login/own-page.js";
import type { RequestLogin } from "./login/request-login.js";
import type { SessionCookie } from "./login/session-cookie.js";
import type { StrangerTime } from "./login/stranger-time.js";

type RouteName = { readonly method: string; readonly path: string };
/** Counts all requests to unknown paths as one route. */
const OTHER: RouteName = { method: "other", path: "other" };

/** What only pages ask for. */
const SESSION_PATH = /^\/api\/sessions?(?:\/|$)/;

export interface RouterOptions<Needs> {
  readonly routes: RouteTable<Needs>;
  /** The needs of the endpoints. */
  readonly needs: Needs;
  readonly access: Access;
  readonly login: RequestLogin;
  readonly cookie: SessionCookie;
  readonly clock: Clock;
  readonly log: Log;
  /** What strangers may have of the main thread, over HTTP and elsewhere. */
  readonly strangers: StrangerTime;
  /** Type of the licence: the configuration API needs Enterprise or Ultra. */
  readonly productType: string;
  /** Origins that browsers may call from; `*` means any, for what only reads. */
  readonly corsOrigins: readonly string[];
  /** Why a request is not answered by its endpoint; nothing is refused when absent. */
  readonly refusal?: RequestRefusal | undefined;
  /** What error answers say besides, by the path. */
  errorHeaders(path: string): Headers;
  /** Called when a hub's user has changed something, or may have. */
  readonly actedThroughHub?: (user: User, request: Pick<ApiRequest, "method" | "path">) => void;
  /** The path for the log, without a name that gives access. */
  loggedPath(path: string): string;
}

/** Why a request is not answered by its endpoint; undefined: it is. */
export type RequestRefusal = (request: {
  /** Lower case. */
  readonly path: string;
  /** The parameter of that name, lower case. */
  readonly type: string | undefined;
  /** Whether it may change something. */
  readonly changes: boolean;
}) => NvrdError | undefined;

/** A request that was accepted. */
interface KnownRequest<Needs> {
  readonly route: Route;
  readonly kept: CachedAnswer<Needs>;
  readonly credentials: Credentials;
  readonly principal: Principal;
}

/** Passes a request to its endpoint: route, preflight, credentials, rights, answer, log line. */
export class Router<Needs> {
  readonly #options: RouterOptions<Needs>;

  /** How repeated requests are answered; an entry is dropped together with the cached request. */
  readonly #known = new WeakMap<RequestContent, KnownRequest<Needs>>();

  /** Counters of answers since the start. */
  readonly counts = new RequestCounts();

  readonly #bodies = new JsonBodies();

  constructor(options: RouterOptions<Needs>) {
    this.#options = options;
  }

  /** Answers the request; rejects with internal errors. */
  async handle(request: ApiRequest, response: ApiResponse): Promise<void> {
    const { log } = this.#options;
    if (log.isLevelEnabled("debug")) this.#logWhenDone(request, response);
    response.addHeaders(corsHeaders(this.#options.corsOrigins, request));
    try {
      const answer = await this.#answerInTime(request, response);
      if (answer === undefined || answer === STREAMED) return;
      if (answer.status >= 400) response.addHeaders(this.#options.errorHeaders(request.path));
      response.send(answer);
    } catch (error) {
      if (!(error instanceof NvrdError) || !response.open) throw error;
      const { code, message } = error;
      log.debug({ request: request.id, code, reason: message }, "request refused");
      const language = languageOf(request);
      const answer = answerError(error, request.path, undefined, (status, text) =>
        refusalIn(language, status, text),
      );
      response.addHeaders(this.#options.errorHeaders(request.path));
      response.send(
        error.code === "UNAUTHORIZED" && this.#isOfPage(request) ? withoutDialog(answer) : answer,
      );
    }
  }

  /** The cookie of a session that has ended reveals the page's pictures as well, of which a browser says nothing over HTTP. */
  #isOfPage({ content }: ApiRequest): boolean {
    return SESSION_PATH.test(content.path) || isOfPage(content) || this.#options.cookie.isSent(content);
  }

  /**
   * The cached answer to a request that was accepted before, if its route supports that. The login is recalled each time. It
   * gives the same principal only while the configuration is the same, and then the rights checked before are still valid.
   */
  kept(id: string, content: RequestContent): Answer | undefined {
    const known = this.#known.get(content);
    if (known === undefined) return undefined;
    const { needs, access, log } = this.#options;
    const principal = access.recall(known.credentials);
    if (principal === undefined || principal !== known.principal) return undefined;
    const answer = known.kept({ needs, content, principal });
    if (answer !== undefined) this.counts.add(known.route, answer.status);
    if (answer !== undefined && log.isLevelEnabled("debug")) {
      const { method, path, address } = content;
      log.debug({ request: id, method, path, address, status: answer.status }, "request answered");
    }
    return answer;
  }

  /** What is done at once for a stranger counts; what follows a wait is bounded by what one waits for. */
  #answerInTime(
    request: ApiRequest,
    response: ApiResponse,
  ): EndpointResult | undefined | Promise<EndpointResult | undefined> {
    const { strangers, clock, routes } = this.#options;
    const match = routes.match(request.method, request.path);
    response.onClose(() => this.counts.add(match?.route, response.status));
    // A name was given to somebody who may.
    if (isOfHub(request.content) || match?.route?.login === "name" || !strangers.has(request.address))
      return this.#answer(match, request, response);
    const startedUs = clock.monotonicUs();
    try {
      strangers.require(request.address);
      return this.#answer(match, request, response);
    } finally {
      strangers.spent(request.address, (clock.monotonicUs() - startedUs) / US_PER_MS);
    }
  }

  /** Not `async`, nor is what follows of an open route: players of HLS wait here by hundreds, and each step would hold memory. */
  #answer(
    match: RouteMatch<Needs> | undefined,
    request: ApiRequest,
    response: ApiResponse,
  ): EndpointResult | undefined | Promise<EndpointResult | undefined> {
    if (match === undefined) return answerMessage(404, unknownPath(request.path), request.path);
    if (request.method === "OPTIONS") return this.#preflight(request, match);
    const { route, pathValues } = match;
    if (route === undefined) return wrongMethod(request, match);
    if (isOfHub(request.content) && route.login === "none" && !isReading(request))
      throw new NvrdError("FORBIDDEN", "this is not possible through a hub", {
        hint: "ask the recorder itself",
      });
    if (route.isForAllPages !== true && (this.#startsWork(request, route) || this.#isChange(request, route)))
      requireWelcomePage(request.content, this.#options.corsOrigins);
    return isOpenRoute(route)
      ? this.#answerOpen(route, pathValues, request, response)
      : this.#answerUser(route, pathValues, request, response);
  }

  /** HEAD has the effects of GET. A browser lets any page open a WebSocket. */
  #isChange(request: ApiRequest, route: Route): boolean {
    if (request.content.header("upgrade") !== undefined || route.method !== "GET") return true;
    const done = this.#doneBy(request, route);
    return done === undefined || done.changes?.(request) === true;
  }

  #startsWork(request: ApiRequest, route: Route): boolean {
    return this.#doneBy(request, route)?.startsWork === true;
  }

  /** The route that answers in the end; undefined: it is another recorder's, and not known here. */
  #doneBy(request: ApiRequest, route: Route): Route | undefined {
    if (route.passesOn === undefined) return route;
    return this.#options.routes.match("GET", route.passesOn(request.path))?.route;
  }

  async #answerUser(
    route: LoginRoute<Needs>,
    pathValues: RouteMatch<Needs>["pathValues"],
    request: ApiRequest,
    response: ApiResponse,
  ): Promise<EndpointResult | undefined> {
    const { needs, login, log, productType } = this.#options;
    const { nobody } = route;
    if (nobody !== undefined && !(await login.isSomebody(request.content))) {
      const answer = nobody(request);
      if (answer !== undefined) return answer;
    }
    const isChange = this.#isChange(request, route);
    const credentials = login.credentials(request.content, isChange);
    const known = login.principal(credentials);
    const principal = known instanceof Promise ? await known : known;
    if (route.withFirstPassword !== true) login.requireOwnPassword(credentials, principal);
    requireRoute(route, principal, productType);
    this.#requireServed(request, route);
    if (isOfHub(request.content) && isChange && route.isNoAct !== true)
      this.#reportAct(principal, request, response);
    const { kept } = route;
    // With an Origin header the answer has additional headers.
    if (kept !== undefined && request.header("origin") === undefined)
      this.#known.set(request.content, { route, kept, credentials, principal });
    if (this.#bodies.isLarge(request.body)) await this.#bodies.parse(request.body);
    if (response.finished) return undefined;
    const context = new LoggedInRequest({
      needs,
      request,
      response,
      principal,
      credentials,
      pathValues,
      log,
    });
    const { endpoint } = route;
    return await this.#whenKnown(request, response, () => this.#timed(route, () => endpoint(context)));
  }

  #reportAct({ user }: Principal, request: ApiRequest, response: ApiResponse): void {
    response.onClose(() => {
      if (response.status < 400) this.#options.actedThroughHub?.(user, request);
    });
  }

  /**
   * Answers a request of everybody, or one with a name: its user and rights were checked when the name was issued, and are
   * rechecked with every change.
   */
  #answerOpen(
    route: OpenRoute<Needs>,
    pathValues: RouteMatch<Needs>["pathValues"],
    request: ApiRequest,
    response: ApiResponse,
  ): Promise<EndpointResult> {
    const { needs, log } = this.#options;
    const context = new OpenRequest({ needs, request, response, pathValues, log });
    return this.#whenKnown(request, response, () => this.#timed(route, () => route.endpoint(context)));
  }

  /** Throws NvrdError where this server does not serve what is asked. */
  #requireServed(request: ApiRequest, route: Route): void {
    const changes = !isReading(request) || route.changes?.(request) === true;
    const refused = this.#options.refusal?.({
      ...{ path: request.path, type: request.query.getFilled("type")?.toLowerCase(), changes },
    });
    if (refused !== undefined) throw refused;
  }

  /** Recordings far away may have to be looked up first. What reads only may be begun anew as long as nothing of it was sent. */
  #whenKnown<T>(request: ApiRequest, response: ApiResponse, endpoint: () => T | Promise<T>): Promise<T> {
    return whenKnown(endpoint, this.#options.clock, {
      mayAskAgain: () => isReading(request) && response.open,
      gone: () => untilGone({ response }),
    });
  }

  /** Notes an endpoint that holds the main thread, by its route: what was sent is not for the log. */
  #timed<T>({ method, path, login }: Route, endpoint: () => T): T {
    const { clock } = this.#options;
    const startedUs = clock.monotonicUs();
    const tookMs = (): number => (clock.monotonicUs() - startedUs) / US_PER_MS;
    const name = `${method} ${path}`;
    let result: T;
    try {
      result = endpoint();
    } finally {
      noteWork(name, tookMs());
    }
    // Players of HLS wait by hundreds: that they did says nothing.
    if (result instanceof Promise && login !== "name") {
      const ended = (): void => noteWait(name, tookMs());
      result.then(ended, ended);
    }
    return result;
  }

  #logWhenDone(request: ApiRequest, response: ApiResponse): void {
    const { clock, log, loggedPath } = this.#options;
    const startedUs = clock.monotonicUs();
    response.onClose(() => {
      const { method, address } = request;
      const path = loggedPath(request.path);
      const tookMs = Math.round((clock.monotonicUs() - startedUs) / 1000);
      log.debug(
        { request: request.id, method, path, address, status: response.status, tookMs },
        "request done",
      );
    });
  }

  #preflight(request: ApiRequest, match: RouteMatch<Needs>): Answer {
    const cors = corsHeaders(this.#options.corsOrigins, request, match.methods).filter(
      ([name]) => name.startsWith("Access-Control-") && name !== "Access-Control-Allow-Origin",
    );
    // Not 204: the library adds a Content-Length, which RFC 9110 (8.6) forbids there.
    return { status: 200, headers: [["Allow", match.methods.join(", ")], ...cors], body: new Uint8Array(0) };
  }
}

function isReading({ method }: ApiRequest): boolean {
  return method === "GET" || method === "HEAD";
}

function wrongMethod(request: ApiRequest, match: RouteMatch<never>): Answer {
  const allow = match.methods.join(", ");
  const message = `${shown(request.method)} is not possible on ${shown(request.path)}: use ${allow}`;
  return answerMessage(405, message, request.path, [["Allow", allow]]);
}

function unknownPath(path: string): string {
  return `there is no path ${shown(path)}: GET /openapi.json lists those that there are`;
}

/** Counts answers by route and status; the number of counters does not depend on the requests. */
class RequestCounts {
  readonly #counts = new Map<RouteName, Map<number, number>>();

  /** Counts an answer of `route`; status 0: the client disconnected first. */
  add(route: Route | undefined, status: number): void {
    const key = route ?? OTHER;
    let statuses = this.#counts.get(key);
    if (statuses === undefined) {
      statuses = new Map();
      this.#counts.set(key, statuses);
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }

  read(): readonly RequestCount[] {
    return [...this.#counts].flatMap(([{ method, path }, statuses]) =>
      [...statuses].map(([status, count]) => ({ method, route: path, status, count })),
    );
  }
}
