/** Assent's configuration beside the app: people sign in with the name and password that they have in its table. */

import type { ExistingPeople } from "@assent/server";
import { type User, userById, userByLogin } from "./users.ts";

const about = (user: User) => ({
  id: user.id,
  username: user.username,
  email: user.email,
  emailVerified: user.email_confirmed,
  name: user.full_name,
  disabled: !user.active,
});

export const people: ExistingPeople = {
  async find(login) {
    const user = await userByLogin(login);
    return user === undefined ? null : { ...about(user), passwordHash: user.password_hash };
  },
  async claims(id) {
    const user = await userById(id);
    return user === undefined ? null : about(user);
  },
  passwords: "keep",
  application: {
    name: "Acme",
    changePassword: `${process.env["APP_URL"]}/account/password`,
  },
};

export default { people };
