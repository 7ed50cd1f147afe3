import type { AwayTarget } from "../site/index.js";
import type { AwayTargetState } from "./replication.js";
import type { S3Target } from "./s3/s3-target.js";
import type { TargetProblem } from "./target-check.js";

/** Recordings off the box, as other rooms see them. */
export interface AwayControl {
  /** The targets that are on. */
  states(): readonly AwayTargetState[];
  /**
   * Tries all that replication needs of a target; undefined: all of it works. Takes at most 30 s. Rejects with NvrdError
   * TOO_MANY_REQUESTS.
   */
  check(target: AwayTarget): Promise<TargetProblem | undefined>;
}

type Reach = Pick<AwayTarget, "proxyLogin" | "proxyPassword" | keyof S3Target>;

/** A target of the configuration as the client of object storage wants it. */
export function s3TargetOf(target: Reach): S3Target {
  const { endpoint, region, bucket, prefix, style, accessKeyId, secretAccessKey, sessionToken } = target;
  const { authority, proxy } = target;
  return {
    ...{ endpoint, region, bucket, prefix, style, accessKeyId, secretAccessKey, sessionToken, authority },
    proxy: proxy === "" ? "" : withLogin(proxy, target),
  };
}

function withLogin(
  proxy: string,
  { proxyLogin, proxyPassword }: Pick<AwayTarget, "proxyLogin" | "proxyPassword">,
): string {
  if (proxyLogin === "") return proxy;
  const url = new URL(proxy);
  url.username = encodeURIComponent(proxyLogin);
  url.password = encodeURIComponent(proxyPassword);
  return url.href;
}
