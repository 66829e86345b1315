/** Configuration: all problems are reported at once, with the name of each setting, and without secrets. */

import { chmodSync, chownSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ConfigError, configOf, isForGroup, loadConfig, unsafeFile } from "../src/config.ts";

const cwd = mkdtempSync(join(tmpdir(), "assent-config-"));

async function problems(environment: Record<string, string>, where = cwd): Promise<readonly string[]> {
  return loadConfig(environment, where).then(
    () => [],
    (error: unknown) => (error instanceof ConfigError ? error.problems : [`other: ${String(error)}`]),
  );
}

describe("a bad value → one line that names the key, what was found, what was wanted", () => {
  test.each([
    ["ASSENT_ISSUER", "http://as.example.com", "https"],
    ["ASSENT_ISSUER", "https://as.example.com/", "final slash"],
    ["ASSENT_ISSUER", "https://as.example.com?x=1", "query"],
    ["ASSENT_ISSUER", "https://AS.example.com", "https"],
    ["ASSENT_ISSUER", "as.example.com", "https"],
    ["ASSENT_LISTEN", "9400", "host:port"],
    ["ASSENT_LISTEN", "127.0.0.1:99999", "host:port"],
    // An empty host would mean every address of the machine.
    ["ASSENT_LISTEN", "]:9400", "host:port"],
    ["ASSENT_LISTEN", "[:9400", "host:port"],
    ["ASSENT_LISTEN", "[1:2]:9400", "host:port"],
    ["ASSENT_DATABASE_URL", "mysql://x", "sqlite"],
    ["ASSENT_DATABASE_URL", "postgres://db.example/assent", "the user is missing"],
    ["ASSENT_DATABASE_URL", "postgres://assent@db.example/", "the database name is missing"],
    ["ASSENT_DATABASE_URL", "postgres://assent@db.example:99999/assent", "host 1"],
    ["ASSENT_DATABASE_URL", "postgres://assent@db.example/assent?sslmode=prefer", "sslmode=prefer"],
    ["ASSENT_DATABASE_URL", "postgres://assent@db.example/assent?sslmod=require", "sslmod"],
    ["ASSENT_CODE_TTL", "0", "whole number"],
    ["ASSENT_CODE_TTL", "601", "600"],
    ["ASSENT_ACCESS_TTL", "-1", "whole number"],
    ["ASSENT_ACCESS_TTL", "1e3", "whole number"],
    ["ASSENT_REFRESH_IDLE", "1.5", "whole number"],
    ["ASSENT_RETRY_WINDOW", "x", "whole number"],
    ["ASSENT_CONSENT_DURATIONS", "3600,never", "comma-separated"],
    ["ASSENT_CONSENT_CEILING", "forever", "or none"],
    ["ASSENT_CONSENT_CEILING", "0", "1 to 3162240000, or none"],
    ["ASSENT_TRUST_PROXY", "10.0.0.0/33", "CIDR"],
    ["ASSENT_PROXY_HEADER", "x-real-ip", "x-forwarded-for or forwarded"],
    ["ASSENT_PROXY_HEADER", "x-forwarded-for,forwarded", "x-forwarded-for or forwarded"],
    ["ASSENT_CLIENT_CERT_HEADER", "Client Cert", "the name of a header"],
    ["ASSENT_CLIENT_CERT_HEADER", "Client-Cert:", "the name of a header"],
    ["ASSENT_LOG_LEVEL", "loud", "trace"],
    ["ASSENT_DEMO_PORTS", "9401", "two port numbers"],
    ["ASSENT_REQUIRE_PKCE", "yes", "true or false"],
    ["ASSENT_TYPO", "1", "unknown variable"],
  ])("%s=%s → %s", async (name, value, wanted) => {
    const [line, ...others] = await problems({ [name]: value });
    expect(others).toEqual([]);
    expect(line).toContain(name);
    expect(line).toContain(wanted);
  });

  test("several → all at once", async () => {
    expect(await problems({ ASSENT_ISSUER: "x", ASSENT_LISTEN: "x", ASSENT_NEW: "1" })).toHaveLength(3);
  });

  test("PostgreSQL without a secret → the variable, and how to make one; its URL isn't repeated where it is wrong", async () => {
    const url = "postgres://assent:hunter2@db.example/assent";
    expect(await problems({ ASSENT_DATABASE_URL: url })).toEqual([
      "ASSENT_SECRET: found nothing, wanted 32 or more random bytes in base64 (openssl rand -base64 32); all servers on one PostgreSQL need the same secret",
    ]);
    expect((await problems({ ASSENT_DATABASE_URL: `${url}?sslmode=x` })).join()).not.toContain("hunter2");
  });

  test("a weak secret → its value isn't repeated", async () => {
    const [line] = await problems({ ASSENT_SECRET: "hunter2hunter2" });
    expect(line).toContain("ASSENT_SECRET");
    expect(line).not.toContain("hunter2");
  });

  test("a configuration file with an unknown key, or that isn't there → named", async () => {
    const where = mkdtempSync(join(tmpdir(), "assent-config-"));
    writeFileSync(join(where, "assent.config.json"), JSON.stringify({ issuer: "http://localhost:1", isuer: "x" }));
    expect((await problems({}, where))[0]).toContain("isuer");
    expect((await problems({ ASSENT_CONFIG: "nowhere.json" }, where))[0]).toContain("ASSENT_CONFIG");
  });
});

