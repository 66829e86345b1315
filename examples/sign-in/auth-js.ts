/**
 * A web app with Express in which people sign in, with Auth.js.
 *
 *   npx assent client create --name "Photo Club" --type confidential --scope "openid profile email" \
 *     --redirect-uri http://127.0.0.1:4000/auth/callback/assent
 *   CLIENT_ID=… CLIENT_SECRET=… PORT=4000 node examples/sign-in/auth-js.ts
 *
 * Open http://127.0.0.1:4000.
 */

import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { ExpressAuth, type ExpressAuthConfig, getSession } from "@auth/express";
import express from "express";

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT = "4000" } = process.env;
if (CLIENT_ID === undefined || CLIENT_SECRET === undefined) {
  console.error("Set CLIENT_ID and CLIENT_SECRET.");
  process.exit(2);
}

export const config: ExpressAuthConfig = {
  // A real app has a constant secret, in AUTH_SECRET.
  secret: randomBytes(32).toString("hex"),
  providers: [
    {
      id: "assent",
      name: "Assent",
      type: "oidc",
      issuer: ISSUER ?? "http://localhost:9400",
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      checks: ["pkce", "state", "nonce"],
      // Reads name and address from UserInfo. The ID token has neither.
      idToken: false,
    },
  ],
  callbacks: {
    // Without these two, Auth.js makes up an id at each sign-in.
    jwt: ({ token, profile }) => (profile?.sub ? { ...token, sub: profile.sub } : token),
    session: ({ session, token }) => ({ ...session, user: { ...session.user, id: token.sub ?? "" } }),
  },
};

const app = express();
app.use("/auth", ExpressAuth(config));
app.get("/", async (request, response) => {
  const session = await getSession(request, config);
  if (session === null) return response.redirect("/auth/signin");
  response.json(session.user);
});
createServer(app).listen(Number(PORT), "127.0.0.1", () => console.log(`App on http://127.0.0.1:${PORT}`));
