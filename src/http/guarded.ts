/**
 * Wraps a callback for the HTTP library so that it never throws, because an exception in a callback ends the process. `fault`
 * gets the exception, and must not throw; the library gets `fallback`.
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