describe("TLS that ends here", () => {
  test("a certificate without its key, a key without its certificate, an issuer over http → named, all at once", async () => {
    expect(await problems({ ASSENT_TLS_KEY: "key.pem" })).toEqual([expect.stringContaining("ASSENT_TLS_KEY")]);
    const both = await problems({ ASSENT_TLS_CERT: "cert.pem" });
    expect(both).toEqual([expect.stringContaining("both or neither"), expect.stringContaining("ASSENT_ISSUER")]);
  });

  test("paths → from the working directory; none of them by default", async () => {
    const environment = { ASSENT_ISSUER: "https://login.test", ASSENT_TLS_CERT: "a.pem", ASSENT_TLS_KEY: "/k/a.key" };
    expect(await loadConfig(environment, cwd)).toMatchObject({
      tlsCert: join(cwd, "a.pem"),
      tlsKey: "/k/a.key",
      tlsClientCa: null,
      warnings: [],
    });
    expect(await loadConfig({}, cwd)).toMatchObject({ tlsCert: null, tlsKey: null, tlsClientCa: null });
  });
});

describe("mail", () => {
  test.each([
    ["another kind", "http://mail.example.com"],
    ["no host", "smtp://"],
    ["a path", "smtp://mail.example.com/x"],
    ["a query that could switch TLS off", "smtp://mail.example.com?ignoreTLS=true"],
    ["a name that isn't encoded", "smtp://100%@mail.example.com"],
  ])("ASSENT_SMTP_URL with %s → refused, its value unsaid", async (_, url) => {
    const refused = loadConfig({ ASSENT_SMTP_URL: url }, cwd);
    await expect(refused).rejects.toThrow(/^ASSENT_SMTP_URL: found a value of \d+ characters, wanted smtp/);
  });

  test.each([
    ["smtp://127.0.0.1:2525", { host: "127.0.0.1", port: 2525, secure: false, user: null, loopback: true }],
    ["smtp://a%40b:p%3Aw@mail.example.com", { port: 587, user: "a@b", password: "p:w", loopback: false }],
    ["smtps://mail.example.com/", { host: "mail.example.com", port: 465, secure: true }],
  ])("%s → as it says", async (url, wanted) => {
    expect(await loadConfig({ ASSENT_SMTP_URL: url }, cwd)).toMatchObject({ smtpUrl: wanted, warnings: [] });
  });

  test("a sender with a line break → refused; sign-up without mail → a warning", async () => {
    await expect(loadConfig({ ASSENT_MAIL_FROM: "a@b.test\nBcc: c@d.test" }, cwd)).rejects.toThrow("ASSENT_MAIL_FROM");
    const { warnings } = await loadConfig({ ASSENT_SIGN_UP: "true" }, cwd);
    expect(warnings).toEqual([expect.stringContaining("ASSENT_SMTP_URL")]);
    const inside = await loadConfig({ ASSENT_OUTBOUND_ALLOW: "10.0.0.0/8, ::1" }, cwd);
    expect(inside).toMatchObject({
      outboundAllow: ["10.0.0.0/8", "::1"],
      warnings: [expect.stringMatching(/^ASSENT_OUTBOUND_ALLOW is 10\.0\.0\.0\/8,::1: .* not public$/)],
    });
  });

  test("no ceiling over owners' answers → a warning; one in seconds → milliseconds", async () => {
    const none = await loadConfig({ ASSENT_CONSENT_CEILING: "none" }, cwd);
    expect(none).toMatchObject({
      consentCeiling: "none",
      warnings: [expect.stringMatching(/^ASSENT_CONSENT_CEILING is none: .*public clients/)],
    });
    const day = await loadConfig({ ASSENT_CONSENT_CEILING: "86400" }, cwd);
    expect(day).toMatchObject({ consentCeiling: 86_400_000, warnings: [] });
  });
});

