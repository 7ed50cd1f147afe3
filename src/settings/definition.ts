import type { ValueKind } from "./values.js";

/** A setting: what it takes, what it is without, and what it says of itself in the reference. */
export interface SettingDefinition<T> {
  readonly kind: ValueKind<T>;
  /** The default, or undefined where there is none. */
  readonly fallback: T;
  readonly unit?: string;
  readonly description: string;
  /** The command line's flag, where there is one. */
  readonly flag?: string;
  /** The default as text, if the value does not show it. */
  readonly fallbackText?: string;
}

export function define<T>(definition: SettingDefinition<T>): SettingDefinition<T> {
  return definition;
}
