/**
 * Where pictures are not those of a clip that is shown over and over, each after the one before; empty where they are. Pictures are
 * compared by what stands for them, such as a hash; those of the clip differ.
 */
export function breaksInClip(shown: readonly string[], clip: readonly string[]): string[] {
  const places = shown.map((picture) => clip.indexOf(picture));
  return places.flatMap((place, at) => {
    if (place < 0) return [`picture ${at} is none of the clip's`];
    const before = places[at - 1];
    if (before === undefined || before < 0 || place === (before + 1) % clip.length) return [];
    return [`picture ${at}: ${place} of ${clip.length} follows ${before}`];
  });
}
