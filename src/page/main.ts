import { startPage } from "./app.js";

startPage(document);
