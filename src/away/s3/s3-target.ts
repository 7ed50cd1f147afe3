/** What a request to object storage needs to know of its target. */
export interface S3Target {
  /** `https://host[:port]` or `http://host[:port]`, without a path. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Begins each key; empty, or ends with a slash. */
  readonly prefix: string;
  /** `path`: `https://host/bucket/key`; `host`: `https://bucket.host/key`. */
  readonly style: "path" | "host";
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials; empty for others. */
  readonly sessionToken: string;
  /** Certificates (PEM) that alone are trusted; empty: the authorities that Node knows. */
  readonly authority: string;
  /** `http://[user:password@]host[:port]`; empty: none. */
  readonly proxy: string;
  /** Another recorder that is the store; undefined: a server that is known by its address. */
  readonly recorder?: RecorderPlace;
}

/** Where another recorder takes objects, what it shows there, and what this one shows. Plain values, for any thread. */
export interface RecorderPlace {
  /** As its owner calls it. */
  readonly name: string;
  /** Names and addresses, IPv6 without brackets; they are tried in this order. */
  readonly hosts: readonly string[];
  /** 0: it does not say; `problem` does. */
  readonly port: number;
  /** SHA-256 of its certificate, base64url. */
  readonly certificate: string;
  /** This recorder's key and certificate, PEM. */
  readonly own: { readonly key: string; readonly certificate: string };
  /** Why nothing can go there; empty: nothing is known against it. */
  readonly problem: string;
}

/** The URL of an object, or of the bucket where `key` is empty. Keys of nvrd need no escapes, others are escaped. */
export function objectUrl(
  { endpoint, bucket, style }: S3Target,
  key: string,
  query: Readonly<Record<string, string>> = {},
): URL {
  const url = new URL(endpoint);
  if (style === "host") url.hostname = `${bucket}.${url.hostname}`;
  const path = key.split("/").map(escaped).join("/");
  url.pathname = style === "host" ? `/${path}` : `/${bucket}/${path}`;
  url.search = Object.entries(query)
    .map(([name, value]) => `${name}=${escaped(value)}`)
    .join("&");
  return url;
}

/** As the signature writes it (RFC 3986), so that the server signs the same text. */
function escaped(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