test("workers: a number, auto → one a core; none, too many, a word → refused", async () => {
  expect(await loadConfig({ ASSENT_WORKERS: "3" }, cwd)).toMatchObject({ workers: 3, warnings: [] });
  expect((await loadConfig({ ASSENT_WORKERS: "auto" }, cwd)).workers).toBe(availableParallelism());
  for (const wrong of ["0", "257", "many", "-1", "1.5"])
    await expect(loadConfig({ ASSENT_WORKERS: wrong }, cwd)).rejects.toThrow("ASSENT_WORKERS");
});

test("figures' address and drain delay → read; what is no address or too long → refused", async () => {
  const config = await loadConfig({ ASSENT_METRICS_LISTEN: "127.0.0.1:9464", ASSENT_DRAIN_DELAY: "5" }, cwd);
  expect(config).toMatchObject({ metricsListen: { host: "127.0.0.1", port: 9464 }, drainDelay: 5000, warnings: [] });
  await expect(loadConfig({ ASSENT_METRICS_LISTEN: "9464" }, cwd)).rejects.toThrow("ASSENT_METRICS_LISTEN");
  await expect(loadConfig({ ASSENT_DRAIN_DELAY: "301" }, cwd)).rejects.toThrow("ASSENT_DRAIN_DELAY");
});

test("nothing set → the defaults", async () => {
  const config = await loadConfig({ PATH: "x" }, cwd);
  expect(config).toMatchObject({
    issuer: "http://localhost:9400",
    listen: { host: "127.0.0.1", port: 9400 },
    databaseUrl: `sqlite:${join(cwd, "data", "assent.db")}`,
    codeTtl: 60_000,
    accessTtl: 600_000,
    logLevel: "info",
  });
  expect(Object.isFrozen(config)).toBe(true);
});

test("environment before file, file before defaults", async () => {
  const where = mkdtempSync(join(tmpdir(), "assent-config-"));
  writeFileSync(join(where, "assent.config.json"), JSON.stringify({ codeTtl: 30, accessTtl: 60 }));
  const config = await loadConfig({ ASSENT_CODE_TTL: "10" }, where);
  expect([config.codeTtl, config.accessTtl]).toEqual([10_000, 60_000]);
});

test.each([
  ["https://as.example.com"],
  ["https://example.com/auth"],
  ["http://localhost:9400"],
  ["http://127.0.0.1:9400"],
  ["http://[::1]:9400"],
])("issuer %s → taken", async (issuer) => {
  expect((await loadConfig({ ASSENT_ISSUER: issuer }, cwd)).issuer).toBe(issuer);
});

