/**
 * People of an application that you have, in one file. They sign in with the username or address and the password that
 * they have there, and get an account here. The application's table `users` is in PostgreSQL.
 *
 * The server and its commands use this file as their configuration. In every terminal type
 * `export ASSENT_CONFIG=examples/existing-people.ts APP_DATABASE_URL=postgres://reader@db.example/app`, with the address of
 * your database and a role that may only read that table.
 *
 *   npx assent serve
 */

import type { ExistingPeople } from "@assent/server";
import { Pool } from "pg";

const application = new Pool({ connectionString: process.env["APP_DATABASE_URL"], max: 4, allowExitOnIdle: true });

interface User {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly email_confirmed: boolean;
  readonly full_name: string | null;
  readonly password_hash: string;
  readonly active: boolean;
}

export const people: ExistingPeople = {
  async find(login) {
    const { rows } = await application.query<User>(
      "SELECT * FROM users WHERE lower(username) = lower($1) OR lower(email) = lower($1)",
      [login],
    );
    const [user] = rows;
    // Two people with one name can't be told apart, so neither of them signs in.
    if (user === undefined || rows.length > 1) return null;
    return {
      id: String(user.id),
      username: user.username,
      email: user.email,
      emailVerified: user.email_confirmed,
      name: user.full_name,
      passwordHash: user.password_hash,
      disabled: !user.active,
    };
  },
};

export default { people };
