/** An API that accepts the server's access tokens: `node examples/quickstart/api.ts`. */

import { createServer } from "node:http";
import { createResourceServer } from "@assent/resource-server";
import { withToken } from "@assent/resource-server/node";

const issuer = process.env["ISSUER"] ?? "http://localhost:9400";
const port = Number(process.env["API_PORT"] ?? 3000);

const api = createResourceServer({
  issuer,
  audience: process.env["AUDIENCE"] ?? "http://127.0.0.1:3000",
  // Callers read a fixed text. The reason is for the log.
  onRefusal: ({ condition, detail }) => console.error(condition, detail ?? ""),
});

createServer(
  withToken(api, { scope: "albums:read" }, (_request, response, claims) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ owner: claims.sub, photos: ["lake.jpg", "grandma.jpg"] }));
  }),
).listen(port, "127.0.0.1", () => console.log(`API on http://127.0.0.1:${port}`));