describe("headers of a proxy", () => {
  const warningsOf = async (env: Record<string, string>) => (await loadConfig(env, cwd)).warnings;
  const proxy = { ASSENT_TRUST_PROXY: "10.0.0.0/8" };
  const header = { ASSENT_CLIENT_CERT_HEADER: "Client-Cert" };
  const authorities = { ASSENT_TLS_CLIENT_CA: "clients.pem" };

  test("nothing said → X-Forwarded-For, and no header for certificates", async () => {
    expect(await loadConfig({}, cwd)).toMatchObject({ proxyHeader: "x-forwarded-for", clientCertHeader: null });
  });

  test("a header for certificates without a proxy, authorities without certificates → a warning each", async () => {
    expect(await warningsOf(header)).toEqual([expect.stringMatching(/^ASSENT_CLIENT_CERT_HEADER has no effect/)]);
    for (const env of [authorities, { ...authorities, ...proxy }])
      expect(await warningsOf(env)).toEqual([expect.stringMatching(/^ASSENT_TLS_CLIENT_CA has no effect/)]);
    expect(await warningsOf({ ...authorities, ...proxy, ...header })).toEqual([]);
  });
});

describe("AD-13 a line feed in what reaches headers, pages, messages or metadata", () => {
  test.each([
    ["ASSENT_ISSUER", "https://as.example.com"],
    ["ASSENT_LISTEN", "127.0.0.1:9400"],
    ["ASSENT_BRAND_NAME", "Example Accounts"],
    ["ASSENT_BRAND_COLORS", "#123456"],
    ["ASSENT_MAIL_FROM", "no-reply@example.com"],
    ["ASSENT_SMTP_URL", "smtps://user:word@mail.example.com:465"],
    ["ASSENT_GRANT_TYPES", "authorization_code,refresh_token"],
    ["ASSENT_TRUST_PROXY", "10.0.0.0/8"],
    ["ASSENT_PROXY_HEADER", "forwarded"],
    ["ASSENT_CLIENT_CERT_HEADER", "Client-Cert"],
    ["ASSENT_CONSENT_DURATIONS", "3600,forever"],
  ])("%s → refused; without it → taken", async (variable, good) => {
    const at = Math.floor(good.length / 2);
    for (const feed of ["\n", "\r\nX-Evil: 1\r\n", "\u2028", "\u0085", "\0"]) {
      const found = await problems({ [variable]: good.slice(0, at) + feed + good.slice(at) });
      expect(found, JSON.stringify(feed)).toEqual([expect.stringMatching(`^${variable}: found`)]);
      expect(found.join("")).not.toMatch(/[\r\n\0]/);
    }
    expect(await problems({ [variable]: good })).toEqual([]);
  });
});

describe("values of a program that embeds the server → within the same bounds", () => {
  const refused: readonly [string, Parameters<typeof configOf>[0]][] = [
    ["codeTtl", { codeTtl: -1 }],
    ["codeTtl", { codeTtl: 0 }],
    ["codeTtl", { codeTtl: 600_001 }],
    ["codeTtl", { codeTtl: 60_000.5 }],
    ["codeTtl", { codeTtl: Number.NaN }],
    ["accessTtl", { accessTtl: "600" as unknown as number }],
    ["issuer", { issuer: "https://as.test/" }],
    ["listen", { listen: { host: "127.0.0.1", port: 65_536 } }],
    ["listen", { listen: null as unknown as { host: string; port: number } }],
    ["secret", { secret: [Buffer.alloc(31)] }],
    ["secret", { secret: [] }],
    ["workers", { workers: 0 }],
    ["consentDurations", { consentDurations: [0] }],
    ["trustProxy", { trustProxy: ["10.0.0.0/33"] }],
    ["proxyHeader", { proxyHeader: "x-real-ip" as unknown as "forwarded" }],
    ["clientCertHeader", { clientCertHeader: "a b" }],
    ["requirePkce", { requirePkce: "false" as unknown as boolean }],
    ["logLevel", { logLevel: "loud" as unknown as "info" }],
    ["mailFrom", { mailFrom: "a@b.test\nBcc: c@d.test" }],
  ];

  test.each(refused)("%s out of bounds → refused by name: %j", (key, values) => {
    const problem = new RegExp(`^${key}: found .+, wanted `);
    expect(() => configOf(values, cwd)).toThrow(problem);
  });

  test("several → all at once; a secret is not repeated", () => {
    const act = () => configOf({ codeTtl: -1, workers: 0, secret: [Buffer.from("hunter2")] }, cwd);
    expect(act).toThrow(ConfigError);
    expect(act).toThrow(/workers[\s\S]*codeTtl/);
    expect(act).not.toThrow(/hunter2|104,117/);
  });

  test("absent and undefined → the defaults; null where a setting has no default value → none", () => {
    const { codeTtl, refreshIdle, mailFrom } = configOf({ refreshIdle: null, mailFrom: null }, cwd);
    expect([codeTtl, refreshIdle, mailFrom]).toEqual([60_000, null, null]);
  });
});

