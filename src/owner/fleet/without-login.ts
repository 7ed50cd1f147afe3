const LOGIN_NAMES: ReadonlySet<string> = new Set(["login", "password", "usertype"]);

/** A query, with its question mark, without the login at the hub, which is nobody's but the hub's. */
export function withoutLogin(query: string): string {
  const pairs = query.slice(1).split(/[&?]/);
  const kept = pairs.filter((pair) => {
    const [name = ""] = new URLSearchParams(pair).keys();
    return pair !== "" && !LOGIN_NAMES.has(name.trim().toLowerCase());
  });
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}
