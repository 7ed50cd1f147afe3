import * as v from "valibot";
import { parseGuid } from "../../base/index.js";

/** A GUID in any spelling; read, it has ours. */
export const keptGuid = v.pipe(
  v.string(),
  v.transform((text) => parseGuid(text)),
  v.string(),
);

/** A GUID in our spelling alone. */
export const exactGuid = v.pipe(
  v.string(),
  v.check((text) => parseGuid(text) === text),
);

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
export function membersByThemselves<T>(
  name: v.GenericSchema<string, string>,
  member: v.GenericSchema<unknown, T>,
) {
  return v.pipe(
    v.record(v.string(), v.unknown()),
    v.transform((members) => {
      const read = Object.entries(members).flatMap(([key, given]): [string, T][] => {
        const [own, value] = [v.safeParse(name, key), v.safeParse(member, given)];
        return own.success && value.success ? [[own.output, value.output]] : [];
      });
      return new Map(read);
    }),
  );
}