describe("a configuration file that somebody else could have written", () => {
  const CODE = "globalThis.assentConfigRan = true;\nexport default { codeTtl: 30 };\n";
  const ran = () => "assentConfigRan" in globalThis;
  const place = (mode: number) => {
    const where = mkdtempSync(join(tmpdir(), "assent-config-"));
    const path = join(where, "assent.config.mjs");
    writeFileSync(path, CODE);
    chmodSync(path, mode);
    return { where, path };
  };

  test("everybody may change it → refused before it runs, also where ASSENT_CONFIG names it", async () => {
    const { path, where } = place(0o666);
    expect(await problems({ ASSENT_CONFIG: path }, where)).toEqual([
      `${path}: not read, because everybody on this machine can change it: chmod o-w`,
    ]);
    expect(ran()).toBe(false);
    chmodSync(path, 0o664);
    expect(await problems({ ASSENT_CONFIG: path }, where)).toEqual([]);
    expect(ran()).toBe(true);
  });

  test("its group may change it → read, with a warning that names it", async () => {
    const { path, where } = place(0o664);
    const warningsOf = async () => (await loadConfig({ ASSENT_CONFIG: path }, where)).warnings;
    const { uid, gid } = statSync(path);
    expect(await warningsOf()).toHaveLength(uid === gid ? 0 : 1);
    if (process.getuid?.() !== 0) return;
    chownSync(path, 0, 1234);
    expect(await warningsOf()).toEqual([expect.stringMatching(/^\/.*: its group \(gid 1234\) can change it/)]);
    chmodSync(path, 0o644);
    expect(await warningsOf()).toEqual([]);
  });

  test.each([
    ["another group's, to write", { uid: 1000, gid: 100, mode: 0o664 }, true],
    ["another group's, to read", { uid: 1000, gid: 100, mode: 0o644 }, false],
    ["the owner's own group's", { uid: 1000, gid: 1000, mode: 0o664 }, false],
    ["root's, in a container", { uid: 0, gid: 0, mode: 0o664 }, false],
    ["root's, for another group", { uid: 0, gid: 1000, mode: 0o664 }, true],
  ] as const)("%s → warned of: %s", (_, file, warned) => {
    expect(isForGroup(file)).toBe(warned);
  });

  test.each([
    ["one's own", { uid: 1000, mode: 0o644 }, 1000, false, undefined],
    ["root's", { uid: 0, mode: 0o644 }, 1000, false, undefined],
    ["another user's, found in the working directory", { uid: 1001, mode: 0o644 }, 1000, false, "set ASSENT_CONFIG"],
    ["another user's, found by root", { uid: 1001, mode: 0o644 }, 0, false, "uid 1001"],
    ["another user's, named by the operator", { uid: 1001, mode: 0o644 }, 0, true, undefined],
    ["on a system without users", { uid: 0, mode: 0o666 }, undefined, false, undefined],
  ] as const)("%s → %j", (_, file, uid, named, told) => {
    const found = unsafeFile(file, uid, named);
    if (told === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(told);
  });
});
