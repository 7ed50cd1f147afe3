const UUID = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/i;
const OTHER_URN = /^urn:[\x21-\x7e]{1,120}$/i;

/**
 * An endpoint reference in the normalized form for comparison: `urn:uuid:` and lower case. Devices write it as `urn:uuid:…`,
 * `uuid:…`, bare, in capitals and without dashes. Undefined if `text` is not one.
 */
export function normalIdentity(text: string): string | undefined {
  const uuid = UUID.exec(text)?.[0];
  if (uuid === undefined) return OTHER_URN.test(text) ? text.toLowerCase() : undefined;
  const digits = uuid.replaceAll("-", "").toLowerCase();
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20),
  ];
  return /^0+$/.test(digits) ? undefined : `urn:uuid:${parts.join("-")}`;
}

/** The endpoint reference of a recorder, as it reports and announces it. */
export function recorderIdentity({ id }: { readonly id: string }): string {
  return `urn:uuid:${id.toLowerCase()}`;
}
