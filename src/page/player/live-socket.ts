import { signal } from "@preact/signals";
import { at } from "../state/place.js";
import { noteHeard } from "../state/quiet.js";
import { takeRecorderTime } from "../state/recorder-time.js";
import { onLoggedOut, reachable } from "../state/request.js";
import { askWhoIsThere } from "../state/session.js";
import { CODEC_TYPES, type Codec, type SocketLike, type SocketListener } from "./connection-environment.js";
import { type ConnectionReport, LiveConnection } from "./live-connection.js";
import { mediaSourceClass } from "./media-source.js";

const PROTOCOL = "nvrd.live.1";
/** A page that nobody looks at gives its streams back after this time. */
const HIDDEN_MS = 30_000;

/** How the connection is now. */
export const connection = signal<ConnectionReport>({ state: "closed" });

/**
 * The page's one connection for live pictures and playback: `liveSocket.watch(order, listener)` for a channel live,
 * `liveSocket.play(order, listener)` for recordings of several in step. Both return a handle that lasts over lost connections.
 */
export const liveSocket = new LiveConnection(
  {
    open,
    nowMs: () => Date.now(),
    after: (ms, call) => {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
    random: () => Math.random(),
    codecs,
    // A browser does not say why a WebSocket was refused; a request does, and leads to the login where that is the reason.
    onRefused: findOutWho,
    onServiceTime: takeRecorderTime,
  },
  (report) => {
    connection.value = report;
    if (report.state === "open" && !reachable.value) findOutWho();
  },
);

function findOutWho(): void {
  askWhoIsThere().then(
    (who) => {
      if (who === null) onLoggedOut.call();
    },
    (error: unknown) => console.warn("the recorder does not answer", error),
  );
}

function open(listener: SocketListener): SocketLike {
  const address = new URL(at("/api/live"), location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address, PROTOCOL);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => listener.onOpen();
  socket.onclose = () => listener.onClose();
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    noteHeard();
    if (typeof data === "string") listener.onText(data);
    else listener.onMedia(data);
  };
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(),
  };
}

function codecs(): readonly Codec[] {
  const source = mediaSourceClass();
  if (source === undefined) return [];
  return (Object.keys(CODEC_TYPES) as Codec[]).filter((codec) => source.isTypeSupported(CODEC_TYPES[codec]));
}

/** Comes back at once where the browser knows a reason: the tab is looked at again, the network is there again. */
function followWindow(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isSeen = (): boolean => document.visibilityState === "visible";
  const wake = (): void => {
    if (isSeen()) liveSocket.wake();
  };
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (isSeen()) liveSocket.wake();
    else timer = setTimeout(() => liveSocket.sleep(), HIDDEN_MS);
  });
  window.addEventListener("online", wake);
  window.addEventListener("pageshow", wake);
}

followWindow();
