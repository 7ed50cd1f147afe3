/** Groups of a rollout: those that are first, then all others in groups of a size, in the order of the list. */
export function plannedGroups<Id extends string>(
  ids: readonly Id[],
  { first, size }: { readonly first: ReadonlySet<Id>; readonly size: number },
): readonly (readonly Id[])[] {
  const others = ids.filter((id) => !first.has(id));
  const step = Number.isInteger(size) && size > 0 ? size : Math.max(1, others.length);
  const groups = [ids.filter((id) => first.has(id))];
  for (let at = 0; at < others.length; at += step) groups.push(others.slice(at, at + step));
  return groups.filter((group) => group.length > 0);
}
