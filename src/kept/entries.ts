import * as v from "valibot";

/** A list of which each entry is read by itself: one that is damaged costs that entry alone. */
export function eachByItself<T>(entry: v.GenericSchema<unknown, T>, countMax = Number.POSITIVE_INFINITY) {
  return v.pipe(
    v.array(v.unknown()),
    v.maxLength(countMax),
    v.transform((entries): T[] =>
      entries.flatMap((given) => {
        const read = v.safeParse(entry, given);
        return read.success ? [read.output] : [];
      }),
    ),
  );
}

/** The same of an object's members, by name. */
export function membersByThemselves<T>(name: v.GenericSchema<string>, member: v.GenericSchema<unknown, T>) {
  return v.pipe(
    v.record(v.string(), v.unknown()),
    v.transform((members) => {
      const read = Object.entries(members).flatMap(([key, given]): [string, T][] => {
        const value = v.safeParse(member, given);
        return value.success && v.is(name, key) ? [[key, value.output]] : [];
      });
      return new Map(read);
    }),
  );
}
