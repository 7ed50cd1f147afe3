/** The name that hubs have in their certificates, wherever they are: what a box trusts is the authority, not an address. */
export const HUB_NAME = "hub.nvrd.internal";
