import type { AwayTarget } from "../site/index.js";
import type { S3Target } from "./s3/s3-target.js";

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
