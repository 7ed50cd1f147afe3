import { generate } from "selfsigned";

const IP_ADDRESS = 7;

/** A certificate of its own for 127.0.0.1, with its key, PEM. */
export async function makeCertificate(): Promise<{ key: string; cert: string }> {
  const made = await generate([{ name: "commonName", value: "127.0.0.1" }], {
    keySize: 2048,
    extensions: [{ name: "subjectAltName", altNames: [{ type: IP_ADDRESS, ip: "127.0.0.1" }] }],
  });
  return { key: made.private, cert: made.cert };
}
