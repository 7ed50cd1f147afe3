import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { type Clock, MS_PER_SECOND, NvrdError, setTimeLimit } from "../../base/index.js";

/** An answer of a provider is no longer: keys and metadata have some 10 kB. */
const ANSWER_BYTES_MAX = 256 * 1024;
export const ANSWER_SECONDS_MAX = 10;
const HEADER_BYTES_MAX = 16_384;

/** What a request to a provider needs. */
interface OidcRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface OidcFetchOptions {
  /** Certificates (PEM) that alone are trusted; empty: the authorities that Node knows. */
  readonly authority: string;
  readonly clock: Clock;
}

/**
 * Requests to a provider, each bounded in time and size, with the trust that the settings say. A redirect is answered as it is: what is
 * sent to a provider goes to nobody else. Rejects with NvrdError NOT_AVAILABLE.
 */
export function oidcFetch({ authority, clock }: OidcFetchOptions) {
  return async (address: string, { method, headers, body }: OidcRequest): Promise<Response> => {
    const url = new URL(address);
    const begin = url.protocol === "https:" ? requestHttps : requestHttp;
    const trust = authority === "" ? {} : { ca: authority };
    const text = body === undefined || body === null ? undefined : String(body);
    const call = begin(url, { method, headers, agent: false, maxHeaderSize: HEADER_BYTES_MAX, ...trust });
    const limit = setTimeLimit(
      clock,
      () => call.destroy(new Error("it does not answer in time")),
      ANSWER_SECONDS_MAX * MS_PER_SECOND,
    );
    try {
      return await new Promise<Response>((resolve, reject) => {
        call.once("error", reject);
        call.once("response", (answer) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          answer.on("data", (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > ANSWER_BYTES_MAX) call.destroy(new Error("its answer is too long"));
            else chunks.push(chunk);
          });
          answer.once("error", reject);
          answer.once("aborted", () => reject(new Error("its answer broke off")));
          answer.once("end", () =>
            resolve(responseOf(answer.statusCode ?? 502, answer.headers, Buffer.concat(chunks))),
          );
        });
        call.end(text);
      });
    } catch (error) {
      throw new NvrdError(
        "NOT_AVAILABLE",
        `${url.host}: ${error instanceof Error ? error.message : String(error)}`,
        {
          cause: error,
        },
      );
    } finally {
      limit.clear();
    }
  };
}

/** Answers that have no body, as `Response` wants it. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

function responseOf(
  status: number,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: Buffer,
): Response {
  const known = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(", ")]],
  );
  const isEmpty = WITHOUT_BODY.has(status);
  return new Response(isEmpty ? null : new Uint8Array(body), {
    status: Math.max(200, status),
    headers: known,
  });
}
