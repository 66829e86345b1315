/**
 * The table of attacks and their tests. It is made from the ids in test names, and from the attacks on parts that don't
 * exist yet.
 */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

const GROUPS: Readonly<Record<string, string>> = {
  RU: "Redirect URIs",
  PK: "PKCE",
  AC: "Authorization codes",
  MX: "Mix-up, issuer, metadata",
  SS: "Sessions, sign-in, forms of other sites",
  HD: "Headers, cookies, framing, other origins",
  CN: "Consent",
  TE: "Token endpoint",
  CA: "Client authentication with secrets",
  CJ: "Client authentication with JWTs",
  SA: "SAML assertions",
  JB: "JWT assertions",
  GR: "Implicit, password, client credentials",
  DV: "Devices",
  OI: "OpenID Connect",
  UI: "UserInfo",
  UP: "Sign-in at other providers",
  LD: "People who are known elsewhere, and a sign-in page of your own",
  RT: "Refresh tokens",
  RI: "Revocation and introspection",
  MT: "Mutual TLS and proxies",
  DS: "Denial of service",
  EN: "Enumeration, limits, lockout",
  AD: "Operators and the owner's pages",
  IN: "Injection and the web platform",
  LG: "Secrets in logs, storage, backups",
  KY: "Keys and token format",
  LO: "Sign-out by apps",
  DR: "Dynamic client registration",
  TX: "Token exchange",
  IJ: "Cross-app access",
  DP: "DPoP",
  PR: "Pushed requests and request objects",
  AP: "Configuration as code, import and export",
};

/** Attacks on parts that don't exist yet: the part, and each attack by its id. */
const WAITING: readonly (readonly [part: string, attacks: Readonly<Record<string, string>>])[] = [
  ["an import of another server's clients", { "AP-11": "clients whose settings there are weaker than ours" }],
  [
    "the console",
    {
      "AD-11": "forms of the console posted by another site",
    },
  ],
  [
    "DPoP",
    {
      "DP-01": "no proof",
      "DP-02": "two proofs",
      "DP-03": "a proof of another type",
      "DP-04": "an algorithm that isn't allowed",
      "DP-05": "a key that is missing, private, symmetric, broken or huge",
      "DP-06": "a signature by another key",
      "DP-08": "a proof for another address",
      "DP-09": "a proof from another time",
      "DP-11": "one's own proof with the id of somebody else's",
      "DP-12": "nonces that are missing, stale or of another server",
      "DP-13": "a proof without the token's hash",
      "DP-15": "a code bound to another key",
      "DP-16": "a proof made for another endpoint",
      "DP-17": "a huge proof",
      "DP-18": "a nonce that scripts can't read",
      "RT-16": "a bound refresh token without its proof",
    },
  ],
  [
    "pushed authorization requests",
    {
      "PK-16": "another challenge beside a pushed request",
      "PR-01": "the answer to a pushed request",
      "PR-03": "a pushed request that names another",
      "PR-04": "other methods",
      "PR-05": "a pushed request used again",
      "PR-07": "an expired one",
      "PR-09": "other parameters beside it",
      "PR-10": "a redirect URI that isn't registered",
      "PR-11": "a plain request where pushing is required",
      "PR-12": "guessed references",
      "PR-13": "two browsers with one reference",
      "PR-15": "pushed requests by the thousand",
      "PR-16": "pushed parameters in cookies or addresses",
    },
  ],
  [
    "request objects",
    {
      "PR-18": "claims that are missing or of another time",
      "PR-20": "parameters outside the object",
      "PR-21": "an object that names another",
    },
  ],
];

interface Named {
  readonly id: string;
  readonly title: string;
  readonly file: string;
}

const ID = /\b[A-Z]{2}-\d{2}\b/g;
const LITERAL = /"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

/** Every id in the name of a test or in the first line of its file, with the words beside it. */
export function namedTests(): readonly Named[] {
  const files = globSync(["test/**/*.test.ts", "packages/*/test/**/*.test.ts"], {
    cwd: root,
    exclude: ["**/node_modules/**"],
  });
  return files.toSorted().flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const head = /^\/\*\*\s*([\s\S]*?)\s*\*\//.exec(text)?.[1]?.replace(/\s*\n \*\s*/g, " ") ?? "";
    const literals = [...text.matchAll(LITERAL)].map(([literal]) => literal.slice(1, -1));
    const found = [head, ...literals].flatMap((literal, at) =>
      [...new Set(literal.match(ID) ?? [])]
        .filter((id) => GROUPS[id.slice(0, 2)] !== undefined)
        .map((id) => {
          const own = wordsOf(literal);
          // An id without words, in a table of cases: the words of the case follow it.
          return { id, file, title: own === "" ? wordsOf(literals[at] ?? "") : own };
        }),
    );
    return [...new Map(found.map((one) => [`${one.id} ${one.title}`, one])).values()];
  });
}

function wordsOf(literal: string): string {
  return literal
    .replace(ID, "")
    .replace(/\bREL-\d\d\b/g, "")
    .replace(/\s*\([\s,]*\)/g, "")
    .replace(/^…\d+ /, "")
    .replace(/^[\s,.:·–-]+/, "")
    .replace(/\.$/, "")
    .replace(/\\(["'`])/g, "$1")
    .replace(/\$\{[^}]*\}|%[a-z]\b/g, "…")
    .replace(/\s+/g, " ")
    .trim();
}

const TITLES_SHOWN = 3;

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("*", "\\*").replaceAll("`", "'");
}

export function securityTests(made: string): string {
  const named = namedTests();
  const sections = Object.entries(GROUPS).flatMap(([group, title]) => {
    const ids = [...new Set(named.filter(({ id }) => id.startsWith(group)).map(({ id }) => id))].sort();
    if (ids.length === 0) return [];
    const rows = ids.map((id) => {
      const own = named.filter((one) => one.id === id);
      const files = [...new Set(own.map(({ file }) => file))];
      const titles = [...new Set(own.map((one) => one.title))].filter((one) => one !== "");
      const shown = titles.slice(0, TITLES_SHOWN).map(cell).join("; ");
      const more = titles.length > TITLES_SHOWN ? `; and ${titles.length - TITLES_SHOWN} more` : "";
      const links = files.map((file) => `[${file.split("/").at(-1)?.replace(".test.ts", "")}](../../${file})`);
      return `| ${id} | ${shown}${more} | ${links.join(", ")} |`;
    });
    return [`## ${title}\n\n| id | tried, and what is expected | test |\n| --- | --- | --- |\n${rows.join("\n")}`];
  });
  const waiting = WAITING.map(
    ([part, attacks]) =>
      `**${part[0]?.toUpperCase()}${part.slice(1)}**\n\n| id | attack |\n| --- | --- |\n${Object.entries(attacks)
        .map(([id, attack]) => `| ${id} | ${attack} |`)
        .join("\n")}`,
  );
  return `# Security tests
${made}

The tests try attacks on the server. Each attack has an id, which is in the name of its test (\`AC-03\`). This page lists the
id, the attack, the expected result and the test. The [threat model](../operate/threat-model.md) says how the server
answers each kind of attack, and why.

${sections.join("\n\n")}

## Attacks that wait

The server does not have the parts that these attacks need. Each attack becomes a test when its part is built.

${waiting.join("\n\n")}
`;
}

/** The ids of attacks on parts that don't exist yet. */
export function waitingIds(): readonly string[] {
  return WAITING.flatMap(([, attacks]) => Object.keys(attacks));
}
