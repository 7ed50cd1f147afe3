import { generate } from "selfsigned";

const DNS_NAME = 2;
const IP_ADDRESS = 7;

/** A certificate of its own for 127.0.0.1, or for a name and that address, with its key, PEM. */
export async function makeCertificate(name?: string): Promise<{ key: string; cert: string }> {
  const named = name === undefined ? [] : [{ type: DNS_NAME, value: name } as const];
  const made = await generate([{ name: "commonName", value: name ?? "127.0.0.1" }], {
    keySize: 2048,
    extensions: [{ name: "subjectAltName", altNames: [...named, { type: IP_ADDRESS, ip: "127.0.0.1" }] }],
  });
  return { key: made.private, cert: made.cert };
}
