// What the service is asked.

import { ask } from "./ask.js";

export const listModels = () => ask("v1/models");
export const tag = (body, signal) => ask("v1/tag", { body, signal });
export const explain = (body, signal) => ask("v1/explain", { body, signal });
