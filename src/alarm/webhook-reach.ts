import { lookup as lookupName } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress } from "../base/index.js";

/** Which addresses webhooks may connect to. */
export interface WebhookReach {
  /** Why the host of a URL, where it is an address itself, is not connected to. */
  refusal(url: URL): Error | undefined;
  readonly lookup: LookupFunction;
}

/** Any: the network of the recorder, and the recorder itself. */
export const WEBHOOK_REACH_ANY: WebhookReach = { refusal: () => undefined, lookup: lookupName };

const WEBHOOKS = "webhooks to others are forbidden (webhookPrivateTargets)";
const PUSHES = "push services elsewhere are forbidden (pushPrivateTargets)";

function refused(host: string, why: string): Error {
  return new Error(`${host} is no host of the internet, and ${why}`);
}

/**
 * Hosts of the internet alone. What a name stands for is decided where the connection takes its address from, so that
 * a name server cannot answer the check with one address and the connection with another.
 */
export const WEBHOOK_REACH_PUBLIC: WebhookReach = publicReach(WEBHOOKS);
/** The same for the push services of browsers. */
export const PUSH_REACH_PUBLIC: WebhookReach = publicReach(PUSHES);

function publicReach(why: string): WebhookReach {
  return {
    refusal(url) {
      const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
      return isIP(host) !== 0 && !isPublicAddress(host) ? refused(host, why) : undefined;
    },
    lookup: publicLookup(lookupName, why),
  };
}

/** A look-up of names that knows public addresses only; `lookup` gives all there are. */
export function publicLookup(
  lookup: (
    host: string,
    options: { readonly all: true; readonly family: number },
    done: (error: Error | null, addresses: readonly { address: string; family: number }[]) => void,
  ) => void,
  why = WEBHOOKS,
): LookupFunction {
  return (host, options, callback) => {
    const family = options.family === "IPv4" ? 4 : options.family === "IPv6" ? 6 : (options.family ?? 0);
    lookup(host, { all: true, family }, (error, addresses) => {
      if (error !== null) return callback(error, "");
      const allowed = addresses.filter(({ address }) => isPublicAddress(address));
      const [first] = allowed;
      if (first === undefined) callback(refused(host, why), "");
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
