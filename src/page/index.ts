/**
 * page: the browser's program: what an owner sees at `/`. Built by `scripts/page.mjs` into hashed files; the service serves
 * them and knows nothing else of it.
 *
 * Parts, from the bottom up: `words/` (dictionaries), `state/` (who is logged in, channels, preferences, requests to the
 * service), `control/` (buttons, fields, dialogs: what all screens share), `player/` (the live socket, pictures and sound in
 * an element), `login/`, `finding/` (cameras that are not added yet), and a folder for each screen: `wall/`, `playback/`,
 * `events/`, `review/`, `settings/`, `account/`, `recorders/`, `setup/`.
 *
 * Belongs here: what runs in the browser, and the style sheets beside it.
 * Does not belong here: anything of the service. The page takes facts and types of `contract`, and speaks documented endpoints.
 */
