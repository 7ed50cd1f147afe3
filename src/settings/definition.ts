import type { ValueKind } from "./values.js";

/** A setting: its accepted values, its default, and its description in the reference. */
export interface SettingDefinition<T> {
  readonly kind: ValueKind<T>;
  /** The default; undefined if there is none. */
  readonly fallback: T;
  readonly unit?: string;
  readonly description: string;
  /** The command-line flag, if any. */
  readonly flag?: string;
  /** The default as text, if the value does not show it. */
  readonly fallbackText?: string;
}

export function define<T>(definition: SettingDefinition<T>): SettingDefinition<T> {
  return definition;
}
