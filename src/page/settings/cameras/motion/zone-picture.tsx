import type { Box } from "../../../playback/motion/box.js";
import { RegionOverlay } from "../../../playback/motion/region-overlay.js";
import { camerasWords } from "../../../words/settings/cameras.js";
import type { Camera } from "../model.js";
import { FRESH_MS, type MotionNow } from "./motion-look.js";
import { useDrawnPicture } from "./use-drawn-picture.js";
import { boxOf, outlineOf, type Zone } from "./zones.js";

interface ZonePictureProps {
  readonly camera: Camera;
  readonly zones: readonly Zone[];
  /** The zone that is drawn; undefined where none is. */
  readonly chosen: number | undefined;
  readonly onBox: (box: Box) => void;
  readonly motion: MotionNow | undefined;
}

/** The camera live, its zones over it, and what the detector sees. */
export function ZonePicture({ camera, zones, chosen, onBox, motion }: ZonePictureProps) {
  const words = camerasWords();
  const { box, video, ratio, hasShape } = useDrawnPicture(camera);
  const zone = chosen === undefined ? undefined : zones[chosen];
  return (
    <div ref={box} class={hasShape ? "zone-picture shaped" : "zone-picture"} style={{ "--ratio": ratio }}>
      <video ref={video} muted playsInline aria-label={words.picture(camera.Name)} />
      <svg class="zone-lines" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        {zones.map(({ shape }, index) => (
          <path
            key={`${index} ${outlineOf(shape)}`}
            d={outlineOf(shape)}
            class={index === chosen ? "chosen" : ""}
          />
        ))}
        {freshBoxes(motion).map(({ left, top, width, height }) => (
          <rect key={`${left} ${top}`} class="moving" x={left} y={top} width={width} height={height} />
        ))}
      </svg>
      {zone !== undefined && (
        <RegionOverlay
          ratio={ratio}
          region={boxOf(zone.shape)}
          onRegion={onBox}
          label={words.zoneBox(zone.name)}
          keys={words.zoneKeys}
        />
      )}
    </div>
  );
}

/** Where something moves now. */
function freshBoxes(motion: MotionNow | undefined): readonly Box[] {
  if (motion === undefined) return [];
  const now = Date.parse(motion.Time);
  return motion.Seen.flatMap(({ Box: box, Time }) => {
    if (box === null || now - Date.parse(Time) > FRESH_MS) return [];
    return [{ left: box.Left, top: box.Top, width: box.Width, height: box.Height }];
  });
}
