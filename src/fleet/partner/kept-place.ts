import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { type Clock, type Guid, type Log, NvrdError, parseGuid } from "../../base/index.js";
import { readKeyAndCertificate } from "../../http/index.js";
import type { PartnerPlace } from "./partner-connection.js";
import { PARTNERS_FOLDER, type Partner, PartnerList } from "./partner-list.js";

/** A partner as a data directory knows it, and whose that is. */
export interface KeptPlace {
  readonly ownId: Guid;
  readonly partner: Partner;
  readonly place: PartnerPlace;
}

/** Where a partner is, by the data directory of a recorder that need not run. Rejects with NvrdError NOT_FOUND. */
export async function keptPlace(
  { dataDir, id }: { readonly dataDir: string; readonly id: Guid },
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<KeptPlace> {
  const directory = join(dataDir, PARTNERS_FOLDER);
  const partner = new PartnerList({ directory, clock, log }).get(id);
  const own = await readKeyAndCertificate({
    keyFile: join(directory, "key.pem"),
    certificateFile: join(directory, "certificate.pem"),
  });
  const ownId = parseGuid(
    /CN=(\S+)/.exec(own === undefined ? "" : new X509Certificate(own.certificate).subject)?.[1] ?? "",
  );
  if (partner === undefined || own === undefined || ownId === undefined)
    throw new NvrdError("NOT_FOUND", `${directory} knows no partner ${id}`, {
      hint: "GET /api/fleet/partners lists them; give the data directory of the recorder whose recordings are wanted",
    });
  const { hosts, port, certificate } = partner;
  return { ownId, partner, place: { hosts, port, certificate, own } };
}
