import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Tile } from "../../../contract/answer/index.js";
import type { WatchOrder } from "../../player/watch.js";
import { LivePicture } from "./live-picture.js";
import { thrift } from "./thrift.js";

/** A tile that is scrolled away keeps its picture so long, as one looks back. */
const UNSEEN_MS = 5000;
/** A size counts when it has stayed so long: dragging an edge changes it all the time. */
const RESIZED_MS = 250;

interface PictureOptions {
  readonly channel: string;
  readonly isMain: boolean;
  readonly hasSound: boolean;
  /** Where something is seen is sent. */
  readonly hasBoxes?: boolean;
}

interface ShownPicture {
  /** For the element whose size counts. */
  readonly box: RefObject<HTMLDivElement | null>;
  readonly video: RefObject<HTMLVideoElement | null>;
  readonly picture: LivePicture | undefined;
}

/** Shows a camera live in a video element, in the size that the element has, while it can be seen. */
export function useLivePicture({
  channel,
  isMain,
  hasSound,
  hasBoxes = false,
}: PictureOptions): ShownPicture {
  const box = useRef<HTMLDivElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const [picture, setPicture] = useState<LivePicture>();
  const stream = streamOf(isMain, thrift.isOn.value);
  useEffect(() => {
    if (video.current === null || box.current === null) return;
    const order = { channel, tile: sizeOf(box.current), stream, sound: hasSound, boxes: hasBoxes };
    const made = new LivePicture(video.current, order);
    setPicture(made);
    const forget = [followSize(box.current, made), followSight(box.current, made)];
    return () => {
      for (const call of forget) call();
      made.close();
    };
  }, [channel]);
  useEffect(() => {
    picture?.change({ stream, sound: hasSound, boxes: hasBoxes });
    if (video.current !== null) video.current.muted = !hasSound;
  }, [picture, stream, hasSound, hasBoxes]);
  return { box, video, picture };
}

/** Whoever asks for the main stream gets it, also over a slow link. */
function streamOf(isMain: boolean, isThrifty: boolean): NonNullable<WatchOrder["stream"]> {
  if (isMain) return "main";
  return isThrifty ? "alternative" : "auto";
}

/** Device pixels. */
function sizeOf(element: Element): Tile {
  const { width, height } = element.getBoundingClientRect();
  const pixels = (length: number): number => Math.max(16, Math.round(length * devicePixelRatio));
  return { width: pixels(width), height: pixels(height) };
}

function followSize(element: Element, picture: LivePicture): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const observer = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // Hidden behind an enlarged tile it has no size, and keeps its stream for the moment it comes back.
      if (element.clientWidth > 0) picture.change({ tile: sizeOf(element) });
    }, RESIZED_MS);
  });
  observer.observe(element);
  return () => {
    clearTimeout(timer);
    observer.disconnect();
  };
}

function followSight(element: Element, picture: LivePicture): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const observer = new IntersectionObserver((entries) => {
    clearTimeout(timer);
    if (entries.at(-1)?.isIntersecting === true) picture.see(true);
    else timer = setTimeout(() => picture.see(false), UNSEEN_MS);
  });
  observer.observe(element);
  return () => {
    clearTimeout(timer);
    observer.disconnect();
  };
}
