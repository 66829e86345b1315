/**
 * A web app with Next.js in which people sign in, with Auth.js.
 *
 *   npx assent client create --name "Photo Club" --type confidential --scope "openid profile email" \
 *     --redirect-uri http://localhost:4000/api/auth/callback/assent
 *   npm install --prefix examples/sign-in/next-js --no-package-lock
 *   AUTH_SECRET=$(openssl rand -hex 32) CLIENT_ID=… CLIENT_SECRET=… \
 *     examples/sign-in/next-js/node_modules/.bin/next dev examples/sign-in/next-js --hostname localhost --port 4000
 *
 * Open http://localhost:4000.
 */

import NextAuth from "next-auth";

export const { handlers, auth } = NextAuth({
  providers: [
    {
      id: "assent",
      name: "Assent",
      type: "oidc",
      issuer: process.env.ISSUER ?? "http://localhost:9400",
      clientId: process.env.CLIENT_ID,
      clientSecret: process.env.CLIENT_SECRET,
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
});
