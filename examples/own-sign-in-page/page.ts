/**
 * Your own sign-in page with Express: Assent sends browsers to it, and it says who signed in. Its users are in this file.
 *
 *   npx assent db migrate
 *   npx assent client create --name "Acme sign-in" --type confidential --grant-type client_credentials
 *   CLIENT_ID=… PORT=4000 ASSENT_CONFIG=examples/own-sign-in-page/assent.config.ts npx assent serve
 *   CLIENT_ID=… CLIENT_SECRET=… PORT=4000 node examples/own-sign-in-page/page.ts
 *
 * Open http://localhost:9400/account/apps, and sign in as ada@acme.example with the password "correct horse battery staple".
 */

import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import express, { type ErrorRequestHandler } from "express";
import session from "express-session";

declare module "express-session" {
  interface SessionData {
    /** Who signed in here, and when, in seconds. */
    user: { readonly id: string; readonly at: number };
  }
}

const {
  ISSUER: issuer = "http://localhost:9400",
  CLIENT_ID: id,
  CLIENT_SECRET: secret,
  PORT: port = "4000",
} = process.env;
if (id === undefined || secret === undefined) {
  console.error("Set CLIENT_ID and CLIENT_SECRET.");
  process.exit(2);
}

// A real page has its users in a database, each with a salt of their own.
const salt = "a salt";
const hashOf = (password: string) => scryptSync(password, salt, 32);
const users = [{ id: "7", email: "ada@acme.example", name: "Ada", hash: hashOf("correct horse battery staple") }];

interface Challenge {
  readonly client: { readonly client_name: string } | null;
  readonly auth_time_min: number;
  readonly choose_account: boolean;
}

async function ask<Answer>(what: "challenge" | "accept" | "reject", fields: Record<string, string>): Promise<Answer> {
  const answer = await fetch(`${issuer}/external-sign-in/${what}`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams(fields),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error_description);
  return body;
}

/** The address to which the browser goes back. */
async function accept(challenge: string, signedIn: { readonly id: string; readonly at: number }): Promise<string> {
  const { email = "", name = "" } = users.find((user) => user.id === signedIn.id) ?? {};
  const { redirect_to } = await ask<{ redirect_to: string }>("accept", {
    ...{ challenge, subject: signedIn.id, auth_time: String(signedIn.at), amr: "pwd" },
    ...{ name, email, email_verified: "true" },
  });
  return redirect_to;
}

const app = express();
app.use((_request, response, next) => {
  // The address of this page has the challenge, which is nobody else's business.
  response.set({ "referrer-policy": "no-referrer", "cache-control": "no-store" });
  next();
});
const cookie = { httpOnly: true, sameSite: "lax" } as const;
app.use(session({ cookie, secret: randomBytes(32).toString("hex"), resave: false, saveUninitialized: false }));

app.get("/sign-in", async (request, response) => {
  const challenge = String(request.query["challenge"]);
  const { client, auth_time_min, choose_account } = await ask<Challenge>("challenge", { challenge });
  const { user } = request.session;
  // Somebody who signed in here recently enough goes back at once.
  if (user !== undefined && user.at >= auth_time_min && !choose_account)
    return response.redirect(await accept(challenge, user));
  response.send(page(challenge, client?.client_name ?? "your account"));
});

app.post("/sign-in", express.urlencoded({ extended: false }), async (request, response) => {
  // Only the form of this page: another site could sign somebody in as somebody else.
  if (request.get("sec-fetch-site") !== "same-origin") return response.status(403).end();
  const { challenge = "", email, password, cancel } = request.body;
  if (cancel !== undefined) {
    const { redirect_to } = await ask<{ redirect_to: string }>("reject", { challenge, error: "cancelled" });
    return response.redirect(redirect_to);
  }
  const user = users.find((one) => one.email === email);
  const right = timingSafeEqual(hashOf(String(password)), user?.hash ?? Buffer.alloc(32));
  if (user === undefined || !right) return response.send(page(challenge, "your account", "Wrong address or password."));
  const signedIn = { id: user.id, at: Math.floor(Date.now() / 1000) };
  // A new session id, so that nobody knows the id of the signed-in session.
  request.session.regenerate(async () => {
    request.session.user = signedIn;
    response.redirect(await accept(challenge, signedIn));
  });
});

const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

function page(challenge: string, to: string, problem = ""): string {
  return `<!doctype html><html lang="en"><title>Sign in at Acme</title><h1>Sign in at Acme</h1>
<p>To go on to ${escaped(to)}</p><p role="alert">${problem}</p>
<form method="post" action="/sign-in"><input type="hidden" name="challenge" value="${escaped(challenge)}">
<p><label>Address <input name="email" type="email" autocomplete="username"></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
<p><button>Sign in</button> <button name="cancel" value="yes">Cancel</button></p></form></html>`;
}

const failed: ErrorRequestHandler = ({ message }, _request, response, _next) =>
  response
    .status(400)
    .send(`<p>${escaped(String(message))}</p><p><a href="${issuer}/account/apps">Begin again</a></p>`);
app.use(failed);
createServer(app).listen(Number(port), "127.0.0.1", () => console.log(`Page on http://localhost:${port}`));
