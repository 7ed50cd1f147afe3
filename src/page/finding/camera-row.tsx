import { NAME_LENGTH_MAX } from "../../contract/index.js";
import { Field } from "../control/field.js";
import { Icon } from "../control/icon.js";
import { at } from "../state/place.js";
import { findingWords } from "../words/finding.js";
import { change, type Found, type Group } from "./found-cameras.js";

/** One camera of the list. */
export function CameraRow({ camera, group }: { readonly camera: Found; readonly group: Group }) {
  const words = findingWords();
  const { address, name, manufacturer, model, isChosen } = camera;
  const canChoose = group === "ready" || group === "login";
  const kind = `${manufacturer} ${model}`.trim();
  return (
    <li class="found">
      {canChoose && (
        <label class="found-tick">
          <input
            type="checkbox"
            checked={isChosen}
            aria-label={words.choose(name)}
            onChange={(event) => change(address, { isChosen: event.currentTarget.checked })}
          />
        </label>
      )}
      {(group !== "added" || camera.picture !== undefined) && <Picture camera={camera} />}
      <div class="found-text">
        {group === "ready" ? (
          <Field
            label={words.cameraName}
            value={name}
            onValue={(value) => change(address, { name: value })}
            maxLength={NAME_LENGTH_MAX}
          />
        ) : (
          <p class="found-name">{name}</p>
        )}
        <p class="hint">{[kind, address].filter((text) => text !== "" && text !== name).join(", ")}</p>
        <p>{stateWords(camera, group)}</p>
      </div>
    </li>
  );
}

function Picture({ camera: { name, picture } }: { readonly camera: Found }) {
  const words = findingWords();
  if (picture === undefined)
    return (
      <span class="found-picture" role="img" aria-label={words.noPicture}>
        <Icon name="noPicture" />
      </span>
    );
  return <img class="found-picture" src={at(picture)} alt={words.picture(name)} />;
}

/** Why a camera cannot be used, in an installer's words. */
function stateWords({ result, isReading }: Found, group: Group): string {
  const words = findingWords();
  if (isReading) return words.reading;
  if (result === undefined || group === "ready" || group === "added") return "";
  return words.results[result];
}
