import "./ptz.css";
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { IconButton } from "../../control/button.js";
import { Icon, type IconName } from "../../control/icon.js";
import { type KeyBinding, useKeys } from "../../control/keys.js";
import { sayError } from "../../control/notice.js";
import { addressOf } from "../../state/address.js";
import type { Channel } from "../../state/channels.js";
import { requestJson } from "../../state/request.js";
import { wallWords } from "../../words/wall.js";
import { useSafeStop } from "../use-safe-stop.js";
import { enlarge, piloted } from "../wall-state.js";
import { joystick, type Movement, type PtzCapabilities, type PtzParameters, PtzPilot } from "./ptz-pilot.js";
import { PtzPositions } from "./ptz-positions.js";

const STILL: Movement = { pan: 0, tilt: 0, zoom: 0 };
/** The pointer has to be held so long: a shorter press centres what it points at. */
const HOLD_MS = 180;

function ask<Answer>(channel: string, parameters: PtzParameters, keepalive = false): Promise<Answer> {
  const address = addressOf("/ptz", { channelid: channel, responsetype: "json", ...parameters });
  return requestJson<Answer>(address, { method: "POST", keepalive });
}

function pilotOf(channel: string): PtzPilot {
  return new PtzPilot({
    send: (parameters) => ask(channel, parameters),
    sendLast: (parameters) => {
      // The recorder stops the camera by itself soon after.
      ask(channel, parameters, true).catch((error: unknown) => console.warn("not stopped", error));
    },
    after: (ms, call) => {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
    onRefused: sayError,
  });
}

interface PtzPanelProps {
  readonly channel: Channel;
  readonly surface: RefObject<HTMLButtonElement | null>;
}

/** Moves a camera: by the pointer held in its picture, by buttons, keys and saved positions. Stops at release. */
export function PtzPanel({ channel, surface }: PtzPanelProps) {
  const words = wallWords().ptz;
  const speed = useSignal(50);
  const capabilities = useSignal<PtzCapabilities | undefined>(undefined);
  const pilot = useMemo(() => pilotOf(channel.Id), [channel.Id]);
  useEffect(() => {
    ask<PtzCapabilities>(channel.Id, { command: "getcapabilities" }).then(
      (known) => (capabilities.value = known),
      sayError,
    );
    surface.current?.focus();
    return () => pilot.stop();
  }, [pilot]);
  useSafeStop(pilot);
  const known = capabilities.value;
  useHeldKeys(pilot, () => speed.value, known);
  const hold = (movement: Partial<Movement>): Movement => ({
    pan: (movement.pan ?? 0) * speed.value,
    tilt: (movement.tilt ?? 0) * speed.value,
    zoom: (movement.zoom ?? 0) * speed.value,
  });
  return (
    <>
      <PtzSurface
        pilot={pilot}
        canCentre={known?.MoveTo === true}
        speed={() => speed.value}
        surface={surface}
      />
      <section class="ptz" aria-label={words.panel}>
        {known !== undefined && !known.PanTilt && !known.Zoom && <p class="hint">{words.unable}</p>}
        {known?.PanTilt === true && (
          <div class="ptz-pad">
            {TURNS.map(([name, icon, movement]) => (
              <HeldButton
                key={name}
                icon={icon}
                label={words[name]}
                pilot={pilot}
                movement={() => hold(movement)}
              />
            ))}
          </div>
        )}
        {known?.Zoom === true && (
          <div class="ptz-row">
            <HeldButton
              icon="minus"
              label={words.zoomOut}
              pilot={pilot}
              movement={() => hold({ zoom: -1 })}
            />
            <HeldButton icon="add" label={words.zoomIn} pilot={pilot} movement={() => hold({ zoom: 1 })} />
          </div>
        )}
        <label class="ptz-speed">
          <span>{words.speed}</span>
          <input
            type="range"
            min="10"
            max="100"
            step="10"
            value={speed.value}
            onInput={(event) => (speed.value = Number(event.currentTarget.value))}
          />
        </label>
        {known !== undefined && <PtzPositions pilot={pilot} known={known} />}
        <IconButton icon="close" label={words.close} shortcut="Escape" onClick={endPiloting} />
      </section>
    </>
  );
}

function endPiloting(): void {
  piloted.value = undefined;
  enlarge(undefined);
}

const TURNS = [
  ["up", "arrowUp", { tilt: 1 }],
  ["left", "back", { pan: -1 }],
  ["right", "forward", { pan: 1 }],
  ["down", "arrowDown", { tilt: -1 }],
] as const satisfies readonly (readonly [string, IconName, Partial<Movement>])[];

interface HeldButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly pilot: PtzPilot;
  readonly movement: () => Movement;
}

/** Moves while it is pressed, by a pointer or by Space and Enter. */
function HeldButton({ icon, label, pilot, movement }: HeldButtonProps) {
  const begin = (): void => pilot.move(movement());
  const end = (): void => pilot.stop();
  const onKey = (event: KeyboardEvent, act: () => void): void => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    if (!event.repeat) act();
  };
  return (
    <button
      type="button"
      class={`icon-button ptz-${icon}`}
      aria-label={label}
      title={label}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        begin();
      }}
      onPointerUp={end}
      onPointerCancel={end}
      onLostPointerCapture={end}
      onKeyDown={(event) => onKey(event, begin)}
      onKeyUp={(event) => onKey(event, end)}
      onBlur={end}
      onContextMenu={keepHeld}
    >
      <Icon name={icon} />
    </button>
  );
}

