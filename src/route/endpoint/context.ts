import type { Credentials, Principal } from "../../access/index.js";
import type { Log } from "../../base/index.js";
import type { Answer, ApiRequest, ApiResponse, RequestContent } from "../../http/index.js";

/** One authenticated request on its way to its endpoint, and what the endpoint's topic needs. */
export interface RequestContext<Needs = unknown> {
  readonly needs: Needs;
  readonly request: ApiRequest;
  /** For endpoints that stream; others return their answer. */
  readonly response: ApiResponse;
  readonly principal: Principal;
  readonly credentials: Credentials;
  /** The values of the path's `{…}` parts. */
  readonly pathValues: ReadonlyMap<string, string>;
  readonly log: Log;
}

/** A repeated authenticated request. */
export type KeptContext<Needs = unknown> = Pick<RequestContext<Needs>, "needs" | "principal"> & {
  readonly content: RequestContent;
};

/** Returns a cached answer; undefined: the endpoint answers. Must not start any work. */
export type CachedAnswer<Needs = unknown> = (context: KeptContext<Needs>) => Answer | undefined;

/** A request without credentials, of everybody or authorized by a name in its path. */
export type NamedContext<Needs = unknown> = Omit<RequestContext<Needs>, "principal" | "credentials">;

/** Returned by an endpoint that answers through the response itself. */
export const STREAMED = Symbol("streamed");

export type EndpointResult = Answer | typeof STREAMED;

export type Endpoint<Needs = unknown> = (
  context: RequestContext<Needs>,
) => EndpointResult | Promise<EndpointResult>;

export type NamedEndpoint<Needs = unknown> = (
  context: NamedContext<Needs>,
) => EndpointResult | Promise<EndpointResult>;

/**
 * A request without credentials. A class, because an object with a getter of its own costs more than all else that is done for a short
 * request: each has a shape of its own then.
 */
export class OpenRequest<Needs> implements NamedContext<Needs> {
  readonly needs: Needs;
  readonly request: ApiRequest;
  readonly response: ApiResponse;
  readonly pathValues: ReadonlyMap<string, string>;
  readonly #log: Log;

  constructor(options: NamedContext<Needs>) {
    this.needs = options.needs;
    this.request = options.request;
    this.response = options.response;
    this.pathValues = options.pathValues;
    this.#log = options.log;
  }

  /** Made when it is asked for, because a child logger costs more than a short request. */
  get log(): Log {
    return this.#log.child({ request: this.request.id });
  }
}

/** A request with credentials. */
export class LoggedInRequest<Needs> extends OpenRequest<Needs> implements RequestContext<Needs> {
  readonly principal: Principal;
  readonly credentials: Credentials;

  constructor(options: RequestContext<Needs>) {
    super(options);
    this.principal = options.principal;
    this.credentials = options.credentials;
  }
}
