import type { PropertyOperation } from "./camera-event-message.js";
import type { CameraEventKind, CameraSignal } from "./camera-event-signal.js";

/** Maximum number of states tracked per device. */
export const CAMERA_STATES_MAX = 512;

/** A change at a device: something began, ended, or happened. */
export interface CameraEventChange {
  readonly kind: CameraEventKind;
  readonly name: string;
  readonly sourceToken: string;
  /** Undefined: a momentary event. */
  readonly active: boolean | undefined;
  readonly detail: string;
  /** Unix microseconds. */
  readonly timeUs: number;
}

interface State {
  signal: CameraSignal;
  active: boolean | undefined;
  /** The device has reported it since the subscription began. */
  isConfirmed: boolean;
}

/**
 * The states of one device; repeated messages are reported once. After a lost connection the states are kept until the device
 * reports them again (ONVIF Core, 9.4: a new subscription gets each state as Initialized). A state that is not reported again
 * has ended.
 */
export class CameraEventStates {
  readonly #tell: (change: CameraEventChange) => void;
  readonly #states = new Map<string, State>();

  constructor(tell: (change: CameraEventChange) => void) {
    this.#tell = tell;
  }

  /** A subscription began: the device will report all its states. */
  begin(): void {
    for (const state of this.#states.values()) state.isConfirmed = false;
  }

  /** The device has reported its initial states: the others have ended. */
  settle(timeUs: number): void {
    for (const [key, state] of this.#states) {
      if (state.isConfirmed) continue;
      this.#states.delete(key);
      if (state.active === true) this.#ended(state.signal, timeUs);
    }
  }

  take(signal: CameraSignal, operation: PropertyOperation | undefined, timeUs: number): void {
    const known = this.#states.get(signal.key);
    if (operation === "Deleted") {
      this.#states.delete(signal.key);
      if (known?.active === true) this.#ended(signal, timeUs);
      return;
    }
    if (known === undefined && this.#states.size >= CAMERA_STATES_MAX) return;
    const isRepeated = known !== undefined && known.signal.detail === signal.detail;
    const others = this.#isGroupActive(signal);
    if (operation !== undefined || signal.active !== undefined)
      this.#states.set(signal.key, { signal, active: signal.active, isConfirmed: true });
    if (signal.active === undefined) {
      // A repeated counter value adds nothing.
      if (operation === undefined || (operation === "Changed" && !isRepeated)) this.#told(signal, timeUs);
      return;
    }
    if (signal.active && !others) this.#told(signal, timeUs);
    else if (!signal.active && known?.active === true) this.#ended(signal, timeUs);
  }

  /** Reports lasting motion again, because motion claims expire. */
  renewMotion(timeUs: number): void {
    for (const { signal, active, isConfirmed } of this.#states.values())
      if (signal.kind === "motion" && active === true && isConfirmed) this.#told(signal, timeUs);
  }

  /** Several messages about the same thing, such as two tampering detectors, count as one. */
  #isGroupActive(signal: CameraSignal): boolean {
    for (const [key, { signal: other, active }] of this.#states) {
      const isSame = key === signal.key || (other.kind === "tampering" && isOneThing(other, signal));
      if (isSame && active === true) return true;
    }
    return false;
  }

  #ended(signal: CameraSignal, timeUs: number): void {
    if (signal.kind === "tampering" && this.#isGroupActive(signal)) return;
    this.#told({ ...signal, active: false }, timeUs);
  }

  #told({ kind, name, sourceToken, active, detail }: CameraSignal, timeUs: number): void {
    this.#tell({ kind, name, sourceToken, active, detail, timeUs });
  }
}

function isOneThing(one: CameraSignal, other: CameraSignal): boolean {
  return one.kind === other.kind && one.sourceToken === other.sourceToken;
}
