import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isPostgresUrl, maskedUrl, parseAddress, tlsOf } from "../../../src/storage/postgres/database-url.ts";

const base = "postgres://assent:pw@db.example/assent";

describe("what isn't taken", () => {
  test.each([
    ["postgres:db", "form"],
    ["postgres://db.example/assent", "the user is missing"],
    ["postgres://assent@db.example", "the database name is missing"],
    ["postgres://assent@/assent", "host 1"],
    ["postgres://assent@db:0/assent", "host 1"],
    ["postgres://assent@db,db:70000/assent", "host 2"],
    ["postgres://assent@db;x/assent", "host 1"],
    [`postgres://assent@${Array(11).fill("db").join(",")}/assent`, "at most 10 hosts"],
    ["postgres://as%sent@db/assent", "%25"],
    [`${base}?sslmode=always`, "sslmode"],
    [`${base}?sslmode=prefer`, "sslmode=prefer"],
    [`${base}?sslmode=disable&sslmode=require`, "twice"],
    [`${base}?options=-c%20x`, 'unknown parameter "options"'],
    [`${base}?target_session_attrs=standby`, "target_session_attrs"],
    [`${base}?max_connections=4`, "max_connections"],
  ])("%s → %s", (url, problem) => {
    expect(() => parseAddress(url)).toThrow(problem);
    expect(() => parseAddress(url)).not.toThrow(/pw/);
  });
});

test("several hosts, names and addresses, encoded parts → as they were meant", () => {
  const url =
    "postgresql://as%40sent:p%3Aw%2F@one:1,[2001:db8::1]:2,10.0.0.3/my%20db?target_session_attrs=read-write&application_name=x";
  expect(parseAddress(url)).toMatchObject({
    hosts: [
      { host: "one", port: 1 },
      { host: "2001:db8::1", port: 2 },
      { host: "10.0.0.3", port: 5432 },
    ],
    user: "as@sent",
    password: "p:w/",
    database: "my db",
    applicationName: "x",
    sslMode: "verify-full",
  });
  expect(isPostgresUrl(url)).toBe(true);
  expect(isPostgresUrl("sqlite:postgres://")).toBe(false);
});

test("a Unix socket → its directory; no password, and none needed", () => {
  expect(parseAddress("postgres://assent@/assent?host=/var/run/postgresql&port=6432")).toMatchObject({
    hosts: [{ host: "/var/run/postgresql", port: 6432 }],
    password: undefined,
    sslMode: "prefer",
  });
});

test("shown → without password", () => {
  expect(maskedUrl(`${base}?sslmode=require`)).toBe("postgres://assent@db.example:5432/assent");
  expect(maskedUrl("postgres://:pw@")).not.toContain("pw");
});

describe("TLS", () => {
  const modeOf = (url: string) => {
    const address = parseAddress(url);
    const [host] = address.hosts;
    return host === undefined ? undefined : tlsOf(address, host);
  };

  test("another machine, nothing said → certificate and name are verified", () => {
    expect(modeOf(base)).toEqual({ rejectUnauthorized: true });
  });

  test("this machine, nothing said → TLS if there is some", () => {
    expect(parseAddress("postgres://assent@localhost/assent").sslMode).toBe("prefer");
    expect(parseAddress("postgres://assent@localhost,db.example/assent").sslMode).toBe("verify-full");
  });

  test("disable → none; require → whoever answers; verify-ca → whoever an authority vouches for", () => {
    expect(modeOf(`${base}?sslmode=disable`)).toBe(false);
    expect(modeOf(`${base}?sslmode=require`)).toEqual({ rejectUnauthorized: false });
    const verified = modeOf(`${base}?sslmode=verify-ca`);
    expect(verified).toMatchObject({ rejectUnauthorized: true, checkServerIdentity: expect.any(Function) });
  });

  test("authorities in a file → those alone, verified also by require; a file that isn't there → said", () => {
    const folder = mkdtempSync(join(tmpdir(), "assent-ca-"));
    const file = join(folder, "ca.pem");
    writeFileSync(file, "-----BEGIN CERTIFICATE-----\n");
    expect(modeOf(`${base}?sslmode=require&sslrootcert=${encodeURIComponent(file)}`)).toMatchObject({
      rejectUnauthorized: true,
      ca: expect.any(Buffer),
    });
    rmSync(folder, { recursive: true });
    expect(() => modeOf(`${base}?sslrootcert=${encodeURIComponent(file)}`)).toThrow(/ENOENT/);
  });
});
