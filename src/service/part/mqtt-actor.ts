import { hasRight, isAllForbidden, type Principal, SitePrincipals } from "../../access/index.js";
import { mayReceive, shownEvent } from "../../compat/index.js";
import type { MqttActor } from "../../mqtt/index.js";
import type { Site, SiteStore } from "../../site/index.js";

const NO_USER = "the recorder accepts no commands over MQTT, because no user is set for them";

/** Whom the recorder acts for at the broker: the user that is set, as the configuration has it now. */
export class MqttActors {
  readonly #site: Pick<SiteStore, "current">;
  readonly #userName: string | undefined;
  #known:
    | { readonly site: Site; readonly actor: MqttActor; readonly principal: Principal | undefined }
    | undefined;

  constructor(site: Pick<SiteStore, "current">, userName: string | undefined) {
    this.#site = site;
    this.#userName = userName;
  }

  get current(): MqttActor {
    return this.#now().actor;
  }

  /** Undefined: no user is set, and everything is published. */
  get principal(): Principal | undefined {
    return this.#now().principal;
  }

  #now() {
    const { current: site } = this.#site;
    if (this.#known?.site === site) return this.#known;
    const principal = this.#userName === undefined ? undefined : principalOf(site, this.#userName);
    const actor = this.#userName === undefined ? EVERYBODY : actorOf(site, principal, this.#userName);
    this.#known = { site, actor, principal };
    return this.#known;
  }
}

function principalOf(site: Site, name: string): Principal | undefined {
  const principals = new SitePrincipals(site);
  const user = principals.user(name);
  const principal = user === undefined ? undefined : principals.principal(user);
  return principal === undefined || isAllForbidden(principal) ? undefined : principal;
}

const EVERYBODY: MqttActor = {
  user: undefined,
  refusal: NO_USER,
  maySee: () => true,
  mayWatch: () => true,
  maySwitchRecording: false,
  mayMove: false,
  mayRunScenarios: false,
  shown: (event) => event,
};

/** Of a user that there is not, or that may do nothing, nothing is published. */
function actorOf(site: Site, principal: Principal | undefined, name: string): MqttActor {
  if (principal === undefined)
    return {
      ...EVERYBODY,
      refusal: `the user ${name}, for whom the recorder acts over MQTT, does not exist or may do nothing`,
      maySee: () => false,
      mayWatch: () => false,
      shown: () => undefined,
    };
  const { user, group } = principal;
  return {
    user: { id: user.id, name: user.name, priority: group.ptzPriority },
    refusal: "",
    maySee: (id) => principal.maySee(id),
    mayWatch: (id) => principal.mayWatchRealtime(id),
    maySwitchRecording: hasRight(principal, "CanManageRec"),
    mayMove: hasRight(principal, "CanPTZ"),
    mayRunScenarios: hasRight(principal, "CanRunUserScenarios"),
    shown: (event) => (mayReceive(principal, event) ? shownEvent(principal, site.cameras, event) : undefined),
  };
}
