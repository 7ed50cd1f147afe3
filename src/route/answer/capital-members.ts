/** What the service has in memory by names of its own, as JSON of the API has it: `freeBytes` as `FreeBytes`, nothing as null. */
export type Capitalized<T> = T extends readonly (infer I)[]
  ? readonly Capitalized<I>[]
  : T extends object
    ? { readonly [N in keyof T & string as Capitalize<N>]-?: Capitalized<T[N]> }
    : T extends undefined
      ? null
      : T;

/** The members with a capital letter, and those of all objects within; undefined becomes null. */
export function capitalized<T>(value: T): Capitalized<T> {
  return capitalizedValue(value) as Capitalized<T>;
}

function capitalizedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(capitalizedValue);
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [capitalName(name), capitalizedValue(member)]),
  );
}

export function capitalName(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