/** A long touch opens no menu. */
function keepHeld(event: Event): void {
  event.preventDefault();
}

interface PtzSurfaceProps {
  readonly pilot: PtzPilot;
  readonly canCentre: boolean;
  readonly speed: () => number;
  readonly surface: RefObject<HTMLButtonElement | null>;
}

/** The picture as a joystick: held beside the middle it turns there, the farther the faster. */
function PtzSurface({ pilot, canCentre, speed, surface }: PtzSurfaceProps) {
  const pressedMs = useRef<number | undefined>(undefined);
  const steer = (event: PointerEvent & { readonly currentTarget: HTMLElement }): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 2 - 1;
    const y = ((event.clientY - box.top) / box.height) * 2 - 1;
    const { pan, tilt } = joystick(x, y);
    pilot.move({ pan: (pan * speed()) / 50, tilt: (tilt * speed()) / 50, zoom: 0 });
  };
  const end = (): void => {
    pressedMs.current = undefined;
    pilot.stop();
  };
  return (
    <button
      ref={surface}
      type="button"
      class="tile-surface ptz-surface"
      aria-label={wallWords().ptz.hint}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        const started = performance.now();
        pressedMs.current = started;
        if (!canCentre) steer(event);
      }}
      onPointerMove={(event) => {
        const since = pressedMs.current;
        if (since !== undefined && (pilot.isMoving || performance.now() - since > HOLD_MS)) steer(event);
      }}
      onPointerUp={(event) => {
        const wasShort = canCentre && !pilot.isMoving;
        end();
        if (wasShort) pilot.once(centreOf(event));
      }}
      onPointerCancel={end}
      onContextMenu={keepHeld}
      onWheel={(event) => {
        event.preventDefault();
        pilot.once({ command: "zoom", zoomstep: event.deltaY < 0 ? 10 : -10 });
      }}
    />
  );
}

function centreOf(event: PointerEvent & { readonly currentTarget: HTMLElement }): PtzParameters {
  const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
  return {
    command: "moveto",
    width: Math.round(width),
    height: Math.round(height),
    x: Math.round(event.clientX - left),
    y: Math.round(event.clientY - top),
  };
}

const KEYS: Readonly<Record<string, Partial<Movement>>> = {
  ArrowLeft: { pan: -1 },
  ArrowRight: { pan: 1 },
  ArrowUp: { tilt: 1 },
  ArrowDown: { tilt: -1 },
  "+": { zoom: 1 },
  "=": { zoom: 1 },
  "-": { zoom: -1 },
};

/** Keys that move while they are held; several at once add up. */
function useHeldKeys(pilot: PtzPilot, speed: () => number, known: PtzCapabilities | undefined): void {
  const words = wallWords();
  const held = useRef(new Set<string>());
  const presets = known?.Presets ?? [];
  const isHome = known?.Home === true;
  const sendMove = (): void => {
    let { pan, tilt, zoom } = STILL;
    for (const key of held.current) {
      pan += (KEYS[key]?.pan ?? 0) * speed();
      tilt += (KEYS[key]?.tilt ?? 0) * speed();
      zoom += (KEYS[key]?.zoom ?? 0) * speed();
    }
    pilot.move({ pan, tilt, zoom });
  };
  const bindings = useMemo(() => {
    const press = ({ key, repeat }: KeyboardEvent): void => {
      if (repeat) return;
      held.current.add(key);
      sendMove();
    };
    const { ptz } = words;
    const goTo = (at: number): void => {
      const preset = presets[at];
      if (preset !== undefined) pilot.once({ command: "gotopreset", index: preset.Index });
    };
    const moves: KeyBinding[] = [
      { key: "ArrowLeft", words: ptz.left, act: press },
      { key: "ArrowRight", words: ptz.right, act: press },
      { key: "ArrowUp", words: ptz.up, act: press },
      { key: "ArrowDown", words: ptz.down, act: press },
      { key: "+", words: ptz.zoomIn, act: press },
      { key: "=", words: ptz.zoomIn, act: press },
      { key: "-", words: ptz.zoomOut, act: press },
      { key: "Escape", words: ptz.close, act: endPiloting },
    ];
    const home: KeyBinding[] = isHome
      ? [{ key: "Home", words: ptz.home, act: () => pilot.once({ command: "gotohome" }) }]
      : [];
    const numbers = presets.slice(0, 9).map((preset, at) => ({
      key: String(at + 1),
      words: preset.Name,
      act: () => goTo(at),
    }));
    return [...moves, ...home, ...numbers];
  }, [pilot, words, presets, isHome]);
  useKeys(bindings);
  useEffect(() => {
    const onKeyUp = ({ key }: KeyboardEvent): void => {
      if (held.current.delete(key)) sendMove();
    };
    const onBlur = (): void => {
      held.current.clear();
      pilot.stop();
    };
    window.addEventListener("keyup", onKeyUp);
    window.addEventListener("blur", onBlur);
    return () => {
      window.removeEventListener("keyup", onKeyUp);
      window.removeEventListener("blur", onBlur);
    };
  }, [pilot]);
}
