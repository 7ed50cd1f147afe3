import { Button } from "../../control/button.js";
import { wallWords } from "../../words/wall.js";
import type { PtzCapabilities, PtzPilot } from "./ptz-pilot.js";

interface PtzPositionsProps {
  readonly pilot: PtzPilot;
  readonly known: PtzCapabilities;
}

/** The camera's home position and its saved ones. Where it has no home position, the one named so is. */
export function PtzPositions({ pilot, known }: PtzPositionsProps) {
  const words = wallWords().ptz;
  const isHome = (name: string): boolean => /^(home|дом|исходн)/i.test(name.trim());
  const home = known.Home ? undefined : known.Presets.find(({ Name }) => isHome(Name));
  const rest = known.Presets.filter((preset) => preset !== home);
  return (
    <>
      <div class="ptz-row">
        {known.Home && <Button onClick={() => pilot.once({ command: "gotohome" })}>{words.home}</Button>}
        {home !== undefined && (
          <Button onClick={() => pilot.once({ command: "gotopreset", index: home.Index })}>
            {words.home}
          </Button>
        )}
        {known.AutoFocus && (
          <Button onClick={() => pilot.once({ command: "setautofocus" })}>{words.focus}</Button>
        )}
      </div>
      {known.Presets.length === 0 ? (
        <p class="hint">{words.noPresets}</p>
      ) : (
        <ul class="ptz-presets" aria-label={words.presets}>
          {rest.map(({ Index, Name }) => (
            <li key={Index}>
              <Button onClick={() => pilot.once({ command: "gotopreset", index: Index })}>
                {Name === "" ? String(Index) : Name}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
