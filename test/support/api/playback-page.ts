import type { Page } from "playwright-core";

/** What the page says of one channel's player. */
export interface ShownChannel {
  /** Seconds after the moment that the page counts from. */
  readonly currentTime: number;
  readonly buffered: readonly (readonly [number, number])[];
  readonly readyState: number;
  readonly frames: number;
  readonly errors: readonly string[];
}

/**
 * A page of its own that plays over the live socket as docs/ref/live-socket.md says: one source buffer a feed, with one
 * `timestampOffset` for all, the players' times set from the `playback` messages.
 */
export async function openPlayer(page: Page, options: { socket: string; epochMs: number }): Promise<void> {
  await page.evaluate(
    PLAYER.replace("__SOCKET__", JSON.stringify(options.socket)).replace("__EPOCH__", `${options.epochMs}`),
  );
}

export async function say(page: Page, message: object): Promise<void> {
  await page.evaluate(`window.say(${JSON.stringify(message)})`);
}

export function shown(page: Page): Promise<Record<number, ShownChannel>> {
  return page.evaluate("window.shown()");
}

const PLAYER = `
  const EPOCH_MS = __EPOCH__;
  const channels = new Map();
  const feeds = new Map();
  const errors = [];
  let playback = { state: "paused", time: EPOCH_MS, speed: 1 };
  const socket = new WebSocket(__SOCKET__, "nvrd.live.1");
  socket.binaryType = "arraybuffer";
  window.say = (message) => socket.send(JSON.stringify(message));
  const follow = () => {
    const seconds = (playback.time - EPOCH_MS) / 1000;
    for (const { video } of channels.values()) {
      video.currentTime = seconds;
      video.playbackRate = Math.abs(playback.speed);
      if (playback.state === "paused") video.pause();
      else video.play().catch(() => undefined);
    }
  };
  const pump = (feed) => {
    if (feed.buffer === undefined || feed.buffer.updating || feed.waiting.length === 0) return;
    try { feed.buffer.appendBuffer(feed.waiting.shift()); } catch (error) { errors.push(String(error)); }
  };
  const begin = ({ id, feed: number, mime }) => {
    const video = channels.get(id)?.video ?? document.body.appendChild(document.createElement("video"));
    video.muted = true;
    const source = new MediaSource();
    const feed = { waiting: [], buffer: undefined };
    feeds.set(number, feed);
    channels.set(id, { video, feed });
    video.onerror = () => errors.push(String(video.error && video.error.message));
    source.onsourceopen = () => {
      // Else a seek ends where the buffer does.
      source.duration = 1e7;
      feed.buffer = source.addSourceBuffer(mime);
      feed.buffer.timestampOffset = -EPOCH_MS / 1000;
      feed.buffer.onupdateend = () => pump(feed);
      pump(feed);
      follow();
    };
    video.src = URL.createObjectURL(source);
  };
  socket.onmessage = ({ data }) => {
    if (typeof data === "string") {
      const message = JSON.parse(data);
      window.messages.push(message);
      if (message.type === "stream") begin(message);
      if (message.type === "playback") { playback = message; follow(); }
      return;
    }
    const feed = feeds.get(new DataView(data).getUint32(4));
    feed.waiting.push(data.slice(32));
    pump(feed);
  };
  window.messages = [];
  socket.onopen = () => window.say({ type: "hello", codecs: ["avc1", "flac", "mp4a"] });
  window.shown = () => Object.fromEntries([...channels].map(([id, { video }]) => [id, {
    currentTime: video.currentTime,
    buffered: Array.from({ length: video.buffered.length }, (_, at) => [video.buffered.start(at), video.buffered.end(at)]),
    readyState: video.readyState,
    frames: video.getVideoPlaybackQuality().totalVideoFrames,
    errors,
  }]));
`;
