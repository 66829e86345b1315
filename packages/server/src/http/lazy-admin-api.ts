/** Loads the admin API at its first request: most processes never get one. */

import type { Endpoint, ReadUpload } from "./lazy-pages.ts";

const load = () => import("./admin-api/index.ts");

export const adminApi: Endpoint = async (http, assent) => (await load()).answer(http, assent.adminApi);

export const readAdminBody: ReadUpload = async (raw, http, over, assent) =>
  (await load()).receive(raw, http, over, assent.adminApi);
