/** A style sheet that is there once the module that imports it is; `scripts/page/page-bundle.mjs` makes it a module. */
declare module "*.css";
