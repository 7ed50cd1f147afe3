import { type webcrypto, X509Certificate } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  type X509Certificate as Parsed,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const SUBJECT_NAMES = "2.5.29.17";
const DAY_MS = 86_400_000;

/** Signs whatever it is asked to. */
export class TestAuthority {
  readonly certificate: Parsed;
  readonly #keys: webcrypto.CryptoKeyPair;
  #serial = 0;

  private constructor(certificate: Parsed, keys: webcrypto.CryptoKeyPair) {
    this.certificate = certificate;
    this.#keys = keys;
  }

  static async create(name = "Test authority"): Promise<TestAuthority> {
    const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: `CN=${name}`,
      keys,
      signingAlgorithm: ALGORITHM,
      notBefore: new Date("2020-01-01"),
      notAfter: new Date("2060-01-01"),
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      ],
    });
    return new TestAuthority(certificate, keys);
  }

  get pem(): string {
    return `${this.certificate.toString("pem")}\n`;
  }

  /** A certificate for the request, which has to be signed by its own key; `names` instead of those it asks for. */
  async sign(
    csr: Buffer,
    {
      nowMs,
      days,
      names,
      serial,
    }: { nowMs: number; days: number; names?: readonly string[]; serial?: string },
  ): Promise<X509Certificate> {
    const request = new Pkcs10CertificateRequest(csr);
    if (!(await request.verify())) throw new Error("the request is not signed by its key");
    this.#serial += 1;
    const made = await X509CertificateGenerator.create({
      serialNumber: serial ?? (0xf0_00 + this.#serial).toString(16),
      issuer: this.certificate.subjectName,
      publicKey: request.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ALGORITHM,
      notBefore: new Date(nowMs - 3_600_000),
      notAfter: new Date(nowMs - 3_600_000 + days * DAY_MS),
      extensions: [
        new SubjectAlternativeNameExtension(
          (names ?? namesOf(csr)).map((value) => ({ type: "dns" as const, value })),
        ),
        await AuthorityKeyIdentifierExtension.create(this.certificate),
      ],
    });
    return new X509Certificate(Buffer.from(made.rawData));
  }
}

/** The names that a request asks for. */
export function namesOf(csr: Buffer): readonly string[] {
  const extension = new Pkcs10CertificateRequest(csr).getExtension(SUBJECT_NAMES);
  if (!(extension instanceof SubjectAlternativeNameExtension)) return [];
  return extension.names.items.map(({ value }) => value);
}
