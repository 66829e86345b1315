/** The app's users: a table in PostgreSQL with bcrypt hashes. */

import { hash } from "@node-rs/bcrypt";
import { Pool } from "pg";

const database = new Pool({ connectionString: process.env["APP_DATABASE_URL"], max: 4, allowExitOnIdle: true });

export interface User {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly email_confirmed: boolean;
  readonly full_name: string | null;
  readonly password_hash: string;
  readonly active: boolean;
}

export async function userByLogin(login: string): Promise<User | undefined> {
  const found = await database.query<User>("SELECT * FROM users WHERE $1 IN (lower(username), lower(email))", [login]);
  // Two people with one name can't be told apart, so neither of them signs in.
  return found.rows.length === 1 ? found.rows[0] : undefined;
}

export async function userById(id: string): Promise<User | undefined> {
  const { rows } = await database.query<User>("SELECT * FROM users WHERE id = $1", [id]);
  return rows[0];
}

/** The user who has signed in at Assent. The first sign-in finds them by their confirmed address, and stores `sub`. */
export async function userOfAssent(sub: string, confirmedEmail: string | null): Promise<User | undefined> {
  const { rows } = await database.query<User>(
    `UPDATE users SET assent_sub = $1
     WHERE active AND (assent_sub = $1 OR (
       assent_sub IS NULL AND email_confirmed AND lower(email) = lower($2)
       AND NOT EXISTS (SELECT FROM users WHERE assent_sub = $1)))
     RETURNING *`,
    [sub, confirmedEmail],
  );
  return rows[0];
}

export async function setPassword(id: string, password: string): Promise<void> {
  await database.query("UPDATE users SET password_hash = $2 WHERE id = $1", [id, await hash(password, 12)]);
}
