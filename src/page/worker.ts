/**
 * The page's service worker: it shows the messages that the recorder sends to this browser, and opens what they are about. It keeps
 * nothing and answers no request of the page, so that no page, picture or video is ever an old one.
 */

/** What of a service worker is used; the page is compiled with the types of a window. */
interface WorkerScope {
  readonly registration: ServiceWorkerRegistration;
  readonly location: Location;
  readonly clients: {
    matchAll(options: {
      readonly type: "window";
      readonly includeUncontrolled: true;
    }): Promise<readonly Tab[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(
    type: "install" | "push" | "notificationclick",
    listener: (event: WorkerEvent) => void,
  ): void;
}
interface Tab {
  readonly url: string;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}
interface WorkerEvent {
  readonly data?: { json(): unknown } | null;
  readonly notification?: Notification;
  waitUntil(work: Promise<unknown>): void;
}
/** As the recorder sends it; docs/ref/push.md. */
interface Message {
  readonly Title: string;
  readonly Body: string;
  readonly Tag: string;
  readonly Time: string;
  readonly Language: string;
  readonly Url: string;
  readonly Picture: string | null;
}

const PICTURE_WAIT_MS = 6000;
const PICTURE_BYTES_MAX = 300_000;

const worker = self as unknown as WorkerScope;

worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));

worker.addEventListener("push", (event) => event.waitUntil(show(event.data?.json() as Message | undefined)));

worker.addEventListener("notificationclick", (event) => {
  const url = String(event.notification?.data ?? "/");
  event.notification?.close();
  event.waitUntil(openPage(placed(url)));
});

/** The address of a path of the recorder, which may be below a path of a proxy, as this script is. */
function placed(path: string): URL {
  return new URL(/^\/(?!\/)/.test(path) ? `.${path}` : path, worker.location.href);
}

async function show(message: Message | undefined): Promise<void> {
  if (message === undefined) return;
  const { Title, Body, Tag, Time, Language, Url, Picture } = message;
  const image = Picture === null ? undefined : await pictureAt(Picture);
  const icon = placed("/icon.png").href;
  const about = { body: Body, tag: Tag, lang: Language, data: Url, icon, timestamp: Date.parse(Time) };
  await worker.registration.showNotification(
    Title,
    image === undefined ? about : ({ ...about, image } as NotificationOptions),
  );
}

/** The picture as an address of its own, by the session of this browser; undefined where there is none of it. */
async function pictureAt(path: string): Promise<string | undefined> {
  try {
    const { href, origin } = placed(path);
    if (origin !== worker.location.origin) return undefined;
    const response = await fetch(href, { signal: AbortSignal.timeout(PICTURE_WAIT_MS) });
    const bytes = new Uint8Array(response.ok ? await response.arrayBuffer() : []);
    if (bytes.length === 0 || bytes.length > PICTURE_BYTES_MAX) return undefined;
    let text = "";
    for (let from = 0; from < bytes.length; from += 4096)
      text += String.fromCharCode(...bytes.subarray(from, from + 4096));
    return `data:image/jpeg;base64,${btoa(text)}`;
  } catch {
    // The message says what happened without it: nobody is logged in here, or nothing is recorded.
    return undefined;
  }
}

/** In a tab that has the page, or in a new one. Other hosts are never opened. */
async function openPage(url: URL): Promise<void> {
  if (url.origin !== worker.location.origin) return;
  const tabs = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const tab = tabs.find((one) => new URL(".", one.url).pathname === placed("/").pathname);
  if (tab === undefined) return void (await worker.clients.openWindow(url.href));
  tab.postMessage({ open: url.hash });
  await tab.focus();
}
