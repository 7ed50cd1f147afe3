import { generate } from "selfsigned";

const DNS_NAME = 2;
const IP_ADDRESS = 7;

/** A certificate of its own for 127.0.0.1, or for a name and that address, with its key, PEM. `from`: when it begins; default now. */
export async function makeCertificate(name?: string, from?: Date): Promise<{ key: string; cert: string }> {
  const named = name === undefined ? [] : [{ type: DNS_NAME, value: name } as const];
  const made = await generate([{ name: "commonName", value: name ?? "127.0.0.1" }], {
    keySize: 2048,
    ...(from !== undefined && { notBeforeDate: from }),
    extensions: [{ name: "subjectAltName", altNames: [...named, { type: IP_ADDRESS, ip: "127.0.0.1" }] }],
  });
  return { key: made.private, cert: made.cert };
}
