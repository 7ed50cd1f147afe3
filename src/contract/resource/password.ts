/** Passwords that users choose for themselves: at the first run, and in place of the present one. */

export const PASSWORD_LENGTH_MIN = 8;
export const PASSWORD_LENGTH_MAX = 256;
