/**
 * An app with users and passwords of its own, before Assent.
 *
 *   psql "$APP_DATABASE_URL" -f examples/existing-app/users.sql
 *   PORT=4000 node examples/existing-app/before.ts
 */

import { randomBytes } from "node:crypto";
import { verify } from "@node-rs/bcrypt";
import express from "express";
import session from "express-session";
import { userById, userByLogin } from "./users.ts";

declare module "express-session" {
  interface SessionData {
    userId: string;
  }
}

const app = express();
app.use(session({ secret: randomBytes(32).toString("hex"), resave: false, saveUninitialized: false }));
app.use(express.urlencoded({ extended: false }));

app.get("/", async ({ session: { userId } }, response) => {
  const user = userId === undefined ? undefined : await userById(userId);
  if (user === undefined) return response.redirect("/sign-in");
  response.json({ id: user.id, name: user.full_name });
});

app.get("/sign-in", (_request, response) => {
  response.send(`<form method="post">
    <label>Name <input name="login"></label> <label>Password <input name="password" type="password"></label>
    <button>Sign in</button></form>`);
});

app.post("/sign-in", async (request, response) => {
  const { body } = request;
  const user = await userByLogin(String(body.login).toLowerCase());
  const right = user?.active === true && (await verify(String(body.password), user.password_hash));
  if (!right) return response.status(403).send("Wrong name or password.");
  request.session.regenerate(() => {
    request.session.userId = user.id;
    response.redirect("/");
  });
});

const port = Number(process.env["PORT"] ?? 4000);
app.listen(port, "127.0.0.1", () => console.log(`App on http://127.0.0.1:${port}`));
