import { useSignal } from "@preact/signals";
import { Check } from "../../control/check.js";
import { Field } from "../../control/field.js";
import { camerasWords } from "../../words/settings/cameras.js";
import { SaveForm } from "../save-form.js";
import { type Camera, changeCamera, RTSP_MODEL } from "./model.js";

const VOLUME_MAX = 100;

/** What a camera is used for besides its pictures: its loudspeaker, its inputs and outputs. */
export function Devices({ camera }: { readonly camera: Camera }) {
  const words = camerasWords();
  const { ModelId, IoProcessingEnabled, SoundTransmittingEnabled, SoundVolume } = camera.ConnectionSettings;
  const usesOutputs = useSignal(IoProcessingEnabled);
  const speaks = useSignal(SoundTransmittingEnabled);
  const volume = useSignal(`${SoundVolume}`);
  const save = () =>
    changeCamera(camera, {
      ConnectionSettings: {
        ...(usesOutputs.value === IoProcessingEnabled ? {} : { IoProcessingEnabled: usesOutputs.value }),
        SoundTransmittingEnabled: speaks.value,
        SoundVolume: Number(volume.value),
      },
    });
  const fault = (): string | undefined =>
    /^\d+$/.test(volume.value) && Number(volume.value) <= VOLUME_MAX ? undefined : words.devices.volumeWrong;
  return (
    <SaveForm saved={words.saved(camera.Name)} outdated={words.changedMeanwhile} fault={fault} onSave={save}>
      <h3>{words.devices.title}</h3>
      <Check
        label={words.devices.speaks}
        hint={words.devices.speaksHint}
        checked={speaks.value}
        onChecked={(isOn) => (speaks.value = isOn)}
      />
      {speaks.value && (
        <Field
          label={words.devices.volume}
          value={volume.value}
          maxLength={3}
          onValue={(text) => (volume.value = text.trim())}
        />
      )}
      {ModelId !== RTSP_MODEL && (
        <Check
          label={words.offered.takeInputs}
          checked={usesOutputs.value}
          onChecked={(isOn) => (usesOutputs.value = isOn)}
        />
      )}
    </SaveForm>
  );
}
