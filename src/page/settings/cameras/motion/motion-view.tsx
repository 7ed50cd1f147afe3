import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { motionZone, ZONES_MAX } from "../../../../contract/index.js";
import { Button } from "../../../control/button.js";
import { Choice, Field } from "../../../control/field.js";
import { Icon } from "../../../control/icon.js";
import type { Box } from "../../../playback/motion/box.js";
import { markChanged } from "../../../state/unsaved.js";
import { camerasWords } from "../../../words/settings/cameras.js";
import { SaveForm } from "../../save-form.js";
import {
  analysisOf,
  type Camera,
  type CameraChange,
  changeCamera,
  DETECTORS,
  type Detector,
  detectorOf,
  useFilled,
} from "../model.js";
import { Trial } from "../objects/trial.js";
import { type MotionNow, useMotion } from "./motion-look.js";
import { ZonePicture } from "./zone-picture.js";
import { SENSITIVITIES, SIZES, settingOf, shapeOfBox, type Zone, zonesOf } from "./zones.js";

/** What detects motion, where in the picture, and what it sees now. */
export function MotionView({ camera: now }: { readonly camera: Camera }) {
  const words = camerasWords();
  const zones = useSignal(zonesAt(now));
  const chosen = useSignal<number | undefined>(zones.value.length > 0 ? 0 : undefined);
  const detector = useSignal<Detector>(detectorOf(now));
  const [camera, show] = useFilled(now, (known) => {
    zones.value = zonesAt(known);
    if ((chosen.value ?? 0) >= zones.value.length) chosen.value = zones.value.length > 0 ? 0 : undefined;
    detector.value = detectorOf(known);
  });
  const motion = useMotion(camera.Id);
  const isOwn = detector.value === "recorder" || detector.value === "automatic";
  const change = (index: number, part: Partial<Zone>): void => {
    zones.value = zones.value.map((zone, at) => (at === index ? { ...zone, ...part } : zone));
  };
  const title = useRef<HTMLHeadingElement>(null);
  const draw = (box: Box): void => {
    if (chosen.value === undefined) return;
    markChanged(title.current);
    change(chosen.value, { shape: shapeOfBox(box) });
  };
  const add = (): void => {
    zones.value = [...zones.value, newZone(zones.value)];
    // Only the recorder looks at zones.
    detector.value = "recorder";
    chosen.value = zones.value.length - 1;
  };
  const save = (): Promise<void> =>
    changeCamera(camera, { AnalyzeSettings: settingsOf(camera, detector.value, zones.value) });
  return (
    <SaveForm
      saved={words.saved(camera.Name)}
      outdated={words.changedMeanwhile}
      fault={() => faultOf(zones.value)}
      onSave={save}
      onShow={show}
    >
      <h3 ref={title}>{words.motionTitle}</h3>
      <Choice
        label={words.detector}
        value={detector.value}
        options={DETECTORS.map((name) => [name, words.detectors[name]])}
        onValue={(value) => (detector.value = value)}
      />
      {detector.value === "camera" && <p class="hint">{words.cameraDetects}</p>}
      {detector.value === "automatic" && <p class="hint">{words.automaticDetects}</p>}
      <MotionLine motion={motion.value} />
      <ZonePicture
        camera={camera}
        zones={isOwn ? zones.value : []}
        chosen={isOwn ? chosen.value : undefined}
        onBox={draw}
        motion={motion.value}
      />
      {isOwn && (
        <>
          <p class="hint">{zones.value.length === 0 ? words.wholePicture : words.zonesHint}</p>
          <ZoneList
            zones={zones.value}
            chosen={chosen.value}
            onChoose={(index) => (chosen.value = index)}
            onChange={change}
            onRemove={(index) => {
              zones.value = zones.value.filter((_, at) => at !== index);
              chosen.value = zones.value.length === 0 ? undefined : 0;
            }}
          />
          <div class="edit-buttons">
            <Button changes disabled={zones.value.length >= ZONES_MAX} onClick={add}>
              <Icon name="add" /> {words.addZone}
            </Button>
          </div>
          <Trial
            camera={camera}
            body={() => ({ Zones: settingOf(zones.value) })}
            fault={() => faultOf(zones.value)}
          />
        </>
      )}
    </SaveForm>
  );
}

