import type { AwayTarget } from "../site/index.js";
import type { RecorderPlace, S3Target } from "./s3/s3-target.js";
import type { Sealing } from "./send/send-messages.js";

/** Where recordings go: a target of the configuration, or another recorder, where the oldest goes when there is no more room. */
export interface SendTarget extends AwayTarget {
  readonly recorder?: RecorderPlace;
  /** What lies there is of other recorders, whose newest recordings are nowhere else here: it is looked at often, and not kept twice. */
  readonly isOfOthers?: boolean;
}

type Reach = Pick<S3Target, keyof S3Target> & Partial<Pick<AwayTarget, "proxyLogin" | "proxyPassword">>;

/** A target of the configuration as the client of object storage wants it. */
export function s3TargetOf(target: Reach): S3Target {
  const { endpoint, region, bucket, prefix, style, accessKeyId, secretAccessKey, sessionToken } = target;
  const { authority, proxy, recorder } = target;
  return {
    ...{ endpoint, region, bucket, prefix, style, accessKeyId, secretAccessKey, sessionToken, authority },
    proxy: proxy === "" ? "" : withLogin(proxy, target),
    ...(recorder === undefined ? {} : { recorder }),
  };
}

function withLogin(
  proxy: string,
  { proxyLogin = "", proxyPassword = "" }: Partial<Pick<AwayTarget, "proxyLogin" | "proxyPassword">>,
): string {
  if (proxyLogin === "") return proxy;
  const url = new URL(proxy);
  url.username = encodeURIComponent(proxyLogin);
  url.password = encodeURIComponent(proxyPassword);
  return url.href;
}

export function sealingOf({ recipients, identity }: Pick<AwayTarget, "recipients" | "identity">): Sealing {
  return { recipients, identity };
}
