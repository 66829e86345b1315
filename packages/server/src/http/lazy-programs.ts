/** Loads the admin API and the registration endpoint at their first request: most processes never get one. */

import type { Endpoint, ReadUpload } from "./lazy-pages.ts";

const load = () => import("./admin-api/index.ts");

export const adminApi: Endpoint = async (http, assent) => (await load()).answer(http, assent.adminApi);

export const readAdminBody: ReadUpload = async (raw, http, over, assent) =>
  (await load()).receive(raw, http, over, assent.adminApi);

const loadRegistration = () => import("./registration/index.ts");

/** Where registration is off, it has no route. */
export const registration: Endpoint = async (http, assent) => (await loadRegistration()).answer(http, assent);

export const readRegistration: ReadUpload = async (raw) => (await loadRegistration()).receive(raw);
