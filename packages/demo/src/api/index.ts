/** The demo's API: it returns an owner's photos for an access token with the right scope (RFC 6750, RFC 9068). */

import {
  createResourceServer,
  protectedResourceMetadata,
  protectedResourceMetadataUrl,
  type ResourceServer,
} from "@assent/resource-server";
import { claimsOf, requireToken } from "@assent/resource-server/fastify";
import Fastify, { type FastifyInstance } from "fastify";
import { API_NAME, SCOPES } from "../demo-names-and-texts.ts";
import type { OpenPort } from "../open-port.ts";
import { type Album, createAlbum } from "./photos.ts";

export interface ApiFacts {
  readonly issuer: string;
  /** Where the API is reached, which is its identifier, too. */
  readonly url: string;
  /** Names of owners by their `sub`. */
  readonly names: ReadonlyMap<string, string>;
}

/** Builds the API behind an open port. */
export async function createApi({ issuer, url, names }: ApiFacts, port: OpenPort): Promise<FastifyInstance> {
  const resourceMetadata = protectedResourceMetadataUrl(url);
  // One machine has one clock: a token is good to the second, so that what the app counts down is what happens.
  const api = createResourceServer({ issuer, audience: url, resourceMetadata, clockTolerance: 0 });
  const app = Fastify({ serverFactory: port.serverFactory });
  app.addHook("onSend", async (_request, reply) => {
    reply.header("x-content-type-options", "nosniff").header("cache-control", "no-store");
  });
  const scopes = SCOPES.map(({ name }) => name);
  const metadata = protectedResourceMetadata({ issuer, audience: url, scopes, name: API_NAME });
  app.get(new URL(resourceMetadata).pathname, async () => metadata);
  app.get("/", async () => ({ name: API_NAME, resource_metadata: resourceMetadata }));
  addAlbum(app, api, createAlbum(), names);
  await app.ready();
  return app;
}

/** Who owns what is the API's own matter: each route answers from the album of the token's `sub`. */
function addAlbum(app: FastifyInstance, api: ResourceServer, album: Album, names: ReadonlyMap<string, string>): void {
  const needs = (scope: string) => ({ onRequest: requireToken(api, { scope }) });

  app.get("/profile", needs("profile:read"), async (request) => {
    const { sub } = claimsOf(request);
    return { name: names.get(sub) ?? null, album: "Lofoten, last June" };
  });

  app.get("/photos", needs("photos:read"), async (request) => ({ photos: album.list(claimsOf(request).sub) }));

  app.delete<{ Params: { id: string } }>("/photos/:id", needs("photos:delete"), async (request, reply) => {
    if (album.remove(claimsOf(request).sub, request.params.id)) return reply.code(204).send();
    return reply.code(404).send({ error: "not_found" });
  });
}
