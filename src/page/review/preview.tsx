import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Finding, StripHeader } from "../../contract/answer/index.js";
import { Icon } from "../control/icon.js";
import { addressOf } from "../state/address.js";
import { at } from "../state/place.js";
import { request } from "../state/request.js";
import { reviewWords } from "../words/review.js";

/** Pictures of a moving preview, and how long each is shown. */
const PICTURES = 8;
const PICTURE_MS = 350;
const WIDTH_PX = 320;
/** The preview begins so long before the finding, and shows no more of one that lasts than this. */
const BEFORE_MS = 1000;
const SHOWN_MS_MAX = 20_000;
const SHOWN_MS_MIN = 6000;
/** Of what lasts, a picture that is better is shown when it is so much later. */
const BETTER_MS = 15_000;

interface Strip {
  readonly url: string;
  readonly header: StripHeader;
}

interface PreviewProps {
  readonly finding: Finding;
  /** It moves. */
  readonly isActive: boolean;
}

/** The best picture of a finding with its box; the one that somebody is at moves, by key frames of its recording. */
export function Preview({ finding, isActive }: PreviewProps) {
  const words = reviewWords();
  const strip = useSignal<Strip | undefined>(undefined);
  const isMissing = useSignal(false);
  const shown = useSignal(0);
  useEffect(() => (isActive ? followStrip(finding, (read) => (strip.value = read)) : undefined), [isActive]);
  useEffect(() => {
    if (!isActive || strip.value === undefined || isStill()) return;
    const timer = setInterval(() => (shown.value += 1), PICTURE_MS);
    return () => clearInterval(timer);
  }, [isActive, strip.value]);
  const best = useBest(finding);
  const picture = at(
    addressOf(
      "/api/findings/{id}/picture",
      {
        ...{ whole: true, size: WIDTH_PX * 2, optional: true },
        ...(finding.End === null && best !== null ? { time: best.Time } : {}),
      },
      finding.Id,
    ),
  );
  if (isActive && strip.value !== undefined) return <Moving strip={strip.value} at={shown.value} />;
  if (isMissing.value)
    return (
      <span class="review-picture missing">
        <Icon name="noPicture" />
        {words.noPicture}
      </span>
    );
  return (
    <span class="review-picture">
      <img src={picture} alt="" loading="lazy" decoding="async" onError={() => (isMissing.value = true)} />
      <Outline best={best} />
    </span>
  );
}

/** The best moment that is shown. While a finding lasts there are better ones again and again, each with another picture and box. */
function useBest({ End, Best }: Finding): Finding["Best"] {
  const shown = useRef(Best);
  const isOld = Date.parse(Best?.Time ?? "") - Date.parse(shown.current?.Time ?? "") > BETTER_MS;
  if (End !== null || shown.current === null || isOld) shown.current = Best;
  return shown.current;
}

/** Who wants less motion gets still pictures. */
function isStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

function Outline({ best }: { readonly best: Finding["Best"] }) {
  if (best?.Box == null) return null;
  const { Left, Top, Width, Height } = best.Box;
  const percent = (part: number): string => `${part * 100}%`;
  const style = { left: percent(Left), top: percent(Top), width: percent(Width), height: percent(Height) };
  return <span class="review-box" style={style} />;
}

function Moving({ strip: { url, header }, at: step }: { readonly strip: Strip; readonly at: number }) {
  const { Width, Height, Columns, Times } = header;
  const cells = Times.flatMap((time, index) => (time === null ? [] : [index]));
  const cell = cells[step % cells.length] ?? 0;
  const columns = Math.min(Columns, Times.length);
  const rows = Math.ceil(Times.length / columns);
  const share = (index: number, count: number): string => `${count < 2 ? 0 : (index / (count - 1)) * 100}%`;
  const style = {
    aspectRatio: `${Width} / ${Height}`,
    backgroundImage: `url(${url})`,
    backgroundSize: `${columns * 100}% ${rows * 100}%`,
    backgroundPosition: `${share(cell % columns, columns)} ${share(Math.floor(cell / columns), rows)}`,
  };
  return <span class="review-picture moving" style={style} />;
}

/** Asks for the pictures along a finding; gives them back when they are not shown any more. */
function followStrip(finding: Finding, onRead: (strip: Strip | undefined) => void): () => void {
  const shown = new AbortController();
  let url: string | undefined;
  const read = async (): Promise<void> => {
    const { from, to } = previewSpan(finding);
    const response = await request(
      addressOf("/api/strip", {
        ...{ channel: finding.ChannelId, count: PICTURES, width: WIDTH_PX, optional: true },
        ...{ from: new Date(from).toISOString(), to: new Date(to).toISOString() },
      }),
      { signal: shown.signal },
    );
    const header = JSON.parse(response.headers.get("Strip") ?? "null") as StripHeader | null;
    const blob = await response.blob();
    if (header === null || shown.signal.aborted) return;
    url = URL.createObjectURL(blob);
    onRead({ url, header });
  };
  // Without a recording of that time the still picture stays.
  read().catch((error: unknown) => {
    if (!shown.signal.aborted) console.warn("a preview cannot be read", error);
  });
  return () => {
    shown.abort();
    if (url !== undefined) URL.revokeObjectURL(url);
    onRead(undefined);
  };
}

function previewSpan({ Begin, End, Best }: Finding): { readonly from: number; readonly to: number } {
  const begin = Date.parse(Begin) - BEFORE_MS;
  const end = Math.max(End === null ? 0 : Date.parse(End), begin + SHOWN_MS_MIN);
  if (end - begin <= SHOWN_MS_MAX) return { from: begin, to: end };
  // Of what lasts long, the part around its best picture.
  const best = Best === null ? begin : Date.parse(Best.Time);
  const from = Math.min(Math.max(begin, best - SHOWN_MS_MAX / 2), end - SHOWN_MS_MAX);
  return { from, to: from + SHOWN_MS_MAX };
}
