/**
 * The time zone of this process, for one test. Other files run in the same process later: TZ must be as it was, and unset
 * where it was unset, because an assignment of undefined makes it the text "undefined", a zone that nobody knows.
 */
export class TimeZone {
  readonly #before = process.env.TZ;

  constructor(name?: string) {
    if (name !== undefined) this.set(name);
  }

  set(name: string): void {
    process.env.TZ = name;
  }

  restore(): void {
    if (this.#before === undefined) delete process.env.TZ;
    else process.env.TZ = this.#before;
  }
}

/** Runs `act` in a time zone; TZ is as it was afterwards, whatever becomes of it. */
export async function inTimeZone<T>(name: string, act: () => T | Promise<T>): Promise<T> {
  const zone = new TimeZone(name);
  try {
    return await act();
  } finally {
    zone.restore();
  }
}
