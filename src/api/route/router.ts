import type { Access, Credentials, Principal } from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import {
  type Answer,
  type ApiRequest,
  type ApiResponse,
  answerError,
  answerMessage,
  corsHeaders,
  type RequestContent,
  shown,
} from "../../http/index.js";
import { loggedPath } from "../hls/index.js";
import { readCredentials } from "./credentials.js";
import { RequestCounts } from "./request-counts.js";
import { requireRoute } from "./rights.js";
import type { Route } from "./route.js";
import { matchRoute, type RouteMatch } from "./route-match.js";
import { type KeptAnswer, type RequestContext, type Services, STREAMED } from "./services.js";

export interface RouterOptions {
  readonly routes: readonly Route[];
  readonly services: Services;
  /** Origins that browsers may call from; `*` means any. */
  readonly corsOrigins: readonly string[];
}

/** A request that was let in. */
interface KnownRequest {
  readonly route: Route;
  readonly kept: KeptAnswer;
  readonly credentials: Credentials;
  readonly principal: Principal;
}

/** Takes a request to its endpoint: route, preflight, credentials, rights, answer, log line. */
export class Router {
  readonly #options: RouterOptions;

  /** How requests that come again are answered; goes when the request is remembered no more. */
  readonly #known = new WeakMap<RequestContent, KnownRequest>();

  /** What was answered since the start. */
  readonly counts = new RequestCounts();

  constructor(options: RouterOptions) {
    this.#options = options;
  }

  /** Answers the request; rejects with what is no fault of the request's. */
  async handle(request: ApiRequest, response: ApiResponse): Promise<void> {
    const { services } = this.#options;
    if (services.log.isLevelEnabled("debug")) this.#logWhenDone(request, response);
    response.addHeaders(corsHeaders(this.#options.corsOrigins, request));
    try {
      const answer = await this.#answer(request, response);
      if (answer !== undefined) response.send(answer);
    } catch (error) {
      if (!(error instanceof NvrdError) || !response.open) throw error;
      const { code, message } = error;
      services.log.debug({ request: request.id, code, reason: message }, "request refused");
      response.send(answerError(error, request.path));
    }
  }

  /**
   * The answer to a request that was let in before, where its route keeps it. The login is recalled each time. It gives
   * the same principal only as long as the configuration is the same, and with it the rights that were asked then.
   */
  kept(id: string, content: RequestContent): Answer | undefined {
    const known = this.#known.get(content);
    if (known === undefined) return undefined;
    const { services } = this.#options;
    const principal = services.access.recall(known.credentials);
    if (principal === undefined || principal !== known.principal) return undefined;
    const answer = known.kept({ services, content, principal });
    if (answer !== undefined) this.counts.add(known.route, answer.status);
    if (answer !== undefined && services.log.isLevelEnabled("debug")) {
      const { method, path, address } = content;
      services.log.debug({ request: id, method, path, address, status: answer.status }, "request answered");
    }
    return answer;
  }

  async #answer(request: ApiRequest, response: ApiResponse): Promise<Answer | undefined> {
    const { services, routes } = this.#options;
    const match = matchRoute(routes, request.method, request.path);
    response.onClose(() => this.counts.add(match?.route, response.status));
    if (match === undefined) return answerMessage(404, unknownPath(routes, request.path), request.path);
    if (request.method === "OPTIONS") return this.#preflight(request, match);
    if (match.route === undefined) return wrongMethod(request, match);
    if (match.route.needs === "name") return this.#answerNamed(match.route, match, request, response);
    const credentials = readCredentials(request);
    const known = authenticate(services.access, credentials);
    const principal = known instanceof Promise ? await known : known;
    requireRoute(match.route, principal, services.productType);
    const { kept } = match.route;
    // With an Origin the answer has headers of its own.
    if (kept !== undefined && request.header("origin") === undefined)
      this.#known.set(request.content, { route: match.route, kept, credentials, principal });
    if (response.finished) return undefined;
    const { pathValues } = match;
    const context: RequestContext = {
      services,
      request,
      response,
      principal,
      credentials,
      pathValues,
      // A log of its own costs more than a short request: those that log, ask for it.
      get log() {
        return services.log.child({ request: request.id });
      },
    };
    const result = match.route.endpoint(context);
    const answer = result instanceof Promise ? await result : result;
    return answer === STREAMED ? undefined : answer;
  }

  /** What a name lets in: whose it is, and whether it still may, was looked at where it was given and since. */
  async #answerNamed(
    route: Route & { readonly needs: "name" },
    { pathValues }: RouteMatch,
    request: ApiRequest,
    response: ApiResponse,
  ): Promise<Answer | undefined> {
    const { services } = this.#options;
    const log = services.log.child({ request: request.id });
    const answer = await route.endpoint({ services, request, response, pathValues, log });
    return answer === STREAMED ? undefined : answer;
  }

  #logWhenDone(request: ApiRequest, response: ApiResponse): void {
    const { clock, log } = this.#options.services;
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

  #preflight(request: ApiRequest, match: RouteMatch): Answer {
    const cors = corsHeaders(this.#options.corsOrigins, request, match.methods).filter(
      ([name]) => name.startsWith("Access-Control-") && name !== "Access-Control-Allow-Origin",
    );
    // Not 204: the library adds a Content-Length, which RFC 9110 (8.6) forbids there.
    return { status: 200, headers: [["Allow", match.methods.join(", ")], ...cors], body: new Uint8Array(0) };
  }
}

/** The principal of the credentials: remembered ones at once, others after the check. */
export function authenticate(access: Access, credentials: Credentials): Principal | Promise<Principal> {
  return access.recall(credentials) ?? access.verify(credentials);
}

function wrongMethod(request: ApiRequest, match: RouteMatch): Answer {
  const allow = match.methods.join(", ");
  const message = `${shown(request.method)} is not possible on ${shown(request.path)}: use ${allow}`;
  return answerMessage(405, message, request.path, [["Allow", allow]]);
}

function unknownPath(routes: readonly Route[], path: string): string {
  const known = [...new Set(routes.map((route) => route.path))].join(", ");
  return `there is nothing at ${shown(path)}; this version has ${known}`;
}
