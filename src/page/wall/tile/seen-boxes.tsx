import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import type { SeenBox } from "../../../contract/answer/index.js";
import type { ZoomView } from "../../player/zoom.js";
import { wallWords } from "../../words/wall.js";
import type { LivePicture } from "./live-picture.js";
import "./seen-boxes.css";

interface SeenBoxesProps {
  readonly picture: LivePicture;
  readonly video: RefObject<HTMLVideoElement | null>;
  /** The picture's zoom, which moves the boxes too. */
  readonly view: Signal<ZoomView>;
}

/** Over a live picture: where something is seen in it. The tile's name says in words what is there. */
export function SeenBoxes({ picture, video, view }: SeenBoxesProps) {
  const { videoWidth, videoHeight } = video.current ?? { videoWidth: 0, videoHeight: 0 };
  const boxes = picture.boxes.value;
  if (!picture.state.value.isShowing || boxes.length === 0 || videoWidth === 0) return null;
  const { scale, x, y } = view.value;
  return (
    <div
      class="seen-boxes"
      aria-hidden="true"
      style={{ "--ratio": videoWidth / videoHeight, transform: `translate(${x}px, ${y}px) scale(${scale})` }}
    >
      <div class="seen-picture">
        {boxes.map((box, index) => (
          <OneBox key={index} box={box} scale={scale} />
        ))}
      </div>
    </div>
  );
}

function OneBox({ box, scale }: { readonly box: SeenBox; readonly scale: number }) {
  const { kinds, other } = wallWords().happening;
  const { kind, left, top, width, height } = box;
  const isMotion = kind === "motion";
  return (
    <div
      class={isMotion ? "seen-box motion" : "seen-box"}
      style={{
        ...{ left: percent(left), top: percent(top), width: percent(width), height: percent(height) },
        // As thin and as small as it is without zoom.
        "--scale": scale,
      }}
    >
      {!isMotion && <span>{kind in kinds ? kinds[kind as keyof typeof kinds] : other}</span>}
    </div>
  );
}

function percent(part: number): string {
  return `${part * 100}%`;
}
