import type { Clock } from "../../base/index.js";
import { US_PER_MS } from "../../base/index.js";
import type { S3Target } from "./s3-target.js";

type Signer = typeof import("aws4fetch").AwsV4Signer;

/** The request that is signed; of the body only its digest. */
export interface Unsigned {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, hexadecimal. */
  readonly sha256: string;
}

/** Signs requests with AWS Signature Version 4. The body's SHA-256 is signed too, so a server that checks it refuses any other. */
export class S3Signature {
  readonly #target: S3Target;
  readonly #clock: Pick<Clock, "nowUs">;
  /** Keys derived from the secret, by day. */
  readonly #cache = new Map<string, ArrayBuffer>();
  #signer: Signer | undefined;

  constructor(target: S3Target, clock: Pick<Clock, "nowUs">) {
    this.#target = target;
    this.#clock = clock;
  }

  /** All headers of the request, signed for now. */
  async headersOf({ method, url, headers, sha256 }: Unsigned): Promise<Record<string, string>> {
    const { accessKeyId, secretAccessKey, sessionToken, region } = this.#target;
    // Loaded for the first request: most recorders send nothing away.
    this.#signer ??= (await import("aws4fetch")).AwsV4Signer;
    // A day's key is derived once; those of earlier days are not needed again.
    if (this.#cache.size > 1) this.#cache.clear();
    const now = new Date(Math.floor(this.#clock.nowUs() / US_PER_MS)).toISOString();
    const signer = new this.#signer({
      method,
      url: url.href,
      headers: { ...headers, "X-Amz-Content-Sha256": sha256 },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === "" ? {} : { sessionToken }),
      service: "s3",
      region,
      cache: this.#cache,
      datetime: now.replaceAll(/[:-]|\.\d{3}/g, ""),
    });
    const signed = await signer.sign();
    return Object.fromEntries(signed.headers.entries());
  }
}