/** Zones of another program stay as they are unless some are drawn here. */
function settingsOf(
  camera: Camera,
  detector: Detector,
  zones: readonly Zone[],
): NonNullable<CameraChange["AnalyzeSettings"]> {
  const analysis = analysisOf(detector);
  const isNew = JSON.stringify(zones) !== JSON.stringify(zonesAt(camera));
  if (!isNew || analysis.MotionDetectorSettings === null) return analysis;
  return {
    ...analysis,
    MotionDetectorSettings: { ...analysis.MotionDetectorSettings, Zones: settingOf(zones) },
  };
}

function zonesAt({ AnalyzeSettings }: Camera): readonly Zone[] {
  return zonesOf(AnalyzeSettings.MotionDetectorSettings?.Zones);
}

/** What the detectors say now. */
function MotionLine({ motion }: { readonly motion: MotionNow | undefined }) {
  const words = camerasWords();
  if (motion === undefined) return <p class="camera-state soft">{words.motionUnknown}</p>;
  const isBlind = motion.Seen.some(({ Source }) => Source === "blind");
  const zones = [...new Set(motion.Seen.map(({ Zone: zone }) => zone).filter((zone) => zone !== ""))];
  if (isBlind) return <p class="camera-state danger">{words.motionBlind}</p>;
  if (motion.IsMotion) return <p class="camera-state warning">{words.motionNow(zones.join(", "))}</p>;
  return <p class="camera-state soft">{motion.Detector === "None" ? words.motionOff : words.motionNone}</p>;
}

interface ZoneListProps {
  readonly zones: readonly Zone[];
  readonly chosen: number | undefined;
  readonly onChoose: (index: number) => void;
  readonly onChange: (index: number, part: Partial<Zone>) => void;
  readonly onRemove: (index: number) => void;
}

function ZoneList({ zones, chosen, onChoose, onChange, onRemove }: ZoneListProps) {
  const words = camerasWords();
  return (
    <ul class="zone-list" aria-label={words.zones}>
      {zones.map((zone, index) => (
        <li key={index} class={index === chosen ? "zone-item chosen" : "zone-item"}>
          <Button
            label={index === chosen ? words.zoneIsDrawn(zone.name) : words.drawZone(zone.name)}
            disabled={index === chosen}
            onClick={() => onChoose(index)}
          >
            {index === chosen ? words.isDrawn : words.draw}
          </Button>
          <Field
            label={words.zoneName}
            value={zone.name}
            onValue={(name) => onChange(index, { name })}
            maxLength={motionZone.Name.max}
          />
          <Choice
            label={words.sensitivity}
            value={`${zone.sensitivity}`}
            options={optionsOf(SENSITIVITIES, words.sensitivities, zone.sensitivity)}
            onValue={(value) => onChange(index, { sensitivity: Number(value) })}
          />
          <Choice
            label={words.minSize}
            value={`${zone.minSize}`}
            options={optionsOf(SIZES, words.minSizes, zone.minSize)}
            onValue={(value) => onChange(index, { minSize: Number(value) })}
          />
          <Button changes kind="danger" label={words.removeZone(zone.name)} onClick={() => onRemove(index)}>
            {words.removeIt}
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** The usual values in words, and another one as it is. */
function optionsOf<Name extends string>(
  values: Readonly<Record<Name, number>>,
  names: Readonly<Record<Name, string>>,
  now: number,
): readonly (readonly [string, string])[] {
  const usual = (Object.keys(values) as Name[]).map((name) => [`${values[name]}`, names[name]] as const);
  return usual.some(([value]) => value === `${now}`) ? usual : [...usual, [`${now}`, `${now}`]];
}

/** In the middle, with the first name that is free. */
function newZone(zones: readonly Zone[]): Zone {
  const words = camerasWords();
  let number = zones.length + 1;
  while (zones.some(({ name }) => name === words.zoneNamed(number))) number += 1;
  return {
    ...{ name: words.zoneNamed(number), sensitivity: SENSITIVITIES.usual, minSize: SIZES.usual, rest: {} },
    shape: shapeOfBox({ left: 0.25, top: 0.25, width: 0.5, height: 0.5 }),
  };
}

function faultOf(zones: readonly Zone[]): string | undefined {
  const words = camerasWords();
  const names = zones.map(({ name }) => name.trim());
  if (names.includes("")) return words.zoneNameNeeded;
  return new Set(names).size < names.length ? words.zoneNameTwice : undefined;
}
