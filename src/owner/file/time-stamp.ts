import { US_PER_MS } from "../../base/index.js";
import type { GrayPlane, Picture, PictureSize, TextPictures } from "../../picture/index.js";
import { Canvas, type Spot } from "./canvas.js";

/** A letter's height is this part of the picture's, within what can be read and what does not hide much. */
const LETTER_PART = 1 / 30;
const LETTER_MIN = 11;
const LETTER_MAX = 40;
/** Width of a letter of the font in its heights. */
const LETTER_WIDTH = 0.602;
const MINUTES_PER_HOUR = 60;

/** What draws texts. */
export type TextDrawing = Pick<TextPictures, "draw">;

/** Writes a camera's name and the time of the recorder's clock into pictures. One a camera: the text of a second is drawn once. */
export class TimeStamp {
  readonly #name: string;
  readonly #texts: TextDrawing;
  #last: { readonly key: string; readonly drawn: Promise<GrayPlane> } | undefined;

  constructor(name: string, texts: TextDrawing) {
    this.#name = name;
    this.#texts = texts;
  }

  /** Writes into the picture itself, which has the form `yuv420`. Rejects as the drawing does. */
  async writeOn(picture: Picture): Promise<void> {
    const canvas = new Canvas(picture, picture.data);
    await this.writeAt(canvas, { left: 0, top: 0 }, { area: picture, timeUs: picture.timeUs });
  }

  /** Writes at the upper left corner of a part of a larger picture. */
  async writeAt(
    canvas: Canvas,
    spot: Spot,
    { area, timeUs }: { readonly area: PictureSize; readonly timeUs: number },
  ): Promise<void> {
    const { text, size } = fitted(this.#name, stampedTime(timeUs), area);
    const key = `${size} ${text}`;
    if (this.#last?.key !== key) this.#last = { key, drawn: this.#texts.draw(text, size) };
    canvas.write(await this.#last.drawn, spot, Math.ceil(size / 4));
  }
}

/** On one line, or on two where that would be too small; smaller where the picture is narrow. */
export function fitted(name: string, time: string, { width, height }: PictureSize) {
  const wanted = Math.min(LETTER_MAX, Math.max(LETTER_MIN, Math.round(height * LETTER_PART)));
  const sizeOf = (text: string): number => {
    const letters = Math.max(...text.split("\n").map((line) => [...line].length));
    return Math.min(wanted, Math.floor((width - wanted) / (letters * LETTER_WIDTH)));
  };
  const [one, two] = [`${name}  ${time}`, `${name}\n${time}`];
  const text = sizeOf(one) >= wanted ? one : two;
  return { text, size: Math.max(1, sizeOf(text)) };
}

/** `2026-11-28 12:00:05 UTC+03:00`, by the recorder's own zone. */
export function stampedTime(timeUs: number): string {
  const time = new Date(Math.floor(timeUs / US_PER_MS));
  const two = (number: number): string => String(number).padStart(2, "0");
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":");
  const ahead = -time.getTimezoneOffset();
  const [hours, minutes] = [
    Math.floor(Math.abs(ahead) / MINUTES_PER_HOUR),
    Math.abs(ahead) % MINUTES_PER_HOUR,
  ];
  return `${day} ${clock} UTC${ahead < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}`;
}

/** A text in the middle of a part, for what has no picture. */
export async function writeInMiddle(
  canvas: Canvas,
  spot: Spot,
  { text, area, texts }: { readonly text: string; readonly area: PictureSize; readonly texts: TextDrawing },
): Promise<void> {
  const letters = Math.max(1, [...text].length);
  const wanted = Math.min(LETTER_MAX, Math.max(LETTER_MIN, Math.round(area.height * 2 * LETTER_PART)));
  const size = Math.max(1, Math.min(wanted, Math.floor((area.width - wanted) / (letters * LETTER_WIDTH))));
  const drawn = await texts.draw(text, size);
  const middle = (whole: number, part: number): number => Math.max(0, Math.floor((whole - part) / 2));
  canvas.write(
    drawn,
    {
      left: spot.left + middle(area.width, drawn.width),
      top: spot.top + middle(area.height, drawn.height),
    },
    0,
  );
}
