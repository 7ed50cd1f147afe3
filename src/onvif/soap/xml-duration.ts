/** Milliseconds of an `xs:duration`, years and months left out: `PT60S`, `P1DT2H`. Undefined for other text. */
export function readDurationMs(text: string): number | undefined {
  const match = /^P(?:(\d{1,4})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/.exec(
    text.trim(),
  );
  if (match === null || text.trim().length < "P1D".length) return undefined;
  const [, days = "0", hours = "0", minutes = "0", seconds = "0"] = match;
  return (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}
