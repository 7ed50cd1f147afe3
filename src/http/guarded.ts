/**
 * A callback for the HTTP library that never throws: what is thrown in one ends the process. `fault` gets what was thrown,
 * and must not throw; the library gets `fallback`.
 */
export function guarded<A extends unknown[], R>(
  callback: (...given: A) => R,
  fault: (error: unknown) => void,
  fallback: R,
): (...given: A) => R {
  return (...given) => {
    try {
      return callback(...given);
    } catch (error) {
      fault(error);
      return fallback;
    }
  };
}
