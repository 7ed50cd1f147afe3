import type { X509Certificate } from "node:crypto";
import { BlockList, isIP, isIPv6 } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import {
  CERTIFICATE_ALGORITHM,
  certificateLibrary,
  createKeys,
  pemOf,
  pemOfKey,
  signingKey,
} from "./certificate-making.js";
import type { KeyAndCertificate } from "./tls-certificate.js";

/**
 * What an authority signs is valid from here on at the latest, because a machine may start in 1970; the authority itself from here
 * on, because its first start may be at a clock years ahead, and an authority stays.
 */
export const AUTHORITY_FROM_MS = Date.parse("2025-01-01T00:00:00Z");
const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 20 * 365;
/** Apple's devices take at most 825 days of what an installed authority signs. */
export const LEAF_DAYS = 800;
/** The clocks of those who look may be behind. */
const EARLIER_MS = DAY_MS;
const NAMES_MAX = 32;
const NAME_CONSTRAINTS = "2.5.29.30";
/** The end of the name of each recorder's authority. */
const AUTHORITY_MARK = " (nvrd)";

/** Names of networks that are nobody's on the Internet: RFC 6762, RFC 8375, ICANN's `internal`, and what routers use. */
const LOCAL_DOMAINS = ["local", "localhost", "home.arpa", "internal", "lan", "home"];
/** Addresses that are nobody's on the Internet (RFC 1918, 3927, 6598, 4193, 4291). */
const LOCAL_NETWORKS = [
  ...["10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"],
  ...["fc00::/7", "::1/128"],
] as const;

/** Names and addresses of this machine, at most 32. `address`: one that is listened on. */
export function ownNames(address?: string): readonly string[] {
  const host = hostname();
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    // No certificate can name the interface that belongs to such an address.
    .filter((one) => !one.internal && !one.address.startsWith("fe80:"))
    .map((one) => one.address);
  const names = [host, ...(host.includes(".") ? [] : [`${host}.local`]), "localhost", "127.0.0.1", "::1"];
  const all = [...names, ...(address === undefined ? [] : [address]), ...addresses];
  return [...new Set(all)].filter((name) => isIP(name) !== 0 || /^[\w.-]+$/.test(name)).slice(0, NAMES_MAX);
}

/**
 * An authority for certificates of this machine (X.509 v3, RFC 5280): ECDSA with P-256, for twenty years. Its name constraints
 * keep it to the host names among `names`, names of local networks and private addresses: who installs it on a device trusts the
 * recorder, and nobody who steals its key can pretend to be another site.
 */
export async function createAuthority(names: readonly string[], nowMs: number): Promise<KeyAndCertificate> {
  const x509 = await certificateLibrary();
  const keys = await createKeys();
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [`${names[0] ?? "recorder"}${AUTHORITY_MARK}`] }],
    keys,
    signingAlgorithm: CERTIFICATE_ALGORITHM,
    ...validity(nowMs, AUTHORITY_DAYS),
    notBefore: new Date(AUTHORITY_FROM_MS),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      new x509.Extension(NAME_CONSTRAINTS, true, await nameConstraints(names)),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pemOf(made), key: await pemOfKey(keys.privateKey) };
}

/** A certificate of HTTPS for those of the wanted names that the authority may sign, with the authority's behind it. */
export async function createLeaf(
  authority: KeyAndCertificate,
  wanted: readonly string[],
  nowMs: number,
): Promise<KeyAndCertificate> {
  const x509 = await certificateLibrary();
  const issuer = new x509.X509Certificate(authority.certificate);
  const keys = await createKeys();
  const names = await permittedNames(authority.certificate, wanted);
  const [name = "localhost"] = names;
  const made = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [name] }],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority.key),
    signingAlgorithm: CERTIFICATE_ALGORITHM,
    ...validity(nowMs, LEAF_DAYS),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ("dns" as const) : ("ip" as const), value })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: `${pemOf(made)}${authority.certificate}`, key: await pemOfKey(keys.privateKey) };
}

/** Whether an authority of a recorder is named as the issuer. */
export function namesAuthority({ issuer }: X509Certificate): boolean {
  return (issuer ?? "").endsWith(AUTHORITY_MARK);
}

function validity(nowMs: number, days: number): { notBefore: Date; notAfter: Date } {
  const from = Math.max(nowMs, AUTHORITY_FROM_MS);
  return { notBefore: new Date(from - EARLIER_MS), notAfter: new Date(from - EARLIER_MS + days * DAY_MS) };
}

/** RFC 5280, 4.2.1.10: the permitted subtrees. */
async function nameConstraints(names: readonly string[]): Promise<ArrayBuffer> {
  const { AsnConvert } = await import("@peculiar/asn1-schema");
  const { GeneralName, GeneralSubtree, GeneralSubtrees, NameConstraints } = await import(
    "@peculiar/asn1-x509"
  );
  const bases = [
    ...[...new Set([...names.filter((name) => isIP(name) === 0), ...LOCAL_DOMAINS])].map(
      (dNSName) => new GeneralName({ dNSName }),
    ),
    ...LOCAL_NETWORKS.map((iPAddress) => new GeneralName({ iPAddress })),
  ];
  const permittedSubtrees = new GeneralSubtrees(bases.map((base) => new GeneralSubtree({ base })));
  return AsnConvert.serialize(new NameConstraints({ permittedSubtrees }));
}

/** Those of `names` that an authority's name constraints permit: one more, and browsers refuse the whole certificate. */
export async function permittedNames(
  authority: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const { X509Certificate } = await certificateLibrary();
  const constraints = new X509Certificate(authority).getExtension(NAME_CONSTRAINTS)?.value;
  if (constraints === undefined) return names;
  const { AsnConvert } = await import("@peculiar/asn1-schema");
  const { NameConstraints } = await import("@peculiar/asn1-x509");
  const { permittedSubtrees = [] } = AsnConvert.parse(constraints, NameConstraints);
  const domains = permittedSubtrees.flatMap(({ base }) => base.dNSName ?? []);
  const networks = new BlockList();
  for (const { base } of permittedSubtrees) {
    const [network = "", bits] = (base.iPAddress ?? "").split("/");
    if (bits !== undefined) networks.addSubnet(network, Number(bits), familyOf(network));
  }
  return names.filter((name) =>
    isIP(name) === 0
      ? domains.some((domain) => name === domain || name.endsWith(`.${domain}`))
      : networks.check(name, familyOf(name)),
  );
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}
