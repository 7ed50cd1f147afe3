/** Members that the reference has for events of things in pictures. */

const PERCENT_TENTHS = 1000;
const TENTHS = 10;
/** Shares of the picture are rounded to a ten-thousandth. */
const BOX_STEPS = 10_000;

/** Where a thing is, relative to the picture's sides. */
interface EventBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Numbers of events have a decimal comma. */
export function percentText(share: number): string {
  return `${Math.round(share * PERCENT_TENTHS) / TENTHS}`.replace(".", ",");
}

export function boxMembers(box: EventBox | undefined): Record<string, string> {
  if (box === undefined) return {};
  const relative = (value: number): string =>
    `${Math.round(value * BOX_STEPS) / BOX_STEPS}`.replace(".", ",");
  return {
    Left: relative(box.left),
    Top: relative(box.top),
    Width: relative(box.width),
    Height: relative(box.height),
  };
}
