import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aCertificate, type Certificate, type CertificateWish } from "../../../../test/support/make-certificates.ts";
import { leadsToAuthority, MAX_INTERMEDIATES } from "../../src/crypto/certificate-chain.ts";

const DAY = 86_400_000;
const an = (name: string, wish: Partial<CertificateWish> = {}) =>
  aCertificate({ subject: `/CN=${name}`, authority: true, days: 10, ...wish });
const client = (by: Certificate | undefined, wish: Partial<CertificateWish> = {}) =>
  aCertificate({ subject: "/CN=import", ...(by === undefined ? {} : { by }), ...wish });

const root = an("Root");
const middle = an("Middle", { by: root });
const lower = an("Lower", { by: middle });

function leads(
  leaf: Certificate,
  chain: readonly Certificate[] = [],
  authorities: readonly Certificate[] = [root],
  now = Date.now(),
): boolean {
  const read = (one: Certificate) => new X509Certificate(one.der);
  return leadsToAuthority(read(leaf), chain.map(read), authorities.map(read), now);
}

describe("a chain that doesn't lead to an authority", () => {
  const rogue = an("Root");
  const rogueMiddle = an("Middle", { by: rogue });
  const byMiddle = client(middle);
  test.each<[string, Certificate, readonly Certificate[]]>([
    ["signed by itself", client(undefined), []],
    ["by another authority of the same name", client(rogue), []],
    ["by an intermediate that isn't sent", byMiddle, []],
    ["by another intermediate of the same name", byMiddle, [rogueMiddle]],
    ["with an intermediate of another authority", client(rogueMiddle), [rogueMiddle]],
    ["with the other authority itself in the chain", client(rogueMiddle), [rogueMiddle, rogue]],
    ["by a certificate that is no authority", client(client(root)), [client(root)]],
    ["with its intermediates in the wrong order", client(lower), [middle, lower]],
    ["with a gap", client(lower), [lower]],
  ])("%s → false", (_, leaf, chain) => {
    expect(leads(leaf, chain)).toBe(false);
  });

  test("no authority is named → false", () => {
    expect(leads(client(root), [], [])).toBe(false);
  });
});

describe("a chain that does", () => {
  test("by the authority itself, or through intermediates, others among them → true", () => {
    expect(leads(client(root))).toBe(true);
    expect(leads(client(middle), [middle])).toBe(true);
    expect(leads(client(lower), [lower, middle])).toBe(true);
    expect(leads(client(lower), [an("Other"), lower, an("Other"), middle])).toBe(true);
    expect(leads(client(middle), [middle, root])).toBe(true);
  });

  test("an intermediate is named as an authority → nothing above it is needed", () => {
    expect(leads(client(middle), [], [middle])).toBe(true);
    expect(leads(client(lower), [lower], [middle])).toBe(true);
  });

  test(`${MAX_INTERMEDIATES} intermediates → true; one more → false`, () => {
    const chain: Certificate[] = [root];
    for (let at = 0; at <= MAX_INTERMEDIATES; at += 1)
      chain.unshift(an(`Level ${at}`, { by: chain[0] as Certificate }));
    const below = chain.slice(1, -1);
    expect(leads(client(chain[1]), below)).toBe(true);
    expect(leads(client(chain[0]), chain.slice(0, -1))).toBe(false);
  });
});

describe("time", () => {
  test("the client's is over → false", () => {
    const leaf = client(middle, { days: 1 });
    expect(leads(leaf, [middle])).toBe(true);
    expect(leads(leaf, [middle], [root], Date.now() + 2 * DAY)).toBe(false);
  });

  test("the intermediate's or the authority's is over, or has not begun → false", () => {
    const short = an("Short", { by: root, days: 1 });
    const leaf = client(short, { days: 5 });
    expect(leads(leaf, [short])).toBe(true);
    expect(leads(leaf, [short], [root], Date.now() + 2 * DAY)).toBe(false);
    const shortRoot = an("Short root", { days: 1 });
    expect(leads(client(shortRoot, { days: 5 }), [], [shortRoot], Date.now() + 2 * DAY)).toBe(false);
    expect(leads(client(root), [], [root], Date.now() - DAY)).toBe(false);
  });
});

describe("what a certificate may be used for", () => {
  test.each<[string, Partial<CertificateWish>]>([
    ["for servers alone", { purpose: "serverAuth" }],
    ["for e-mail alone", { purpose: "emailProtection" }],
    ["not for signatures", { extensions: ["keyUsage=critical,keyEncipherment"] }],
    ["with something critical that is unknown here", { extensions: ["1.2.3.4=critical,ASN1:UTF8String:x"] }],
  ])("the client's: %s → false", (_, wish) => {
    expect(leads(client(root, wish))).toBe(false);
  });

  test.each<[string, Partial<CertificateWish>]>([
    ["for clients", { purpose: "clientAuth,serverAuth" }],
    ["for signatures", { extensions: ["keyUsage=critical,digitalSignature"] }],
    ["with something unknown that isn't critical", { extensions: ["1.2.3.4=ASN1:UTF8String:x"] }],
  ])("the client's: %s → true", (_, wish) => {
    expect(leads(client(root, wish))).toBe(true);
  });

  test.each<[string, Partial<CertificateWish>]>([
    ["not for signing certificates", { extensions: ["keyUsage=critical,digitalSignature"] }],
    ["for servers alone", { purpose: "serverAuth" }],
    ["for some names alone", { extensions: ["nameConstraints=critical,permitted;DNS:example.com"] }],
    ["for some names alone, not critical", { extensions: ["nameConstraints=permitted;DNS:example.com"] }],
  ])("the intermediate's: %s → false", (_, wish) => {
    const bent = an("Bent", { by: root, ...wish });
    expect(leads(client(bent), [bent])).toBe(false);
  });

  test("the intermediate's: for signing certificates, for clients → true", () => {
    const good = an("Good", { by: root, purpose: "clientAuth", extensions: ["keyUsage=critical,keyCertSign,cRLSign"] });
    expect(leads(client(good), [good])).toBe(true);
  });

  test("an authority with a path length → so many intermediates below it", () => {
    const none = an("None below", { pathLength: 0 });
    const below = an("Below", { by: none });
    expect(leads(client(none), [], [none])).toBe(true);
    expect(leads(client(below), [below], [none])).toBe(false);
    const narrow = an("Narrow", { by: root, pathLength: 0 });
    const under = an("Under", { by: narrow });
    expect(leads(client(narrow), [narrow])).toBe(true);
    expect(leads(client(under), [under, narrow])).toBe(false);
  });
});

describe("weak keys and signatures", () => {
  const RSA_1024 = ["rsa", "rsa_keygen_bits:1024"] as const;

  test("a key of 1024 bits, a signature over SHA-1 → false; RSA of 2048 bits, SHA-384 → true", () => {
    expect(leads(client(root, { key: RSA_1024 }))).toBe(false);
    expect(leads(client(root, { digest: "sha1" }))).toBe(false);
    const old = an("Old", { by: root, digest: "sha1" });
    expect(leads(client(old), [old])).toBe(false);
    const weak = an("Weak", { by: root, key: RSA_1024 });
    expect(leads(client(weak), [weak])).toBe(false);
    const rsa = an("RSA", { by: root, key: ["rsa", "rsa_keygen_bits:2048"], digest: "sha384" });
    expect(leads(client(rsa), [rsa])).toBe(true);
  });
});
