/**
 * service/api: the server of the API: all endpoints in one list, and what each needs of the service.
 *
 * Belongs here: the list of the topics, the objects that endpoints share, the ports.
 * Does not belong here: endpoints (`compat`, `owner`), what they share (`route`), HTTP syntax (`http`).
 */
export { type ApiMemory, ApiServer, type ApiServerOptions } from "./api-server.js";
