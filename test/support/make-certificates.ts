/** Certificates made by openssl when a test needs them, and requests over TLS with a certificate. */

import { execFileSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { type Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";

export interface Certificate {
  readonly certPath: string;
  readonly keyPath: string;
  readonly cert: string;
  readonly key: string;
  readonly der: Buffer;
  /** `x5t#S256`. */
  readonly thumbprint: string;
  /** The public key, as a JWK Set with one key. */
  readonly jwks: string;
}

export interface CertificateWish {
  /** In openssl's form: `/C=DE/O=Example/CN=import`. */
  readonly subject: string;
  /** In openssl's form: `DNS:import.example.com`. */
  readonly names?: string;
  /** Absent: self-signed. */
  readonly by?: Certificate;
  readonly authority?: boolean;
  /** extendedKeyUsage. */
  readonly purpose?: string;
  /** Maximum number of intermediates below an authority. Absent: no maximum. */
  readonly pathLength?: number;
  /** Additional extensions in openssl's form: `keyUsage=critical,digitalSignature`. */
  readonly extensions?: readonly string[];
  /** Absent: SHA-256. */
  readonly digest?: "sha1" | "sha384";
  readonly days?: number;
  /** In openssl's form: algorithm, then `-pkeyopt` values. Absent: P-256. */
  readonly key?: readonly [algorithm: string, ...options: string[]];
}

const P256 = ["ec", "ec_paramgen_curve:P-256"] as const;

const folder = mkdtempSync(join(tmpdir(), "assent-tls-"));
const settings = join(folder, "openssl.cnf");
let count = 0;

/** A new key with a certificate that is valid for two days, or for another number of days. */
export function aCertificate({
  subject,
  names,
  by,
  authority = false,
  purpose,
  pathLength,
  extensions = [],
  digest,
  days = 2,
  key = P256,
}: CertificateWish): Certificate {
  writeFileSync(settings, "[req]\ndistinguished_name = dn\n[dn]\n");
  const certPath = join(folder, `${count}.pem`);
  const keyPath = join(folder, `${count++}.key`);
  const [algorithm, ...options] = key;
  const added = [
    `basicConstraints=critical,CA:${authority ? "TRUE" : "FALSE"}${pathLength === undefined ? "" : `,pathlen:${pathLength}`}`,
    ...(names === undefined ? [] : [`subjectAltName=${names}`]),
    ...(purpose === undefined ? [] : [`extendedKeyUsage=${purpose}`]),
    ...extensions,
  ];
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-config", settings, "-newkey", algorithm, "-nodes"],
      ...options.flatMap((one) => ["-pkeyopt", one]),
      ...["-keyout", keyPath, "-out", certPath, "-days", String(days), "-utf8", "-subj", subject],
      ...added.flatMap((one) => ["-addext", one]),
      ...(digest === undefined ? [] : [`-${digest}`]),
      ...(by === undefined ? [] : ["-CA", by.certPath, "-CAkey", by.keyPath]),
    ],
    { stdio: "pipe" },
  );
  const cert = readFileSync(certPath, "utf8");
  const { raw, publicKey } = new X509Certificate(cert);
  return {
    certPath,
    keyPath,
    cert,
    key: readFileSync(keyPath, "utf8"),
    der: raw,
    thumbprint: createHash("sha256").update(raw).digest("base64url"),
    get jwks() {
      return JSON.stringify({ keys: [publicKey.export({ format: "jwk" })] });
    },
  };
}

/** The header of RFC 9440. */
export function headerOf({ der }: Pick<Certificate, "der">): string {
  return `:${der.toString("base64")}:`;
}

/** RFC 9440's list of the certificates between this one and its authority, the nearest first. */
export function chainOf(...certificates: readonly Pick<Certificate, "der">[]): string {
  return certificates.map(headerOf).join(", ");
}

export interface TlsAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The connection resumed an earlier TLS session. */
  readonly resumed: boolean;
}

/** Posts a form over TLS, or gets a document if there is no form. */
export function overTls(
  port: number,
  path: string,
  {
    form,
    certificate,
    headers = {},
    agent = false,
  }: {
    readonly form?: Readonly<Record<string, string>>;
    readonly certificate?: Pick<Certificate, "cert" | "key"> | undefined;
    readonly headers?: Readonly<Record<string, string>>;
    /** False: the connection doesn't resume a session. */
    readonly agent?: Agent | false;
  },
): Promise<TlsAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<TlsAnswer>();
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const own = certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key };
  const call = request(
    {
      ...{ host: "127.0.0.1", port, path, agent, rejectUnauthorized: false, ...own },
      ...(form === undefined ? { headers } : { method: "POST", headers: { ...type, ...headers } }),
    },
    async (answer) => {
      let text = "";
      for await (const chunk of answer) text += String(chunk);
      const resumed = answer.socket instanceof TLSSocket && answer.socket.isSessionReused();
      resolve({ status: answer.statusCode ?? 0, body: text === "" ? {} : JSON.parse(text), resumed });
    },
  );
  call.on("error", reject);
  call.end(form === undefined ? undefined : new URLSearchParams(form).toString());
  return promise;
}
