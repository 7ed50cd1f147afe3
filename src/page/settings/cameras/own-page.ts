/** The web address of a camera; undefined where its address names no host. A stream's port is none of its page. */
export function ownPage(address: string): string | undefined {
  const isStream = /^rtsp(?:s|\+https?)?:\/\//i.test(address);
  const url = isStream || /^https?:\/\//i.test(address) ? address : `http://${address}`;
  if (!URL.canParse(url)) return undefined;
  const { protocol, host } = new URL(url);
  if (host === "") return undefined;
  const [, name = host] = /^(\[[^\]]*\]|[^:]*)/.exec(host) ?? [];
  return isStream ? `http://${name}/` : `${protocol}//${host}/`;
}
