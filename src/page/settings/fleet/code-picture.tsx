import { generate } from "lean-qr";
import { toSvgSource } from "lean-qr/extras/svg";
import { fleetWords } from "../../words/settings/fleet.js";

/** Device pixels that a module has at least: a telephone reads it from a screen at arm's length. */
const SCALE = 5;

interface CodePictureProps {
  readonly text: string;
}

/** A code as a QR code (ISO/IEC 18004), to be photographed from the screen instead of being copied. */
export function CodePicture({ text }: CodePictureProps) {
  const svg = toSvgSource(generate(text), { on: "black", off: "white", padX: 4, padY: 4, scale: SCALE });
  return (
    <img
      class="hub-code"
      alt={fleetWords().codePicture}
      src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
    />
  );
}
