import type { Guid } from "../../base/index.js";
import type { OwnerUse, ReplicaServing } from "./replica-server.js";

/** The messages between the service and the thread that keeps replicas. */

export type ToReplicas =
  /** What is served from now on; one with the same folder, port and key changes the owners alone. */
  | { readonly kind: "serve"; readonly serving: ReplicaServing }
  /** Removes what is kept of a recorder. */
  | { readonly kind: "remove"; readonly id: number; readonly owner: Guid };

export type FromReplicas =
  /** `problem`: why nothing is served; empty: it is. */
  | { readonly kind: "state"; readonly port: number; readonly problem: string }
  /** `failure`: of the disk, since the last report; empty: none. */
  | { readonly kind: "uses"; readonly uses: readonly OwnerUse[]; readonly failure: string }
  /** `problem`: why not all is removed; empty: it is. */
  | { readonly kind: "removed"; readonly id: number; readonly problem: string };
