/**
 * acme: certificates of HTTPS from an authority on the network (ACME, RFC 8555): the exchange with its server, the account, proofs
 * that names are the recorder's, renewal in time.
 *
 * Belongs here: what an authority is asked and when; what is kept for that; why it fails, in an installer's words.
 * Does not belong here: the certificate that HTTPS has (`http`); who may change it, and the answer to the authority's look (`owner`).
 */
export { AcmeCertificates, type AcmeNotice, type AcmeState } from "./acme-certificates.js";
export type { AcmeSettings, ExternalAccount } from "./acme-settings.js";
export { type AcmeFindings, tryAcme } from "./acme-trial.js";
export { requestCertificate } from "./certificate-request.js";
export { CHALLENGE_PATH, type NameReachOptions } from "./name-reach.js";
export { OpenChallenges } from "./open-challenges.js";
export { problemWords } from "./problem-words.js";
