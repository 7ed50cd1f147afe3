import type { PushKey, PushResultItem, PushSubscriptionItem } from "../../contract/answer/index.js";
import type { SelectionDraft } from "../settings/alarms/draft.js";
import { selectionBody } from "../settings/alarms/draft.js";
import { at, place } from "../state/place.js";
import { request, requestJson } from "../state/request.js";
import { language } from "../words/language.js";

const PUSH = "/api/push";
const LIST = `${PUSH}/subscriptions`;
const WORKER = "/worker.js";

/** A browser that is notified of events. */
export type Subscription = PushSubscriptionItem;
export type PushResult = PushResultItem;

/** Why this browser cannot be notified. */
export type Obstacle = "insecure" | "unable" | "install" | "blocked";

/** What keeps this browser from messages; undefined: nothing that is known before it is tried. */
export function obstacle(): Obstacle | undefined {
  if (!isSecureContext) return "insecure";
  if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)
    return Notification.permission === "denied" ? "blocked" : undefined;
  // Safari on a phone offers messages to pages on the home screen alone.
  return /iPhone|iPad/.test(navigator.userAgent) ? "install" : "unable";
}

/** The browser refuses: its certificate check, its owner, or its own push service. */
export class BrowserRefusal extends Error {
  readonly why: "certificate" | "blocked" | "service";

  constructor(why: BrowserRefusal["why"], cause: unknown) {
    super(why, { cause });
    this.why = why;
  }
}

export function readSubscriptions(): Promise<readonly Subscription[]> {
  return requestJson<readonly Subscription[]>(LIST);
}

/** Subscribes this browser to events. Rejects with RequestError or BrowserRefusal. */
export async function subscribe(name: string, draft: SelectionDraft): Promise<Subscription> {
  const { PublicKey } = await requestJson<PushKey>(PUSH);
  const { endpoint, keys } = await browserSubscription(PublicKey);
  const body = {
    ...{ Name: name, Language: language.value, Endpoint: endpoint },
    ...{ Keys: { P256dh: keys?.p256dh, Auth: keys?.auth }, ...selectionBody(draft) },
  };
  return requestJson<Subscription>(LIST, { method: "POST", body });
}

async function browserSubscription(key: string): Promise<PushSubscriptionJSON> {
  const worker = await register();
  if ((await Notification.requestPermission()) !== "granted") throw new BrowserRefusal("blocked", undefined);
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    const present = await worker.pushManager.getSubscription();
    // It may belong to a recorder that was at this address before, and has another key.
    await present?.unsubscribe();
    return (await worker.pushManager.subscribe(options)).toJSON();
  } catch (error) {
    throw new BrowserRefusal("service", error);
  }
}

async function register(): Promise<ServiceWorkerRegistration> {
  try {
    await navigator.serviceWorker.register(workerAddress() as string, {
      scope: place(),
      updateViaCache: "none",
    });
    return await navigator.serviceWorker.ready;
  } catch (error) {
    throw new BrowserRefusal("certificate", error);
  }
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(): string },
  ): { createScriptURL(text: string): unknown };
}

let trusted: unknown;

/** The one address of a script that the page's policy lets it make. */
function workerAddress(): unknown {
  const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes };
  trusted ??= trustedTypes?.createPolicy("worker", { createScriptURL: () => at(WORKER) }).createScriptURL("");
  return trusted ?? at(WORKER);
}

export async function changeSubscription(id: string, name: string, draft: SelectionDraft): Promise<void> {
  const body = { Name: name, Language: language.value, ...selectionBody(draft) };
  await request(`${LIST}/${id}`, { method: "PUT", body });
}

export async function removeSubscription(id: string): Promise<void> {
  await request(`${LIST}/${id}`, { method: "DELETE" });
}

export function testSubscription(id: string): Promise<PushResult> {
  return requestJson<PushResult>(`${LIST}/${id}/test`, { method: "POST" });
}
