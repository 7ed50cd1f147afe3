/** A value of ours as JSON of the API: members begin with a capital letter, and what is undefined is null. */
export function pascalMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pascalMembers);
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name.slice(0, 1).toUpperCase() + name.slice(1),
      pascalMembers(member),
    ]),
  );
}
