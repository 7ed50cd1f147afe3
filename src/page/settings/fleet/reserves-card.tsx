import type { FleetPartner } from "../../../contract/answer/index.js";
import { Choice } from "../../control/field.js";
import { say, sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { partnerWords } from "../../words/settings/partners.js";
import { type Camera, cameras, changeCamera, readCameras } from "../cameras/model.js";

interface ReservesCardProps {
  readonly partners: readonly FleetPartner[];
  /** A camera has another reserve. */
  readonly onChange: () => void;
}

/** Which partner stands in for which camera. */
export function ReservesCard({ partners, onChange }: ReservesCardProps) {
  const words = partnerWords();
  useRead(readCameras, sayError, []);
  const put = async (camera: Camera, id: string): Promise<void> => {
    try {
      await changeCamera(camera, { ServerBindingsSettings: { ReservedServerId: id === "" ? null : id } });
      say(words.saved(camera.Name));
      onChange();
    } catch (error) {
      sayError(error);
    }
  };
  const ofOthers = new Set(partners.map(({ Id }) => Id));
  const own = (cameras.value ?? []).filter(
    ({ ServerBindingsSettings }) => !ofOthers.has(ServerBindingsSettings.OwnerServerId),
  );
  if (partners.length === 0 || own.length === 0) return null;
  return (
    <article class="card" aria-label={words.reserves}>
      <h3>{words.reserves}</h3>
      <p>{words.reservesWhy}</p>
      {own.map((camera) => {
        const value = camera.ServerBindingsSettings.ReservedServerId ?? "";
        const others = partners.map(({ Id, Name }) => [Id, Name] as const);
        const isKnown = value === "" || ofOthers.has(value);
        return (
          <Choice
            key={camera.Id}
            label={camera.Name}
            value={value}
            options={[["", words.nobody], ...others, ...(isKnown ? [] : [[value, words.unknown] as const])]}
            onValue={(id) => void put(camera, id)}
          />
        );
      })}
    </article>
  );
}
