import type { Guid } from "../base/index.js";
import type { PushSubscription } from "./push-subscription.js";

/** How the last message to a browser went. */
export interface PushResult {
  /** Unix µs. */
  readonly timeUs: number;
  readonly isTest: boolean;
  /** Undefined: the push service has taken it. */
  readonly problem: string | undefined;
  /** Whether the push service answered at all; absent where there is no problem. */
  readonly isReached?: boolean;
}

/** The messages to browsers as the API sees them. */
export interface PushControl {
  /** The key that a browser subscribes with. */
  publicKey(): Promise<string>;
  readonly subscriptions: readonly PushSubscription[];
  /** Undefined: nothing was sent since the start. */
  resultOf(id: Guid): PushResult | undefined;
  /** A browser's own address replaces what was subscribed with it before. Rejects with CONFLICT where there are too many. */
  subscribe(wanted: Omit<PushSubscription, "id" | "sinceUs">): Promise<PushSubscription>;
  change(subscription: PushSubscription): Promise<void>;
  remove(id: Guid): Promise<void>;
  /** Sends a test message. Rejects with TOO_MANY_REQUESTS. */
  test(subscription: PushSubscription): Promise<PushResult>;
}
