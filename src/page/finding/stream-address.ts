/** The address of a stream as somebody types it, with its login apart. */
export interface StreamAddress {
  readonly address: string;
  readonly login: string;
  readonly password: string;
}

/** What a text says where it is the address of a stream; undefined: it is none. */
export function streamAddressOf(text: string): StreamAddress | undefined {
  const typed = text.trim();
  if (!/^rtsp(?:s|\+https?)?:\/\/./i.test(typed)) return undefined;
  const [, scheme = "", login = "", password = "", rest = ""] =
    /^([^:]+:\/\/)(?:([^:@/]*)(?::([^@/]*))?@)?(.*)$/s.exec(typed) ?? [];
  return { address: `${scheme}${rest}`, login: decoded(login), password: decoded(password) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that stands for itself.
    return text;
  }
}
