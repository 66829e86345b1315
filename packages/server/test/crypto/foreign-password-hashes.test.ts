/** Password hashes of other systems. The samples were made by Python's hashlib, bcrypt and argon2-cffi. */

import { describe, expect, test } from "vitest";
import { isKnownHash, verifyForeignPassword } from "../../src/crypto/foreign-password-hashes.ts";

const PASSWORD = "correct horse battery staple";
const anybody = { allocation: "a", provider: "p", network: "n", account: "x", known: true };

const samples = [
  ["argon2id", "$argon2id$v=19$m=64,t=1,p=1$VMbcrWmLdgYbOhApbuIW7A$O2lQQB4/UeEFHtWJ73kb5ZU6htZDuvWKyKT0Aysnez4"],
  ["argon2i", "$argon2i$v=19$m=64,t=1,p=1$tIC9ma/OUJdXrJsE+0tS2g$24IfIcIRr0qHMvFOL6lIdiPsH57zk2QEIPBpyt4ByzI"],
  ["bcrypt 2b", "$2b$04$I9BOAT0Qb6oilF.roTcaC.4OI7emPm/qEaV0hLuqIwAi6vZXbeWXa"],
  ["bcrypt 2a", "$2a$04$Jc1ptWPptbV50L2ODRPLEe6bfWJfLcUo2gazdvVBpliEYbOqFzOzu"],
  ["scrypt", "$scrypt$ln=10,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$bHXojks4sm1uMH4CDw9EcLZ/muyLxbYYc9xGzvNAnuQ"],
  ["PBKDF2 SHA-256", "$pbkdf2-sha256$1000$c2FsdHNhbHRzYWx0c2FsdA$31ltvuXrbs8POP2F4tw9851NSNQCQpm0sCwu2eEvId8"],
  [
    "PBKDF2 SHA-512",
    "$pbkdf2-sha512$1000$c2FsdHNhbHRzYWx0c2FsdA$ORxvnPF08mmTltUf/WSLS8FZ3yYanqBrD.km4rpMr07F2ze7/s1VLAjm.ry9RrSLc7aA5i7XxlkTGvDGO5vcpw",
  ],
  ["PBKDF2 SHA-1", "$pbkdf2$1000$c2FsdHNhbHRzYWx0c2FsdA$XfAg5IAz304UvYgmglt9ZXw8wLc"],
  ["Django", "pbkdf2_sha256$1000$NaCl4Django$p3Ki6qkJy8oYjfVSchYYmBLlD8q9akqb1w77yHTw9x8="],
] as const;

describe.each(samples)("%s", (_, stored) => {
  test.each(["", "correct horse battery stapl", "Correct horse battery staple", `${PASSWORD} `, `${PASSWORD}\0`])(
    "%j → wrong",
    async (password) => {
      expect(await verifyForeignPassword(password, stored, anybody)).toBe(false);
    },
  );

  test("the password → right", async () => {
    expect(isKnownHash(stored)).toBe(true);
    expect(await verifyForeignPassword(PASSWORD, stored, anybody)).toBe(true);
  });
});

describe("unknown, or too costly → not known, and never verified", () => {
  test.each([
    ["nothing", ""],
    ["plain text", PASSWORD],
    ["MD5", "5f4dcc3b5aa765d61d8327deb882cf99"],
    ["bcrypt of cost 31", "$2b$31$I9BOAT0Qb6oilF.roTcaC.4OI7emPm/qEaV0hLuqIwAi6vZXbeWXa"],
    ["bcrypt of cost 03", "$2b$03$I9BOAT0Qb6oilF.roTcaC.4OI7emPm/qEaV0hLuqIwAi6vZXbeWXa"],
    ["bcrypt cut", "$2b$04$I9BOAT0Qb6oilF.roTcaC.4OI7emPm"],
    ["argon2 of 4 GiB", samples[0][1].replace("m=64", "m=4194304")],
    ["argon2 of 100 passes", samples[0][1].replace("t=1", "t=100")],
    ["scrypt of 16 GiB", samples[4][1].replace("ln=10", "ln=24")],
    ["scrypt of 512 MiB", samples[4][1].replace("ln=10,r=8", "ln=17,r=32")],
    ["PBKDF2 of 50 million turns", samples[5][1].replace("$1000$", "$50000000$")],
    ["PBKDF2 of no turns", samples[5][1].replace("$1000$", "$0$")],
    ["a line break at the end", `${samples[5][1]}\n`],
    ["10,000 characters", `${samples[5][1]}${"A".repeat(10_000)}`],
  ])("%s", (_, stored) => {
    expect(isKnownHash(stored)).toBe(false);
    expect(() => verifyForeignPassword(PASSWORD, stored, anybody)).toThrow("unknown form");
  });
});
